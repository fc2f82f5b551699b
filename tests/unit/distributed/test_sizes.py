"""How many workers a cluster gets, and what each reserves."""

from __future__ import annotations

import pytest

from pytest_netbench.distributed.cluster import Node
from pytest_netbench.distributed.sizes import PROCESS_MB, size_of
from pytest_netbench.distributed.versions import difference, versions


def nodes(*sizes: tuple[int, float]) -> dict[str, Node]:
    return {
        str(number): Node(id=str(number), address=f"10.0.0.{number}", cores=cores, memory_mb=memory)
        for number, (cores, memory) in enumerate(sizes)
    }


@pytest.mark.parametrize(
    ("there", "needs_mb", "options", "workers", "memory_mb"),
    [
        (nodes((4, 8000), (2, 8000)), [100] * 50, {}, 6, PROCESS_MB + 100),
        (nodes((0, 8000), (2, 8000)), [100] * 50, {}, 2, PROCESS_MB + 100),
        (nodes((4, 1000)), [100, 100, 300], {}, 2, PROCESS_MB + 300),
        (nodes((8, 8000)), [100] * 50, {"at_once": 8}, 7, PROCESS_MB + 800),
        (nodes((8, 8000)), [100] * 3, {}, 3, PROCESS_MB + 100),
        (nodes((8, 8000)), [20000, 100], {}, 1, 8000),
        (nodes((1, 8000)), [100] * 50, {"workers": 16}, 16, PROCESS_MB + 100),
        (nodes(), [100] * 50, {}, 1, PROCESS_MB + 100),
    ],
    ids=["cores", "a head without cores", "memory", "several at once", "few trials", "too large", "asked for", "empty"],
)
def test_workers_are_as_many_as_cores_and_memory_allow(there, needs_mb, options, workers, memory_mb) -> None:
    size = size_of(there, list(map(float, needs_mb)), **{"at_once": 1, "workers": None, **options})
    assert (size.workers, size.memory_mb) == (workers, memory_mb)
    assert size.room_mb == memory_mb - PROCESS_MB


def test_what_differs_between_two_nodes_is_named() -> None:
    here = versions()
    assert difference(here, dict(here)) is None
    other = {**here, "pytest-netbench": "0.0.1"}
    assert difference(here, other) == f"pytest-netbench: {here['pytest-netbench']} here, 0.0.1 there"
    assert difference(here, {**here, "its modules": "0" * 12}) is not None
