"""Conversion between task items and node ids. The process that schedules and reports a run has only the node ids."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING, Final

from pytest_netbench import parts

if TYPE_CHECKING:
    from pytest_netbench.generators.sources import Source

SUFFIXES: Final = (".task.yaml", ".task.yml", ".task.json")
_FILES: Final = (
    *SUFFIXES,
    ".json",
)  # the draft's own files have no suffix of ours; they are collected if they are named
_GENERATED: Final = re.compile(r"(?P<generator>[a-z0-9][a-z0-9_.-]*)@(?P<seed>\d+)\.(?P<index>\d+)")


def is_from_a_task(node_id: str) -> bool:
    """Whether an item of this node id comes from a task."""
    head = node_id.partition("::")[0]
    return head.endswith(_FILES) or _GENERATED.fullmatch(head) is not None


def source_of(node_id: str, root: Path) -> Source | None:
    """Return the source that an item of this node id comes from; ``None`` if it does not come from a task.

    Args:
        node_id: E.g. ``tasks/qos/voice.task.yaml::voice[oracle]`` or ``ring@7.0::ring-s7-0000-a[oracle]``.
        root: The rootdir.
    """
    from pytest_netbench.generators.sources import FileSource, GeneratedSource  # noqa: PLC0415  (imports pydantic)

    head = node_id.partition("::")[0]
    if head.endswith(_FILES):
        return FileSource(root / head)
    made = _GENERATED.fullmatch(head)
    if made is None:
        return None
    parameters = parts.load("generators", made["generator"]).parameters()
    return GeneratedSource(
        generator=made["generator"], parameters=parameters, seed=int(made["seed"]), index=int(made["index"])
    )
