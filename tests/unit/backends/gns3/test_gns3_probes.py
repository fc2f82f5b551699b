"""What a VPCS prints for a packet, and what it cannot be asked. The texts are those of VPCS 0.5b2."""

from __future__ import annotations

import pytest

from pytest_netbench.backends.gns3.prober import VpcsProber, result_of
from pytest_netbench.errors import RequirementMissing
from pytest_netbench.lab.probing import Probe, Samples


@pytest.mark.parametrize(
    ("text", "protocol", "expected"),
    [
        ("10.0.0.1 icmp_seq=1 ttl=64 time=0.185 ms\n", "icmp", (True, True, True, "echo reply after 0.2 ms")),
        ("10.0.0.1 udp_seq=1 ttl=64 time=0.594 ms\n", "udp", (True, True, True, "answered after 0.6 ms")),
        (
            "Connect   80@10.0.0.2 seq=1 ttl=64 time=1.143 ms\nSendData  80@10.0.0.2 seq=1 ttl=64 time=1.069 ms\n",
            "tcp",
            (True, True, True, "connected after 1.1 ms"),
        ),
        ("Connect   80@10.0.0.2 RST returned\n", "tcp", (False, True, True, "refused")),
        ("Connect   80@10.0.0.2 timeout\n", "tcp", (False, False, True, "no answer in 0.5 s")),
        ("10.0.0.9 icmp_seq=1 timeout\n", "icmp", (False, False, True, "no answer in 0.5 s")),
        ("host (10.0.0.9) not reachable\n", "icmp", (False, False, False, "host unreachable")),
        ("No gateway found\n", "icmp", (False, False, False, "no route")),
        (
            "*10.0.0.254 icmp_seq=1 ttl=64 time=0.403 ms (ICMP type:3, code:1, Destination host unreachable)\n",
            "icmp",
            (False, True, True, "destination host unreachable (from 10.0.0.254)"),
        ),
        (
            "*10.0.0.1 udp_seq=1 ttl=64 time=0.4 ms (ICMP type:3, code:3, Destination port unreachable)\n",
            "udp",
            (False, True, True, "refused"),
        ),
    ],
)
def test_what_is_printed_is_understood(text: str, protocol: str, expected: tuple[bool, bool, bool, str]) -> None:
    result = result_of(text, Probe(source="h1", target="10.0.0.1", protocol=protocol))  # type: ignore[arg-type]
    assert (result.delivered, result.answered, result.sent, result.detail) == expected
    assert result.arrived is None


@pytest.mark.parametrize(
    ("probe", "why"),
    [
        (Probe(source="R1", target="10.0.0.1"), "R1 sends no probes"),
        (Probe(source="h1", target="10.0.0.1", protocol="gre"), "no packets of gre"),
        (Probe(source="h1", target="2001:db8::1"), "IPv4 only"),
        (Probe(source="h1", target="10.0.0.1", dscp=46), "marks no packets"),
        (Probe(source="h1", target="10.0.0.1", protocol="tcp", listen_on="R1"), "nobody listens on R1"),
        (Probe(source="h1", target="10.0.0.1", protocol="tcp", listen_on="h2", port=80), None),
    ],
)
def test_what_cannot_be_measured_is_said_and_not_tried(probe: Probe, why: str | None) -> None:
    prober = VpcsProber({"h1": None, "h2": None}, {"R1": None})  # type: ignore[dict-item]
    assert isinstance(prober, Samples)
    said = prober.beyond(probe)
    assert (why is None and said is None) or (why is not None and said is not None and why in said)
    if why is not None:
        with pytest.raises(RequirementMissing, match=f"from {probe.source} to {probe.target} cannot be measured: "):
            prober.probe([probe])
