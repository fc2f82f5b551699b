"""The results directories that a command reads: those that are given, else that of the newest run of pytest."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from pytest_netbench.errors import UsageError

HELP: Final = "results directories of runs (default: the newest run of pytest)"


def chosen(given: Sequence[Path]) -> list[Path]:
    """Return the given directories; without any, that of the newest run of pytest, which is named on stderr.

    Raises:
        UsageError: One is no directory, or there is no run.
    """
    if given:
        for path in given:
            if not path.is_dir():
                raise UsageError("no such results directory; give the --netbench-results of a run", path=path)
        return list(given)
    from pytest_netbench.results.newest import newest_run

    newest = newest_run(Path.cwd())
    shown = Path(os.path.relpath(newest))
    print(f"netbench: of the newest run of pytest, {shown}", file=sys.stderr)
    return [shown]
