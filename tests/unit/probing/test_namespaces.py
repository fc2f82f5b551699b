"""Namespaces as users give them: what is refused, and in which words."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from pytest_netbench.errors import UsageError
from pytest_netbench.probing.namespaces import Namespace
from pytest_netbench.probing.prober import NamespaceProber


def refusal(space: Namespace) -> str:
    with pytest.raises(UsageError) as caught:
        space.open("h1")
    return str(caught.value)


def test_a_namespace_is_given_in_one_way() -> None:
    for space in (Namespace(), Namespace(pid=1, path="/proc/self/ns/net")):
        assert refusal(space) == "h1: a namespace is given by one of path, pid and descriptor"


def test_a_namespace_that_does_not_exist_is_named(tmp_path: Path) -> None:
    path = tmp_path / "gone"
    assert refusal(Namespace(path=path)) == f"h1: '{path}' does not exist; 'ip netns list' shows those of iproute2"
    ended = "h1: the namespace of process 4194305 does not exist; the process has ended"
    assert refusal(Namespace(pid=4_194_305)) == ended, "above the kernel's largest pid"


def test_what_is_no_network_namespace_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "file"
    path.touch()
    expected = "is no network namespace (expected: one of path, pid and descriptor of one)"
    assert refusal(Namespace(path=path)) == f"h1: '{path}' {expected}"
    assert refusal(Namespace(path="/proc/self/ns/uts")) == f"h1: '/proc/self/ns/uts' {expected}"
    with path.open() as file:
        assert refusal(Namespace(descriptor=file.fileno())) == f"h1: descriptor {file.fileno()} {expected}"
    assert refusal(Namespace(descriptor=file_number())) == f"h1: descriptor {file_number()} is not open"


def file_number() -> int:
    """A descriptor that is not open."""
    number = os.dup(0)
    os.close(number)
    return number


@pytest.mark.parametrize("given", ["path", "pid", "descriptor"])
def test_a_namespace_is_opened_anew_and_the_callers_descriptor_stays(given: str) -> None:
    mine = os.open("/proc/self/ns/net", os.O_RDONLY)
    space = {
        "path": Namespace(path=Path("/proc/self/ns/net")),
        "pid": Namespace(pid=os.getpid()),
        "descriptor": Namespace(descriptor=mine),
    }[given]
    opened = space.open("h1")
    try:
        assert opened != mine
        assert os.fstat(opened).st_ino == os.fstat(mine).st_ino
        assert not os.get_inheritable(opened)
    finally:
        os.close(opened)
    os.fstat(mine)
    os.close(mine)


def open_descriptors() -> list[str]:
    return sorted(one.name for one in Path("/proc/self/fd").iterdir())


def test_a_refused_prober_keeps_nothing_open() -> None:
    before = open_descriptors()
    spaces = {"h1": Namespace(path="/proc/self/ns/net"), "h2": Namespace(path="/nowhere")}
    with pytest.raises(UsageError, match="h2: '/nowhere' does not exist"):
        NamespaceProber(spaces)
    with pytest.raises(UsageError, match="there are no namespaces to probe in, expected at least one"):
        NamespaceProber({})
    assert open_descriptors() == before
