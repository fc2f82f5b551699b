"""What a run has changed is put back, also after the main thread of its process has ended."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from pytest_netbench.errors import LabError
from pytest_netbench.lab.attaching.putting_back import put_back_all, putting_back, side_by_side

PROGRAM = """
import sys, time
from pathlib import Path
from pytest_netbench.errors import LabError
from pytest_netbench.lab.attaching.putting_back import putting_back, side_by_side

def put_back():
    for step in "one", "two":
        time.sleep(0.3)
        side_by_side({"a": 1, "b": 2}, lambda node, _: Path(sys.argv[1], f"{step}-{node}").touch())
    raise LabError("a: another address")

putting_back("lab x", put_back).start()
"""


def test_a_process_that_ends_puts_all_back_first_and_says_what_is_not_as_it_was(tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM, tmp_path], capture_output=True, text=True, timeout=60, check=True
    )
    assert sorted(one.name for one in tmp_path.iterdir()) == ["one-a", "one-b", "two-a", "two-b"], done.stderr
    assert "lab x is not as it was (fix: netbench clean): a: another address" in done.stderr


def test_each_node_is_put_back_and_all_failures_are_named() -> None:
    tried = []

    def restore(node: str, _: int) -> None:
        tried.append(node)
        if node != "b":
            raise LabError(f"{node}: differs")

    with pytest.raises(LabError) as caught:
        put_back_all({"a": 1, "b": 2, "c": 3}, restore)
    assert sorted(tried) == ["a", "b", "c"]
    assert sorted(str(caught.value).splitlines()) == ["a: differs", "c: differs"]


def test_work_on_many_nodes_keeps_their_order() -> None:
    numbers = {f"n{number}": number for number in range(20)}
    assert side_by_side(numbers, lambda node, one: (node, one)) == {node: (node, one) for node, one in numbers.items()}
    assert side_by_side({}, lambda node, one: node) == {}


def test_who_waits_is_told_the_failure() -> None:
    def fails() -> None:
        raise LabError("a: differs")

    one = putting_back("project p", fails)
    with pytest.raises(LabError, match="the lab was not destroyed"):
        one.wait()
    one.start()
    one.start()
    with pytest.raises(LabError, match=r"project p is not as it was \(fix: netbench clean\): a: differs"):
        one.wait()
