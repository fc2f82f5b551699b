"""Long tests in parts: ``NETBENCH_PART=2/4`` runs the second quarter. What passed at this commit is not run again."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Sequence
from pathlib import Path
from typing import Final

PART: Final = "NETBENCH_PART"
"""The environment variable: ``i/n``, the i-th of n shares."""
_ROOT: Final = Path(__file__).parents[2]


def share(parts: Sequence[int], asked: str | None = None) -> list[int]:
    """The parts that are asked for, ``i/n``; default: by the environment; all if it says nothing.

    Raises:
        ValueError: It is not of that form.
    """
    asked = os.environ.get(PART, "1/1") if asked is None else asked
    one, slash, count = asked.partition("/")
    if not slash or not (one + count).isdigit() or not 1 <= int(one) <= int(count):
        raise ValueError(f"{PART}={asked}: expected i/n with i from 1 to n, e.g. 2/4")
    return list(parts[int(one) - 1 :: int(count)])


def is_passed(test: str, part: int) -> bool:
    """Whether a part of a test passed at this commit."""
    kept = _kept(test)
    return kept is not None and kept.is_file() and str(part) in kept.read_text().split()


def note_passed(test: str, part: int) -> None:
    """Note that a part passed. With changes that are not committed, nothing is noted."""
    kept = _kept(test)
    if kept is not None:
        kept.parent.mkdir(parents=True, exist_ok=True)
        with kept.open("a") as file:
            file.write(f"{part}\n")


def _kept(test: str) -> Path | None:
    commit = _git("rev-parse", "HEAD")
    changes = _git("status", "--porcelain", "--untracked-files=no")
    return _ROOT / ".netbench" / "cache" / "parts" / f"{test}-{commit}" if commit and not changes else None


def _git(*words: str) -> str:
    return subprocess.run(["git", *words], cwd=_ROOT, capture_output=True, text=True, check=False).stdout.strip()
