"""Which processes belong to a node."""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from pytest_netbench.backends.netns.supervisor import roots
from pytest_netbench.backends.netns.supervisor.daemons import Daemons

PROCESSES = {
    101: ("net-h1", "uts-h1"),
    102: ("net-h2", "uts-h2"),
    103: ("net-lab", "uts-lab"),
    104: ("net-h1", "uts-lab"),  # it measures, and is in the network of the node for a moment
    105: ("net-h1", "uts-h1"),
}
"""By pid: the network and the host name that it has."""


@pytest.fixture
def daemons(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Daemons]:
    """Files stand for namespaces: what tells them apart is the number of an inode, too."""
    for name in {one for spaces in PROCESSES.values() for one in spaces}:
        (tmp_path / name).touch()
    proc = tmp_path / "proc"
    for pid, spaces in PROCESSES.items():
        (proc / str(pid) / "ns").mkdir(parents=True)
        for kind, space in zip(("net", "uts"), spaces, strict=True):
            os.link(tmp_path / space, proc / str(pid) / "ns" / kind)
    (proc / "106").mkdir()  # it has ended
    (proc / "meminfo").touch()
    monkeypatch.setattr(roots, "PROC", str(proc))
    with ExitStack() as stack:
        network, uts = (os.open(tmp_path / name, os.O_RDONLY) for name in ("net-h1", "uts-lab"))
        stack.callback(os.close, network)
        stack.callback(os.close, uts)
        node: Any = SimpleNamespace(network=network, home=SimpleNamespace(uts=uts))
        yield Daemons({"h1": node}, {})


def test_all_processes_of_a_node_get_a_signal_and_none_that_measures(
    daemons: Daemons, monkeypatch: pytest.MonkeyPatch
) -> None:
    sent: list[tuple[int, int]] = []
    monkeypatch.setattr(os, "kill", lambda pid, number: sent.append((pid, number)))
    daemons.signal_all("h1", signal.SIGSTOP)
    assert sorted(sent) == [(101, signal.SIGSTOP), (105, signal.SIGSTOP)]
    sent.clear()
    assert daemons.end_all({"node": "h1"}) == {}
    assert sorted(sent) == [(101, signal.SIGKILL), (105, signal.SIGKILL)]
