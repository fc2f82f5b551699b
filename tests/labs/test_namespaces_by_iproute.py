"""The prober on network namespaces that no lab made: those of ``ip netns add``."""

from __future__ import annotations

import contextlib
import os
import struct
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from pytest_netbench.errors import LabError, UsageError
from pytest_netbench.probing.namespaces import Namespace
from pytest_netbench.probing.prober import NamespaceProber
from pytest_netbench.probing.records import Flow, Hop, Probe
from tests.support.ios import eventually
from tests.support.iproute_networks import NAMES, Network

SILENT = struct.pack("=HBBI", 0x06, 0, 0, 0)
INVALID = struct.pack("=HBBI", 0x15, 200, 200, 0)
INTERFACES = {"h1": ("eth0",), "h2": ("eth0",), "r": ("up2", "up1")}


@pytest.fixture(scope="module")
def network() -> Iterator[Network]:
    try:
        made = Network()
    except (RuntimeError, FileNotFoundError) as error:
        pytest.skip(f"no namespaces by 'ip netns add': {error}; fix: netbench doctor")
    yield made
    made.close()


@pytest.fixture(scope="module")
def prober(network: Network) -> Iterator[NamespaceProber]:
    spaces = {name: Namespace(path=network.paths[name], interfaces=INTERFACES[name]) for name in NAMES}
    with NamespaceProber(spaces) as made:
        yield made


@pytest.mark.parametrize("protocol", ["icmp", "tcp", "udp"])
def test_a_matrix_has_a_verdict_on_each_direction(prober: NamespaceProber, protocol: str) -> None:
    found = prober.matrix(protocol=protocol, timeout_s=0.2)  # type: ignore[arg-type]
    assert len(found) == 6
    assert [pair for pair, result in found.items() if not result.delivered] == [("h2", "h1")]
    assert found["h2", "h1"].sent
    assert not found["h2", "h1"].arrived


def test_a_packet_whose_answer_is_dropped_has_arrived_one_way(prober: NamespaceProber) -> None:
    addresses = {"h1": "10.0.1.10", "h2": "10.0.2.10"}
    found = prober.matrix(addresses, protocol="udp", port=4000, timeout_s=0.2)["h1", "h2"]
    assert (found.delivered, found.arrived, found.answered) == (False, True, False)
    assert found.detail == "no answer in 0.4 s (2 tries), but h2 accepted it"


def test_the_first_interface_that_is_named_gives_the_address(prober: NamespaceProber, network: Network) -> None:
    assert prober.addresses("r") == ("10.0.2.1", "10.0.1.1")
    assert prober.addresses("h1") == ("10.0.1.10", "2001:db8:1::10")
    with NamespaceProber({"r": Namespace(path=network.paths["r"])}) as unnamed:
        assert sorted(unnamed.addresses("r")) == ["10.0.1.1", "10.0.2.1"]


def test_an_address_that_nobody_has_sends_and_is_answered(prober: NamespaceProber) -> None:
    for protocol in ("icmp", "udp", "tcp"):
        listens = {"arrives_at": ("h2",)} if protocol == "icmp" else {"listen_on": "h2"}
        (found,) = prober.probe(
            [Probe(source="h1", target="10.0.2.10", protocol=protocol, source_address="10.0.1.77", **listens)]  # type: ignore[arg-type]
        )
        assert found.delivered, found.detail
        assert found.seen_source == "10.0.1.77"


def test_hops_are_those_of_the_router(prober: NamespaceProber) -> None:
    assert prober.path("h1", "10.0.2.10", timeout_s=2.0) == [Hop(address="10.0.1.1"), Hop(address="10.0.2.10")]


