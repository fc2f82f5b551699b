"""The page of comparisons, in Markdown. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Final, get_args

from pytest_netbench.portability.portrait import Comparison, Kind, Portrait

_LISTED: Final = 20
_KINDS: Final[tuple[Kind, ...]] = get_args(Kind)


def page(comparisons: Iterable[Comparison]) -> str:
    """A table for each pair of backends, with versions and images, and the differences below."""
    pairs: dict[tuple[str, str], list[Comparison]] = {}
    for one in comparisons:
        pairs.setdefault((one.first.backend, one.second.backend), []).append(one)
    parts = [
        "# Portability\n",
        "The same work on two backends: how many verdicts, routes, flows and show outputs differ.\n",
    ]
    for (first, second), found in pairs.items():
        parts += [f"## {first} and {second}\n", *_sides(found), "", *_table(found), "", *_lists(found)]
    return "\n".join(parts).rstrip() + "\n"


def _sides(found: Sequence[Comparison]) -> Iterator[str]:
    for all_of in ([one.first for one in found], [one.second for one in found]):
        if portraits := [one for one in all_of if one.lack is None]:
            yield f"- `{portraits[0].backend}`: {_facts(portraits)}"


def _facts(portraits: Sequence[Portrait]) -> str:
    versions = {f"{name} {version}" for one in portraits for name, version in one.versions.items()}
    images = {f"{name} from `{image}`" for one in portraits for name, image in one.images.items()}
    return ", ".join([*sorted(versions), *sorted(images)]) or "no versions are known"


def _table(found: Sequence[Comparison]) -> Iterator[str]:
    yield "| task | work | flows compared | verdicts | routes | flows | show output |"
    yield "|---|---|---|---|---|---|---|"
    for one in found:
        if one.lacks:
            (reason, *_) = one.lacks.values()
            yield f"| {one.task} | {one.work} | not run: {_cell(reason)} | - | - | - | - |"
            continue
        share = "-" if one.share is None else f"{one.share:.0%} of {one.first.of}"
        counts = [str(sum(each.kind == kind for each in one.differences)) for kind in _KINDS]
        yield f"| {one.task} | {_cell(one.work)} | {share} | {' | '.join(counts)} |"


def _lists(found: Sequence[Comparison]) -> Iterator[str]:
    for one in found:
        if one.differences:
            yield f"### {one.task}, {one.work}\n"
            yield from (f"- `{_code(str(each))}`" for each in one.differences[:_LISTED])
            if (more := len(one.differences) - _LISTED) > 0:
                yield f"- and {more} more"
            yield ""


def _cell(text: str) -> str:
    return " ".join(text.replace("|", "\\|").split())


def _code(text: str) -> str:
    return " ".join(text.replace("`", "'").split())
