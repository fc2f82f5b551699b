"""Batches of ``ip``, ``bridge`` and ``nft``."""

from __future__ import annotations

import subprocess


def run(program: str, batch: str, *, may_fail: bool = False) -> None:
    """Run a batch of ``ip``, ``bridge`` or ``nft``.

    Raises:
        OSError: It failed.
    """
    if not batch:
        return
    options = ["-f", "-"] if program == "nft" else ["-force", "-batch", "-"]
    done = subprocess.run([f"/usr/sbin/{program}", *options], input=batch, capture_output=True, text=True, check=False)
    if done.returncode and not may_fail:
        raise OSError(f"{program}: {done.stderr.strip()} in {batch!r}")
