"""Batches of ``ip``, ``bridge`` and ``nft``."""

from __future__ import annotations

import subprocess


def run(program: str, batch: str, *, vrf: str = "", may_fail: bool = False) -> None:
    """Run a batch of ``ip``, ``bridge`` or ``nft``, in the namespace of a VRF if one is given.

    Raises:
        OSError: It failed.
    """
    if not batch:
        return
    options = ["-f", "-"] if program == "nft" else ["-force", "-batch", "-"]
    enter = ["/usr/bin/nsenter", f"--net=/run/netns/{vrf}"] if vrf else []
    done = subprocess.run(
        [*enter, f"/usr/sbin/{program}", *options], input=batch, capture_output=True, text=True, check=False
    )
    if done.returncode and not may_fail:
        raise OSError(f"{program}: {done.stderr.strip()} in {batch!r}")
