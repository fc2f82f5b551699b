"""Long tests in parts: ``NETBENCH_PART=2/4`` runs the second quarter. What passed at this commit is not run again."""

from __future__ import annotations

import os
import re
import subprocess
from collections.abc import Sequence
from pathlib import Path
from typing import Final

PART: Final = "NETBENCH_PART"
"""The environment variable: ``i/n``, the i-th of n shares."""
_ROOT: Final = Path(__file__).parents[2]


def asked_for(words: str | None = None) -> tuple[int, int]:
    """The part that is asked for, from 1, and of how many: ``i/n``; by default what the environment says, else all.

    Raises:
        ValueError: It is not of that form.
    """
    words = (os.environ.get(PART) or "1/1") if words is None else words
    found = re.fullmatch(r"(\d+)/(\d+)", words)
    one, count = map(int, found.groups()) if found else (0, 0)
    if not 1 <= one <= count:
        raise ValueError(f"{PART}={words}: expected i/n with i from 1 to n, e.g. 2/4")
    return one, count


def share(parts: Sequence[int], asked: str | None = None) -> list[int]:
    """The parts that are asked for.

    Raises:
        ValueError: It is not of the form ``i/n``.
    """
    one, count = asked_for(asked)
    return list(parts[one - 1 :: count])


def passed(test: str) -> frozenset[str]:
    """The parts of a test that passed at this commit."""
    kept = _kept(test)
    return frozenset(kept.read_text().splitlines()) if kept is not None and kept.is_file() else frozenset()


def is_passed(test: str, part: int) -> bool:
    """Whether a part of a test passed at this commit."""
    return str(part) in passed(test)


def note_passed(test: str, part: int | str) -> None:
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
