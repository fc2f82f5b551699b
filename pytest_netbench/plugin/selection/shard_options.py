"""The options ``--netbench-shard`` and ``--netbench-shard-durations``. Standard library only."""

from __future__ import annotations

import argparse
import json
import math
import os
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Final

import pytest

from pytest_netbench.plugin.items.node_ids import task_id

if TYPE_CHECKING:
    from collections.abc import Sequence

INDEX: Final = "JOB_COMPLETION_INDEX"
"""The variable that Kubernetes sets in each pod of an Indexed Job, from 0."""
_MOST: Final = 10_000
_NOTHING_KNOWN_MS: Final = 1000


def add_options(group: pytest.OptionGroup) -> None:
    """Add the options that divide a run among machines."""
    group.addoption(
        "--netbench-shard",
        type=shard,
        metavar="I/N",
        help=(
            "run part I of N of the selected items, the same on every machine; I counts from 1, or is `auto` for"
            f" {INDEX}, which counts from 0. `netbench merge` joins the results."
        ),
    )
    group.addoption(
        "--netbench-shard-durations",
        metavar="FILE",
        help=(
            "JSON file with the seconds of items by node id, which shards are balanced by: durations.json of `netbench"
            " merge`; the same for all shards (default: items count alike)."
        ),
    )


def shard(text: str) -> tuple[int, int]:
    """``"2/4"`` to ``(2, 4)``; ``"auto/4"`` by the variable of an Indexed Job."""
    part, _, of = text.partition("/")
    count = int(of) if _is_number(of) else 0
    if not 1 <= count <= _MOST:
        raise argparse.ArgumentTypeError(
            f"{text!r} is not I/N with N from 1 to {_MOST}, e.g. 1/4 for the first of four shards, or auto/4"
        )
    if part == "auto":
        return _index(count), count
    if not _is_number(part) or not 1 <= int(part) <= count:
        raise argparse.ArgumentTypeError(f"{text!r}: I is from 1 to {count}, or `auto`, e.g. 1/{count}")
    return int(part), count


def _index(count: int) -> int:
    given = os.environ.get(INDEX)
    if given is None:
        raise argparse.ArgumentTypeError(
            f"'auto/{count}': the variable {INDEX} is not set, as it is in the pods of an Indexed Job; give I/{count}"
        )
    if not _is_number(given) or int(given) >= count:
        raise argparse.ArgumentTypeError(
            f"'auto/{count}': {INDEX} is {given!r}, and must be from 0 to {count - 1}: are `completions` of the Job"
            f" {count}?"
        )
    return int(given) + 1


def _is_number(text: str) -> bool:
    return text.isascii() and text.isdecimal() and len(text) <= 6


def read_durations(path: Path) -> dict[str, float]:
    """Return seconds by node id.

    Raises:
        pytest.UsageError: The file has something else.
    """
    option = "--netbench-shard-durations"
    try:
        found = json.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise pytest.UsageError(f"{option}: {path} cannot be read: {error.strerror}") from None
    except ValueError as error:
        raise pytest.UsageError(f"{option}: {path} is not JSON: {error}") from None
    if not isinstance(found, dict):
        raise pytest.UsageError(f"{option}: {path} is not an object of seconds by node id")
    for name, seconds in found.items():
        if isinstance(seconds, bool) or not isinstance(seconds, int | float) or not 0 <= seconds < math.inf:
            raise pytest.UsageError(f"{option}: {path}: {name}: {seconds!r} is not a number of seconds")
    return found


def weights(node_ids: Iterable[str], durations: Mapping[str, float]) -> dict[str, int]:
    """Return milliseconds by node id.

    An item without a duration counts as the mean of the items of its task, else as the mean of all.
    """
    known = {name: max(1, round(seconds * 1000)) for name, seconds in durations.items()}
    of_task: dict[str, list[int]] = {}
    for name in sorted(known):
        of_task.setdefault(task_id(name), []).append(known[name])
    usual = _mean(list(known.values())) if known else _NOTHING_KNOWN_MS
    return {
        name: known[name] if name in known else _mean(of_task[task_id(name)]) if task_id(name) in of_task else usual
        for name in node_ids
    }


def _mean(values: Sequence[int]) -> int:
    return sum(values) // len(values)
