"""Which results directory a command reads that is given none: that of the newest run of pytest under the rootdir.

A run notes where it writes in ``.netbench/cache/newest-run.txt``, because ``--netbench-results`` may be anywhere.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from pytest_netbench.errors import UsageError
from pytest_netbench.results.files import replace_file

PLACE: Final = ".netbench"
_NOTE: Final = Path(PLACE, "cache", "newest-run.txt")


def note(results: Path, *, root: Path) -> None:
    """Remember that a run of pytest with the rootdir ``root`` writes to ``results``.

    Raises:
        ResultsError: It cannot be written.
    """
    if results.parent != root / PLACE:
        replace_file(root / _NOTE, f"{results.absolute()}\n")


def newest_run(where: Path) -> Path:
    """Return the directory of the run that wrote a result last, of those of ``where`` or the nearest folder above it.

    Results of ``netbench serve`` and ``netbench lab`` do not count.

    Raises:
        UsageError: There is none.
    """
    for folder in (where, *where.parents):
        written = {path: at for path in _runs(folder) if (at := _written_at(path)) is not None}
        if written:
            return max(written, key=written.__getitem__)
    raise UsageError(
        f"no run of pytest has left results in {PLACE} of this folder or one above it; give the directory of a run"
        " (--netbench-results), or run: pytest tasks/ --agent=oracle",
        path=where,
    )


def _runs(folder: Path) -> Iterator[Path]:
    yield from (path for path in (folder / PLACE).glob("*") if _is_of_pytest(path))
    try:
        noted = Path((folder / _NOTE).read_text(encoding="utf-8").strip())
    except OSError:
        return
    if _is_of_pytest(noted):
        yield noted


def _is_of_pytest(path: Path) -> bool:
    try:
        about = json.loads((path / "run.json").read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return False
    return isinstance(about, dict) and "pytest" in (about.get("versions") or {})


def _written_at(path: Path) -> float | None:
    lines = [one for one in path.glob("results*.jsonl") if one.name != "results.rescored.jsonl"]
    return max((one.stat().st_mtime for one in lines), default=None)
