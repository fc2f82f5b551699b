"""NetworkPolicies with ports of SCTP, by real packets: the kernel of this machine may have no SCTP."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest

from pytest_netbench.platforms.capabilities import CLUSTER, EXEC
from tests.integration.clusters import SPACE
from tests.support import sctp

PORTS = (3867, 3868, 5000, 5005, 5010, 5011)


@pytest.fixture(scope="module")
def lab(shop: Any) -> Any:
    shop.capability(CLUSTER).renews(["NetworkPolicy"])
    return shop


def arriving(lab: Any) -> set[int]:
    """At which of ``PORTS`` of ``store`` packets of ``front`` arrive."""
    source, target = (lab.prober.addresses(name)[0] for name in ("front", "store"))
    packets = [sctp.init(40_000 + number, port).hex() for number, port in enumerate(PORTS)]
    with ThreadPoolExecutor(1) as pool:
        received = pool.submit(lab.nodes["store"].capability(EXEC).run, ["python3", "-c", sctp.RECEIVE])
        sent = lab.nodes["front"].capability(EXEC).run(["python3", "-c", sctp.SEND, target, *packets])
    assert sent.returncode == received.result().returncode == 0, (sent.stderr, received.result().stderr)
    found = [line.split() for line in received.result().stdout.splitlines()]
    assert {sender for sender, _ in found} <= {source}
    return {sctp.target_of(bytes.fromhex(packet)) for _, packet in found}


def admitted(lab: Any, *ports: dict[str, Any]) -> set[int]:
    """The same while a policy of ``store`` admits these ports only."""
    cluster = lab.capability(CLUSTER)
    spec = {
        "podSelector": {"matchLabels": {"app": "store"}},
        "policyTypes": ["Ingress"],
        "ingress": [{"ports": list(ports)}] if ports else [],
    }
    metadata = {"name": "store", "namespace": SPACE}
    cluster.create({"apiVersion": "networking.k8s.io/v1", "kind": "NetworkPolicy", "metadata": metadata, "spec": spec})
    try:
        return arriving(lab)
    finally:
        cluster.delete("NetworkPolicy", SPACE, "store")


def test_packets_are_valid_and_arrive_without_a_policy(lab: Any) -> None:
    assert sctp.crc32c(b"123456789") == 0xE3069283
    assert arriving(lab) == {*PORTS}


def test_a_port_of_sctp_is_admitted_and_no_other_one(lab: Any) -> None:
    assert admitted(lab, {"protocol": "SCTP", "port": 3868}) == {3868}


def test_ports_of_tcp_and_udp_admit_no_sctp(lab: Any) -> None:
    assert admitted(lab) == set()
    assert admitted(lab, {"protocol": "TCP", "port": 3868}, {"protocol": "UDP", "port": 5005}) == set()


def test_a_range_of_ports_of_sctp_is_admitted_with_both_its_ends(lab: Any) -> None:
    assert admitted(lab, {"protocol": "SCTP", "port": 5000, "endPort": 5010}) == {5000, 5005, 5010}
