"""Which tasks gave one state at the checked out commit, kept so that an interrupted run goes on with the others."""

from __future__ import annotations

import subprocess
from dataclasses import dataclass
from pathlib import Path
from typing import Final, Self

_ROOT: Final = Path(__file__).parents[3]


@dataclass(frozen=True)
class Passed:
    """The names in a file, one a line. With uncommitted changes there is no file, and nothing is kept."""

    path: Path | None

    @classmethod
    def of_commit(cls) -> Self:
        """Those of the commit that is checked out."""
        if _git("status", "--porcelain", "--untracked-files=no"):
            return cls(None)
        return cls(_ROOT / ".netbench" / "boots" / _git("rev-parse", "HEAD"))

    def __contains__(self, name: str) -> bool:
        return self.path is not None and self.path.is_file() and name in self.path.read_text("utf-8").splitlines()

    def add(self, name: str) -> None:
        """Keep ``name``."""
        if self.path is not None:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            with self.path.open("a", encoding="utf-8") as file:
                file.write(f"{name}\n")


def _git(*words: str) -> str:
    return subprocess.run(["git", "-C", str(_ROOT), *words], capture_output=True, text=True, check=True).stdout.strip()
