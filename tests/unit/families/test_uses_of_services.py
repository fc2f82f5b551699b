"""Which requests are made of the servers of a network."""

from __future__ import annotations

import json
from typing import Any

import pytest

from pytest_netbench.families.diagnose.serving import SLOW_S, Serving
from pytest_netbench.families.diagnose.uses import uses_of
from pytest_netbench.faults.servers import NOTICED_MS, STOPPED_S
from pytest_netbench.generators.networks import NetworkParameters, draw_network, flow_groups
from pytest_netbench.model.diagnosis import Diagnose
from pytest_netbench.platforms.access import Completed
from pytest_netbench.platforms.capabilities import EXEC


def payload(*services: str, shape: str = "dual-homed-isp", **more: Any) -> Diagnose:
    network = draw_network(NetworkParameters.model_validate({"shape": shape, "services": services, **more}))
    fields = {**network.fields(), "flows": flow_groups(network), "fault_types": ("link-down",)}
    return Diagnose.model_validate(fields)


def test_each_host_of_the_network_gets_each_page_by_name_and_hosts_of_others_do_not() -> None:
    uses = uses_of(payload("dns", "web"))
    assert uses.dns is not None
    assert set(uses.clients) == {"h1x1", "h2x1"}
    assert set(uses.dns.records) == {f"{name}.corp.example" for name in ("h1x1", "h2x1", "server1")}
    assert [page.url for page in uses.pages] == [f"http://{page.node}.corp.example/" for page in uses.pages]
    assert uses.count == 2 * len(uses.pages) + 3


def test_pages_are_got_by_address_without_names() -> None:
    uses = uses_of(payload("web"))
    assert uses.dns is None
    assert [page.url for page in uses.pages] == [f"http://{page.address}/" for page in uses.pages]
    assert set(uses.clients) == {"h1x1", "h2x1"}


def test_a_network_without_servers_has_no_requests() -> None:
    uses = uses_of(payload())
    assert (uses.clients, uses.count) == ((), 0)


def test_a_slow_server_takes_longer_than_a_request_may() -> None:
    assert SLOW_S * 1000 <= NOTICED_MS < STOPPED_S * 1000


class Names:
    """A host that answers each lookup from records, after some time."""

    name = "h"

    def __init__(self, records: dict[str, str], took_ms: float) -> None:
        self.asked: list[str] = []
        self._records = records
        self._took_ms = took_ms

    def capability(self, kind: Any) -> Any:
        return kind.of({EXEC.name: self}, owner="this machine")

    def run(self, argv: list[str], *, input: str | None = None, timeout_s: float = 30.0) -> Completed:
        names = argv[6:]
        self.asked += names
        found = [
            {
                "name": name,
                "server": "10.0.1.10",
                "status": "NOERROR",
                "addresses": [self._records[name]],
                "time_ms": self._took_ms,
                "error": None,
            }
            for name in names
        ]
        return Completed(stdout=json.dumps(found), stderr="", returncode=0)


class Lab:
    """The hosts of a network."""

    def __init__(self, nodes: dict[str, Names]) -> None:
        self.nodes = nodes


@pytest.mark.parametrize(("took_ms", "is_late"), [(3.0, False), (1500.0, True)])
def test_names_are_shared_out_among_hosts_and_a_wrong_or_late_one_fails(took_ms: float, is_late: bool) -> None:
    one = payload("dns", shape="star")
    dns = uses_of(one).dns
    assert dns is not None
    lab = Lab({name: Names(dict(dns.records), took_ms) for name in uses_of(one).clients})
    failures = Serving(lab, one).failures()  # type: ignore[arg-type]
    assert len(failures) == (len(dns.records) if is_late else 0)
    asked = [name for host in lab.nodes.values() for name in dict.fromkeys(host.asked)]
    assert sorted(asked) == sorted(dns.records)
    wrong = {**dns.records, asked[0]: "10.9.9.9"}
    lab = Lab({name: Names(wrong, 3.0) for name in lab.nodes})
    (failure,) = Serving(lab, one).failures()  # type: ignore[arg-type]
    assert failure.endswith(f"{asked[0]}: NOERROR 10.9.9.9")
