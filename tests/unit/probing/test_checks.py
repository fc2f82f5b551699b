"""Probes and flows that cannot be sent: refused with the field, and with what was expected."""

from __future__ import annotations

import inspect
from typing import Any

import pytest

from pytest_netbench.errors import UsageError
from pytest_netbench.lab.probing import Prober
from pytest_netbench.model.testcase import Flow as ModelFlow
from pytest_netbench.probing.checks import check_flow, check_probe
from pytest_netbench.probing.prober import _FLOW_FIELDS, NamespaceProber
from pytest_netbench.probing.records import Flow, Probe

KNOWN = ("h1", "h2", "r")


@pytest.mark.parametrize(
    ("fields", "words"),
    [
        ({"source": "h9"}, "probe 1: unknown node 'h9' (known: h1, h2, r)."),
        ({"listen_on": "h22", "protocol": "udp"}, "unknown node 'h22' (known: h1, h2, r). Did you mean 'h2'?"),
        ({"arrives_at": ("h2", "x")}, "unknown node 'x'"),
        ({"stand_in": "x"}, "unknown node 'x'"),
        ({"follow": ("x",)}, "unknown node 'x'"),
        (
            {"protocol": "sctp"},
            "probe 1: unknown protocol 'sctp' (known: icmp, tcp, udp, gre, esp, segment, unreachable)",
        ),
        ({"target": "h2"}, "probe 1: target 'h2' is no IP address"),
        ({"source_address": "10.0.0"}, "probe 1: source_address '10.0.0' is no IP address"),
        ({"source_address": "2001:db8::1"}, "probe 1: source_address and target are of different versions of IP"),
        ({"port": 0}, "probe 1: port is 0, expected 1 to 65535"),
        ({"source_port": 65536}, "probe 1: source_port is 65536, expected 1 to 65535"),
        ({"listen_port": -1}, "probe 1: listen_port is -1, expected 1 to 65535"),
        ({"dscp": 64}, "probe 1: dscp is 64, expected 0 to 63"),
        ({"timeout_s": 0}, "probe 1: timeout_s is 0, expected more than 0 s"),
    ],
)
def test_a_probe_that_cannot_be_sent_is_refused(fields: dict[str, Any], words: str) -> None:
    with pytest.raises(UsageError) as caught:
        check_probe("probe 1", Probe(**{"source": "h1", "target": "10.0.2.10", **fields}), KNOWN)
    assert words in str(caught.value)


@pytest.mark.parametrize(
    ("fields", "target", "words"),
    [
        ({"source": "h9"}, "10.0.2.10", "flow 1: unknown node 'h9'"),
        ({"target": "h9"}, "10.0.2.10", "flow 1: unknown node 'h9'"),
        ({}, "h2", "flow 1: target address 'h2' is no IP address"),
        ({"rate_bps": 0}, "10.0.2.10", "flow 1: rate_bps is 0, expected more than 0 bit/s"),
        ({"packet_bytes": 63}, "10.0.2.10", "flow 1: packet_bytes is 63, expected 64 to 1400"),
        ({"port": 70_000}, "10.0.2.10", "flow 1: port is 70000, expected 1 to 65535"),
        ({"dscp": -1}, "10.0.2.10", "flow 1: dscp is -1, expected 0 to 63"),
    ],
)
def test_a_flow_that_cannot_be_sent_is_refused(fields: dict[str, Any], target: str, words: str) -> None:
    with pytest.raises(UsageError) as caught:
        check_flow("flow 1", Flow(**{"source": "h1", "target": "h2", "rate_bps": 1000, **fields}), target, KNOWN)
    assert words in str(caught.value)


def test_what_can_be_sent_passes() -> None:
    for protocol in ("tcp", "udp"):
        check_probe("p", Probe(source="h1", target="10.0.2.10", protocol=protocol, port=65535, listen_on="h2"), KNOWN)  # type: ignore[arg-type]
    check_probe("p", Probe(source="h1", target="2001:db8::1", source_address="2001:db8::2", dscp=63), KNOWN)
    check_flow("f", Flow(source="h1", target="h2", rate_bps=1, packet_bytes=1400), "2001:db8::1", KNOWN)


def test_a_flow_of_a_testcase_can_be_offered_too() -> None:
    given = ModelFlow.model_validate({"from": "h1", "to": "h2", "rate_bps": 1000})
    check_flow("f", given, "10.0.2.10", KNOWN)
    mine = Flow(source="h1", target="h2", rate_bps=1000)
    assert {field: getattr(mine, field) for field in _FLOW_FIELDS} == given.model_dump()


@pytest.mark.parametrize("method", ["probe", "path", "traffic", "addresses"])
def test_it_has_the_methods_of_a_labs_prober(method: str) -> None:
    def parameters(of: Any) -> list[tuple[str, Any, Any]]:
        found = inspect.signature(getattr(of, method)).parameters.values()
        return [(one.name, one.kind, one.default) for one in found]

    assert parameters(NamespaceProber) == parameters(Prober)
