"""A small valid task to bend, and the message a bent one is refused with."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from textwrap import dedent

import pytest

from pytest_netbench.errors import TaskFileError
from pytest_netbench.model.task import Task
from pytest_netbench.taskfile import load_task

GOOD = dedent("""\
    task_name: Static route
    intents:
      - R1 shall reach the loopback of R2.
    topology:
      nodes: [R1, R2, {name: R3, role: host}]
      links:
        - R1 eth1 <-> R2 eth1
        - R1 eth2 <-> R3 eth1
    startup_configs:
      R1: |
        interface eth1
         ip address 10.0.0.1/30
    ground_truth_configs:
      R1:
        - ip route 2.2.2.2/32 10.0.0.2
    testcases:
      - name: route
        kind: route
        device: R1
        prefix: 2.2.2.2/32
    """)


@pytest.fixture
def good() -> str:
    """The small valid task."""
    return GOOD


@pytest.fixture
def write(tmp_path: Path) -> Callable[..., Path]:
    """Write a file below ``tasks/static`` and return its path."""

    def _write(content: str | bytes, name: str = "static.task.yaml") -> Path:
        path = tmp_path / "tasks" / "static" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content.encode() if isinstance(content, str) else content)
        return path

    return _write


@pytest.fixture
def load(write: Callable[..., Path]) -> Callable[..., Task]:
    """The task that a text loads as."""
    return lambda content, name="static.task.yaml": load_task(write(content, name))


@pytest.fixture
def refusal(write: Callable[..., Path]) -> Callable[..., str]:
    """The message a text is refused with, the folder and the columns left out (see ``placed_refusal``)."""

    def _refusal(content: str | bytes, name: str = "static.task.yaml") -> str:
        path = write(content, name)
        with pytest.raises(TaskFileError) as caught:
            load_task(path)
        message = str(caught.value).replace(f"{path.parent}/", "")
        return re.sub(r"(?m)(^\S+:\d+):\d+(?=: )|(?<=^  line )(\d+), column \d+(?=: )", r"\1\2", message)

    return _refusal


@pytest.fixture
def placed_refusal(write: Callable[..., Path]) -> Callable[..., list[tuple[tuple[int, int], str]]]:
    """Line, column and message of each problem that a text is refused for."""

    def _placed_refusal(content: str | bytes, name: str = "static.task.yaml") -> list[tuple[tuple[int, int], str]]:
        with pytest.raises(TaskFileError) as caught:
            load_task(write(content, name))
        return list(caught.value.problems)

    return _placed_refusal


@pytest.fixture
def bent(refusal: Callable[..., str]) -> Callable[[str, str], str]:
    """The message that the good task is refused with once a piece of it is replaced."""

    def _bent(old: str, new: str) -> str:
        assert old in GOOD
        return refusal(GOOD.replace(old, new, 1))

    return _bent
