"""Links as requests to the kernel."""

from __future__ import annotations

import struct

import pytest

from pytest_netbench.backends.netns.supervisor import wiring
from pytest_netbench.kernel.cabling.rtnetlink import RTM_NEWLINK, Request

NETWORKS = {"a": 11, "b": 12, "c": 13}
_ADDRESS, _NAME, _MASTER, _LINKINFO, _NET_NS_FD = 1, 3, 10, 18, 28


def link(*nodes: str, wire: list[str] | None = None) -> dict[str, object]:
    return {"endpoints": [[node, "eth0"] for node in nodes], "wire": wire}


def attributes(body: bytes) -> dict[int, bytes]:
    found, position = {}, 0
    while position < len(body):
        size, kind = struct.unpack_from("=HH", body, position)
        found[kind] = body[position + 4 : position + size]
        position += (size + 3) & ~3
    return found


def ends(request: Request) -> list[tuple[str, int, int | None, int | None]]:
    """Name, index, namespace and master of each end of a link."""
    first = attributes(request.body[16:])
    bodies = [request.body]
    details = attributes(first[_LINKINFO])
    if details[1] == b"veth\0":
        bodies.append(attributes(details[2])[1])
    return [_end(body) for body in bodies]


def _end(body: bytes) -> tuple[str, int, int | None, int | None]:
    found = attributes(body[16:])
    number = {kind: struct.unpack("=I", found[kind])[0] for kind in (_NET_NS_FD, _MASTER) if kind in found}
    name = found[_NAME].rstrip(b"\0").decode()
    return name, struct.unpack_from("=i", body, 4)[0], number.get(_NET_NS_FD), number.get(_MASTER)


def made(requests: list[Request]) -> list[tuple[str, int, int | None, int | None]]:
    links = [request for request in requests if request.kind == RTM_NEWLINK]
    return [end for request in links if _LINKINFO in attributes(request.body[16:]) for end in ends(request)]


def batch(links, networks=NETWORKS, *, redirecting=True):
    plan = wiring.batch(links, networks, redirecting=redirecting)
    return plan.requests, plan.wires


def test_a_cable_has_an_interface_outside_of_each_node_and_is_redirected_each_way() -> None:
    requests, wires = batch([link("a", "b")])
    assert [(name, network) for name, _, network, _ in made(requests[:2])] == [
        ("w0a", None),
        ("eth0", 11),
        ("w0b", None),
        ("eth0", 12),
    ]
    assert [request.what for request in requests[2:]] == [
        "redirect 10002 to 10003",
        "redirect 10002 to 10003",
        "redirect 10003 to 10002",
        "redirect 10003 to 10002",
    ]
    assert wires == []


def test_a_stub_leads_nowhere() -> None:
    requests, wires = batch([link("a")])
    assert [(name, network) for name, _, network, _ in made(requests)] == [("w0a", None), ("eth0", 11)]
    assert (len(requests), wires) == (1, [])


def test_where_the_kernel_cannot_redirect_a_cable_is_one_veth_between_two_nodes() -> None:
    (request,), wires = batch([link("a", "b")], redirecting=False)
    here, there = ends(request)
    assert (here[0], here[2]) == ("eth0", 11)
    assert (there[0], there[2]) == ("eth0", 12)
    assert wires == []


def test_no_two_ends_have_the_same_index() -> None:
    requests, _ = batch([link("a", "b"), link("b", "c"), link("a", "b", "c")])
    indexes = [index for _, index, _, _ in made(requests)]
    assert len(indexes) == len(set(indexes)) == 8 + 1 + 6


def test_a_segment_is_a_bridge_with_a_port_for_each_node() -> None:
    requests, wires = batch([link("a", "b", "c")], NETWORKS)
    (bridge, *rest) = made(requests)
    assert bridge[0] == "b0"
    assert [(name, master) for name, _, network, master in rest if network is None] == [
        (f"p0.{port}", bridge[1]) for port in range(3)
    ]
    assert [network for _, _, network, _ in rest if network is not None] == [11, 12, 13]
    assert wires == []


def test_a_cable_of_some_quality_runs_through_a_wire() -> None:
    requests, wires = batch([link("a", "b", wire=["--delay-us", "5"])], NETWORKS)
    assert wires == [("w0a", "w0b", ["--delay-us", "5"])]
    assert [(name, network) for name, _, network, _ in made(requests)] == [
        ("w0a", None),
        ("eth0", 11),
        ("w0b", None),
        ("eth0", 12),
    ]


def test_each_port_of_a_segment_of_some_quality_has_a_wire() -> None:
    _, wires = batch([link("a", "b", "c", wire=["--loss-ppm", "9"])], NETWORKS)
    assert [(near, far) for near, far, _ in wires] == [(f"p0.{port}", f"p0.{port}f") for port in range(3)]


def test_names_fit_the_kernel_in_large_networks() -> None:
    requests, _ = batch([link("a", "b", "c", wire=[])] * 1200, NETWORKS)
    assert max(len(name) for name, _, _, _ in made(requests)) <= 15


def test_what_the_kernel_refuses_is_the_error() -> None:
    requests, _ = batch([link("a", "b")], {"a": 10**6, "b": 10**6})
    with pytest.raises(OSError, match=r"links could not be made: link w0a - eth0: "):
        wiring.lay(requests)


def test_no_links_open_no_socket() -> None:
    wiring.lay([])


def test_interfaces_of_nodes_have_hardware_addresses_of_their_own_that_are_the_same_in_each_lab() -> None:
    """A kernel that draws them gives each boot other link-local addresses, and another root of the spanning tree."""
    links = [link("a", "b"), link("a", "b", "c"), link("b", "c", wire=["--delay-ms", "5"])]
    (one, _), (other, _) = batch(links), batch(links)
    assert one == other
    octets = [found for request in one for found in hardware(request)]
    assert len({*octets}) == len(octets) == sum(len(each["endpoints"]) for each in links)  # type: ignore[arg-type]
    assert all(found[0] & 0b11 == 0b10 for found in octets)


def hardware(request: Request) -> list[bytes]:
    """The hardware addresses that a request gives to interfaces of nodes."""
    if request.kind != RTM_NEWLINK or _LINKINFO not in (first := attributes(request.body[16:])):
        return []
    details = attributes(first[_LINKINFO])
    bodies = [request.body, attributes(details[2])[1]] if details[1] == b"veth\0" else []
    return [found[_ADDRESS] for body in bodies if _ADDRESS in (found := attributes(body[16:]))]
