"""Writes the page: one file that asks for nothing else, and beside it the details of trials that it has no room for."""

from __future__ import annotations

import base64
import hashlib
import os
import shutil
from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import UTC, datetime
from functools import cache
from importlib import import_module, resources
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from pytest_netbench.errors import ResultsError, UsageError
from pytest_netbench.model.trial import TrialRecord, TrialResult
from pytest_netbench.reporting import words
from pytest_netbench.reporting.page.details import MOST_FLOWS, detail
from pytest_netbench.reporting.page.efforts import PARTS
from pytest_netbench.reporting.page.headline import numbered, signed
from pytest_netbench.reporting.page.kinds import KINDS, kind_of
from pytest_netbench.reporting.page.looks import SHAPES
from pytest_netbench.reporting.page.overview import Comparison, overview
from pytest_netbench.reporting.page.reasons import conduct_lines
from pytest_netbench.reporting.reasons import meaning
from pytest_netbench.results.files import replace_file, safe_name
from pytest_netbench.results.pairing import task_id

if TYPE_CHECKING:
    from jinja2 import Template

MOST_INSIDE: Final = 8_000_000
"""Characters of details within the page; those of further trials lie beside it."""

MOST_SCORES: Final = 4
"""Scores that have columns in the table of agents; of more, all stand in that by domain only."""

RecordOf = Callable[[TrialResult], TrialRecord | None]


def check(path: Path) -> None:
    """Check that a page can be made and written.

    Raises:
        UsageError: The extra is not installed, there is no such folder, or that for details holds something else.
    """
    try:
        for extra in ("jinja2", "networkx"):
            import_module(extra)
    except ImportError as error:
        raise UsageError(f"no HTML page without {error.name}; fix: pip install 'pytest-netbench[report]'") from error
    if not path.parent.is_dir():
        raise UsageError("there is no such folder to write the page to", path=path.parent)
    if path.is_dir():
        raise UsageError("the page is a file, and this is a folder", path=path)
    folder = _beside(path)
    strange = [one.name for one in folder.iterdir() if one.suffix != ".html"] if folder.is_dir() else []
    if strange:
        raise UsageError(f"the folder for details holds something else ({strange[0]}); remove it", path=folder)


def _beside(path: Path) -> Path:
    return path.with_name(f"{path.stem}-trials")


def write_page(
    path: Path,
    results: Sequence[TrialResult],
    record_of: RecordOf,
    *,
    comparison: Comparison | None = None,
    note: str = "",
    progress: Callable[[int, int], None] | None = None,
) -> int:
    """Write the page of some trials and return how many bytes it has.

    Details of trials that did not pass are in the page, as far as there is room. Those of all trials that have a record
    lie in the folder ``NAME-trials`` beside it, which is written anew: without scripts, links lead there.

    Args:
        path: The file.
        results: Of the trials.
        record_of: The full record of a result; ``None`` if none was kept.
        comparison: With a baseline.
        note: What else to know of the run, in a sentence.
        progress: Called with how many trials are done, and with all.

    Raises:
        UsageError: See ``check``.
        ResultsError: A file cannot be written.
    """
    check(path)
    folder = _beside(path)
    if folder.is_dir():
        shutil.rmtree(folder)
    about = overview(results)
    inside: dict[int, str] = {}
    beside: dict[int, str] = {}
    room = MOST_INSIDE
    for number, one in enumerate(about.results):
        record, trouble = _read(one, record_of)
        text = _template("trial.html.jinja").render(detail=detail(one, record), trouble=trouble, **_shared())
        if one.status != "passed" and len(text) <= room:
            room -= len(text)
            inside[number] = text
        if record is not None:
            # several directories may have the same trial of the same item
            name = f"{number}-{safe_name(one.node_id, one.trial)}.html"
            _write(folder / name, _template("beside.html.jinja").render(body=text, title=one.node_id, **_shared()))
            beside[number] = f"{folder.name}/{name}"
        if progress is not None:
            progress(number + 1, len(about.results))
    page = _template("page.html.jinja").render(
        about=about,
        inside=inside,
        beside=beside,
        comparison=comparison,
        note=note,
        made_at=datetime.now(UTC).strftime("%Y-%m-%d %H:%M UTC"),
        **_shared(),
    )
    _write(path, page)
    return len(page.encode())


def _read(result: TrialResult, record_of: RecordOf) -> tuple[TrialRecord | None, str]:
    """The record, or why it cannot be read: one bad transcript is no reason to show nothing."""
    try:
        return record_of(result), ""
    except ResultsError as error:
        return None, str(error)


def _write(path: Path, text: str) -> None:
    try:
        path.parent.mkdir(exist_ok=True)
    except OSError as error:
        raise ResultsError(f"{path.parent}: cannot be made: {os.strerror(error.errno or 0)}") from error
    replace_file(path, text)


@cache
def _template(name: str) -> Template:
    from jinja2 import Environment, PackageLoader, StrictUndefined  # an extra

    loader = PackageLoader("pytest_netbench.reporting.page")
    made = Environment(loader=loader, autoescape=True, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True)
    made.filters.update(count=words.count, money=words.money, score=words.score, seconds=words.seconds)
    return made.get_template(name)


@cache
def _shared() -> Mapping[str, Any]:
    """What all templates need. The page's policy lets no script run but its own, by its digest."""
    script, style = _file("script.js"), _file("style.css")
    digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    return {
        "script": script,
        "style": style,
        "policy": f"default-src 'none'; style-src 'unsafe-inline'; script-src 'sha256-{digest}'",
        "version": version("pytest-netbench"),
        "kinds": KINDS,
        "kind_of": kind_of,
        "conduct_lines": conduct_lines,
        "meaning": meaning,
        "task_name": lambda one: task_id(one).rpartition("::")[2],
        "nothing": words.NOTHING,
        "shapes": SHAPES,
        "parts": PARTS,
        "most_scores": MOST_SCORES,
        "numbered": numbered,
        "signed": signed,
        "most_flows": MOST_FLOWS,
    }


def _file(name: str) -> str:
    return resources.files("pytest_netbench.reporting.page").joinpath("templates", name).read_text(encoding="utf-8")


def trials_of(contents: Iterable[tuple[Sequence[TrialResult], RecordOf]]) -> tuple[list[TrialResult], RecordOf]:
    """Results of several directories, and where the record of each is found."""
    results: list[TrialResult] = []
    readers: dict[int, RecordOf] = {}
    for some, record_of in contents:
        for one in some:
            results.append(one)
            readers[id(one)] = record_of
    return results, lambda one: readers[id(one)](one)
