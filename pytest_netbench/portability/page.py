"""The page of comparisons, in Markdown. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Final, get_args

from pytest_netbench.portability.portrait import Comparison, Kind, Portrait

HEAD: Final = """# Two backends compared

The same work on two backends: how many verdicts, routes, flows and show outputs differ. `netbench portability`
wrote this page.
"""
COLUMNS: Final = "| task | work | flows compared | verdicts | routes | flows | show output | seen once |"
"""Of the table of what was run. ``seen once`` counts what differed on the first two labs and not on the next two."""
_LISTED: Final = 20
_KINDS: Final[tuple[Kind, ...]] = get_args(Kind)


def page(comparisons: Iterable[Comparison]) -> str:
    """For each pair of backends: what was run on which versions, a table, the differences, and what was not run."""
    pairs: dict[tuple[str, str], list[Comparison]] = {}
    for one in comparisons:
        pairs.setdefault((one.first.backend, one.second.backend), []).append(one)
    parts = [HEAD]
    for (first, second), found in pairs.items():
        run = [one for one in found if not one.lacks]
        parts += [f"## {first} and {second}\n", *_extent(run, found), "", *_sides(run), ""]
        if run:
            parts += [COLUMNS, "|---" * COLUMNS.count(" | ") + "|---|", *map(_row, run), "", *_lists(run)]
        parts += _not_run(found)
    return "\n".join(parts).rstrip() + "\n"


def _extent(run: Sequence[Comparison], found: Sequence[Comparison]) -> Iterator[str]:
    tasks, of = ({one.task for one in several} for several in (run, found))
    equal = sum(not one.differences for one in run)
    yield (
        f"Run: {len(tasks)} of {len(of)} tasks, {len(run)} works{_days(run)}. {equal} of these have no difference, and"
        f" {_share(run)} of the recorded flows were compared."
    )


def _days(run: Sequence[Comparison]) -> str:
    days = sorted({one.ended_at[:10] for one in run if one.ended_at})
    return f", {' to '.join(dict.fromkeys((days[0], days[-1])))}" if days else ""


def _share(run: Sequence[Comparison]) -> str:
    of = sum(one.first.of for one in run)
    return f"{sum(one.compared for one in run):,} of {of:,}" if of else "none"


def _sides(run: Sequence[Comparison]) -> Iterator[str]:
    for portraits in ([one.first for one in run], [one.second for one in run]):
        if portraits:
            yield f"- `{portraits[0].backend}`: {_facts(portraits)}"


def _facts(portraits: Sequence[Portrait]) -> str:
    deployers = {f"{name} {version}" for one in portraits for name, version in one.deployers.items()}
    versions = {f"{name} {version}" for one in portraits for name, version in one.versions.items()}
    images = {f"{name} from `{image}`" for one in portraits for name, image in one.images.items()}
    return ", ".join([*sorted(deployers), *sorted(versions), *sorted(images)]) or "no versions are known"


def _row(one: Comparison) -> str:
    share = "-" if one.share is None else f"{one.share:.0%} of {one.first.of}"
    counts = [str(sum(each.kind == kind for each in one.differences)) for kind in _KINDS]
    return f"| {one.task} | {_cell(one.work)} | {share} | {' | '.join(counts)} | {len(one.passing)} |"


def _lists(run: Sequence[Comparison]) -> Iterator[str]:
    for one in run:
        if one.differences:
            yield f"### {one.task}, {one.work}\n"
            yield from (f"- `{_code(str(each))}`" for each in one.differences[:_LISTED])
            if (more := len(one.differences) - _LISTED) > 0:
                yield f"- and {more} more"
            yield ""


def _not_run(found: Sequence[Comparison]) -> Iterator[str]:
    """The tasks that a backend cannot run, by reason."""
    by_reason: dict[str, dict[str, None]] = {}
    for one in found:
        for reason in one.lacks.values():
            by_reason.setdefault(reason, {})[one.task] = None
    if by_reason:
        yield "### Not run\n"
    for reason, tasks in by_reason.items():
        yield f"- {_cell(reason)}: {len(tasks)} task{'s' * (len(tasks) > 1)} ({', '.join(tasks)})"
    yield ""


def _cell(text: str) -> str:
    return " ".join(text.replace("|", "\\|").split())


def _code(text: str) -> str:
    return " ".join(text.replace("`", "'").split())
