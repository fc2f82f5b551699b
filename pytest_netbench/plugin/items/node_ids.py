"""Conversion between task items and node ids. The process that schedules and reports a run has only the node ids."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from pytest_netbench.plugin.items.sealing import SEALING, SUFFIX
from pytest_netbench.plugin.settings.run_options import run_of
from pytest_netbench.plugin.settings.series_ids import drawn_id

if TYPE_CHECKING:
    from pathlib import Path

    import pytest

    from pytest_netbench.generators.sources import Source

SUFFIXES: Final = (".task.yaml", ".task.yml", ".task.json")
_FILES: Final = (
    *SUFFIXES,
    ".json",
    ".sealed",
)  # the draft's own files have no suffix of ours; they are collected if they are named


def is_from_a_task(node_id: str) -> bool:
    """Whether an item of this node id comes from a task."""
    return node_id.partition("::")[0].endswith(_FILES) or drawn_id(node_id) is not None


def source_of(node_id: str, config: pytest.Config) -> Source | None:
    """Return the source that an item of this node id comes from; ``None`` if it does not come from a task.

    Args:
        node_id: E.g. ``tasks/qos/voice.task.yaml::voice[oracle]`` or ``repair-routing[s7-0042-DR+WR-oracle]``.
        config: Of the run. What is drawn is among its options.
    """
    head = node_id.partition("::")[0]
    if head.endswith(SUFFIX):
        name = name_in(node_id).partition("[")[0]
        return config.stash[SEALING].source(config.rootpath / head, name)
    if head.endswith(_FILES):
        return file_source(config.rootpath / head, config)
    drawn = drawn_id(node_id)
    series = None if drawn is None else run_of(config).draws.series_of(drawn)
    return None if drawn is None or series is None else series.source(drawn.index)


def file_source(path: Path, config: pytest.Config) -> Source:
    """Return the source of the task in a file: the file, or the variant of it that the run asks for."""
    from pytest_netbench.generators.sources import FileSource  # imports pydantic and yaml

    source, seed = FileSource(path), run_of(config).variant
    if seed is None:
        return source
    from pytest_netbench.generators.variants.source import VariantSource  # imports pydantic

    return VariantSource(source, seed)


def name_in(node_id: str) -> str:
    """The name of the item of a task."""
    return node_id.partition("::")[2] or node_id


def trial_of(node_id: str) -> str:
    """The agent and the number of the trial, as an id names them; empty if it names the task alone."""
    drawn = drawn_id(node_id)
    return node_id.rpartition("[")[2].removesuffix("]") if drawn is None else drawn.trial or ""


def task_id(node_id: str) -> str:
    """The id without the trial."""
    drawn = drawn_id(node_id)
    return node_id.rpartition("[")[0] if drawn is None else f"{drawn.generator}[s{drawn.seed}-{drawn.index:04}]"


def group_of(node_id: str) -> str:
    """What items of one family have in common: their file, or the series that draws them."""
    drawn = drawn_id(node_id)
    return node_id.partition("::")[0] if drawn is None else f"{drawn.generator}[s{drawn.seed}]"
