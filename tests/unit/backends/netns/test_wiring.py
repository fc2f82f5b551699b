"""Links as ``ip`` commands."""

from __future__ import annotations

import pytest

from pytest_netbench.backends.netns.supervisor import wiring

PIDS = {"a": 11, "b": 12, "c": 13}


def link(*nodes: str, wire: list[str] | None = None) -> dict[str, object]:
    return {"endpoints": [[node, "eth0"] for node in nodes], "wire": wire}


def test_a_cable_is_one_veth_between_two_nodes() -> None:
    lines, wires = wiring.batch([link("a", "b")], PIDS)
    (line,) = lines
    here, there = line.split(" type veth peer ")
    assert here.split()[:5] == ["link", "add", "dev", "eth0", "index"]
    assert there.split()[:2] == ["name", "eth0"]
    assert "11" in here.split()[-1]
    assert "12" in there.split()[-1]
    assert wires == []


def test_no_two_ends_have_the_same_index() -> None:
    lines, _ = wiring.batch([link("a", "b"), link("b", "c"), link("a", "b", "c")], PIDS)
    words = " ".join(lines).split()
    indexes = [words[position + 1] for position, word in enumerate(words) if word == "index"]
    assert len(indexes) == len(set(indexes)) == 7


def test_a_segment_is_a_bridge_with_a_port_for_each_node() -> None:
    lines, wires = wiring.batch([link("a", "b", "c")], PIDS)
    assert lines[0].startswith("link add b0 type bridge stp_state 0")
    assert [line for line in lines if "master b0" in line] == [f"link set p0.{port} master b0" for port in range(3)]
    assert wires == []


def test_a_cable_of_some_quality_runs_through_a_wire() -> None:
    lines, wires = wiring.batch([link("a", "b", wire=["--delay-us", "5"])], PIDS)
    assert wires == [("w0a", "w0b", ["--delay-us", "5"])]
    assert "link set w0a up" in lines


def test_each_port_of_a_segment_of_some_quality_has_a_wire() -> None:
    _, wires = wiring.batch([link("a", "b", "c", wire=["--loss-ppm", "9"])], PIDS)
    assert [(near, far) for near, far, _ in wires] == [(f"w0.{port}a", f"w0.{port}b") for port in range(3)]


def test_names_fit_the_kernel_in_large_networks() -> None:
    lines, _ = wiring.batch([link("a", "b", "c", wire=[])] * 1200, PIDS)
    words = " ".join(lines).split()
    assert (
        max(len(words[position + 1]) for position, word in enumerate(words) if word in ("name", "add", "master")) <= 15
    )


def test_what_ip_says_is_the_error() -> None:
    with pytest.raises(OSError, match=r"links could not be made: .*"):
        wiring.lay(["link add bad name with words"])


def test_no_links_start_no_program() -> None:
    wiring.lay([])