def test_traffic_arrives_at_its_rate_and_what_is_denied_does_not(prober: NamespaceProber) -> None:
    flows = [
        Flow(source="h1", target="h2", rate_bps=800_000, dscp=46),
        Flow(source="h2", target="h1", rate_bps=400_000),
    ]
    there, back = prober.traffic(flows, ["10.0.2.10", "10.0.1.10"], duration_s=0.8)
    assert there.sent_packets > 20
    assert there.received_packets == pytest.approx(there.sent_packets, abs=3)
    assert there.received_bps == pytest.approx(there.sent_packets * 8000 / 0.6, rel=0.1)
    assert back.sent_packets > 10
    assert back.received_packets == 0


def test_what_passes_the_target_during_a_block_is_captured(prober: NamespaceProber) -> None:
    probe = Probe(source="h1", target="10.0.2.10", protocol="udp", port=4000, listen_on="h2", dscp=46, timeout_s=0.1)
    with prober.capturing("h2", "eth0") as captured:
        assert captured.pcap == b""
        prober.probe([probe], repetitions=0)
    lines = read(captured.pcap)
    assert [line for line in lines if "10.0.1.10" in line and "10.0.2.10.4000" in line and "tos 0xb8" in line]
    assert [line for line in lines if "10.0.2.10.4000 > 10.0.1.10" in line], "the answer, which the router drops"
    with prober.capturing("h2", "eth0", program=SILENT) as captured:
        prober.probe([probe], repetitions=0)
    assert read(captured.pcap) == []


def test_namespaces_are_given_by_process_and_by_descriptor_too(network: Network) -> None:
    inside = network.start("h1", "sh", "-c", "exec cat")
    descriptor = os.open(network.paths["h2"], os.O_RDONLY)
    here = {kind: Path(f"/proc/self/ns/{kind}").readlink() for kind in ("net", "user", "mnt")}
    try:
        assert eventually(lambda: Path(f"/proc/{inside.pid}/comm").read_text() == "cat\n")
        with NamespaceProber({"a": Namespace(pid=inside.pid), "b": Namespace(descriptor=descriptor)}) as prober:
            os.close(descriptor)
            assert prober.matrix(timeout_s=0.2)["a", "b"].delivered
    finally:
        inside.communicate()
        with contextlib.suppress(OSError):
            os.close(descriptor)
    assert here == {kind: Path(f"/proc/self/ns/{kind}").readlink() for kind in here}


def test_what_is_not_there_is_named_with_what_is(prober: NamespaceProber, network: Network) -> None:
    with pytest.raises(UsageError, match=r"^h1: there is no interface 'eth7' \(known: lo, eth0\)$"):
        NamespaceProber({"h1": Namespace(path=network.paths["h1"], interfaces=("eth7",))})
    with (
        pytest.raises(UsageError, match=r"^h1: there is no interface 'eth7' \(known: lo, eth0\)$"),
        prober.capturing("h1", "eth7"),
    ):
        pass
    with pytest.raises(LabError, match=r"^capture: Invalid argument$"), prober.capturing("h1", "eth0", program=INVALID):
        pass
    with pytest.raises(UsageError, match=r"^capture: unknown node 'h22' \(known: h1, h2, r\)\. Did you mean 'h2'\?$"):
        prober.capturing("h22", "eth0").__enter__()


def test_a_closed_prober_says_so_and_nothing_of_it_is_left(network: Network) -> None:
    path = network.paths["h1"]
    with NamespaceProber({"h1": Namespace(path=path)}) as prober:
        prober.probe([Probe(source="h1", target="10.0.1.10")])
    with pytest.raises(UsageError, match=r"^addresses: "):
        prober.addresses("h1")
    assert eventually(lambda: not processes_in(path.stat().st_ino))


def processes_in(namespace: int) -> list[str]:
    """Processes that are in a network namespace or have it open."""
    found = []
    for process in Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(OSError):
            places = [process / "ns/net", *(process / "fd").iterdir()]
            if any(str(place.readlink()) == f"net:[{namespace}]" for place in places):
                found.append(process.name)
    return found


def read(pcap: bytes) -> list[str]:
    done = subprocess.run(["tcpdump", "-nn", "-v", "-r", "-"], input=pcap, capture_output=True, check=True)
    return done.stdout.decode().replace("\n    ", " ").splitlines()
