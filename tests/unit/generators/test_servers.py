"""Servers of drawn networks, on paper."""

from __future__ import annotations

from collections import Counter
from typing import Any

import pytest
from pydantic import ValidationError

from pytest_netbench.errors import UsageError
from pytest_netbench.generators.default_faults import DIAGNOSED, SERVED
from pytest_netbench.generators.diagnose import DiagnoseGenerator
from pytest_netbench.generators.diagnose_parameters import DiagnoseParameters
from pytest_netbench.generators.networks import DrawnNetwork, NetworkParameters, draw_network
from pytest_netbench.generators.networks.services import SERVICES
from pytest_netbench.generators.networks.shapes import SHAPES
from pytest_netbench.generators.series import read_series
from pytest_netbench.model.diagnosis import Diagnose, diagnose_of
from pytest_netbench.model.hosting import DnsServer, Resolver, WebServer
from pytest_netbench.model.task import Task

SERVED_SHAPES = [name for name, shape in SHAPES.items() if SERVICES["dns"].fits(name, shape.platforms[0])]


def drawn(*services: str, **parameters: Any) -> DrawnNetwork:
    return draw_network(NetworkParameters.model_validate({"services": services, **parameters}))


def of_kind(network: DrawnNetwork, kind: type[Any]) -> dict[str, Any]:
    return {node.name: one for node in network.topology.nodes for one in node.services if isinstance(one, kind)}


@pytest.mark.parametrize("shape", SERVED_SHAPES)
@pytest.mark.parametrize("names", ["plain", "drawn"])
def test_one_host_has_all_names_and_every_own_host_asks_it(shape: str, names: str) -> None:
    network = drawn("dns", "web", shape=shape, names=names)
    own = {name for name in network.hosts if network.topology.controls[name] != "foreign"}
    ((server, dns),) = of_kind(network, DnsServer).items()
    resolvers = of_kind(network, Resolver)
    assert dns.records == {host: network.addresses[host] for host in network.hosts}
    assert set(resolvers) == own
    assert {one.server for one in resolvers.values()} == {network.addresses[server]}
    assert {one.domain for one in resolvers.values()} == {dns.domain}
    assert server in own
    pages = set(of_kind(network, WebServer))
    assert pages
    assert pages <= own - {server}


def test_large_networks_have_several_web_servers() -> None:
    network = drawn("web", shape="isp", sizes={"routers": 12})
    assert len(of_kind(network, WebServer)) == 3


def test_any_host_may_be_a_server() -> None:
    counts = Counter(name for seed in range(400) for name in of_kind(drawn("dns", shape="star", seed=seed), DnsServer))
    assert len(counts) == 4
    assert min(counts.values()) > 60


def test_servers_change_nothing_else_of_a_network() -> None:
    for shape in SERVED_SHAPES:
        plain, served = drawn(shape=shape), drawn("dns", "web", shape=shape)
        bare = [node.model_copy(update={"services": ()}) for node in served.topology.nodes]
        assert tuple(bare) == plain.topology.nodes
        assert served.startup_configs == plain.startup_configs
        assert "services" not in str(plain.topology.model_dump(mode="json"))


def test_a_network_of_one_host_has_no_servers() -> None:
    with pytest.raises(UsageError, match="service 'dns' needs two hosts"):
        drawn("dns", shape="star", sizes={"subnets": 1, "hosts": 1})


def test_a_view_of_the_topology_says_who_serves_what() -> None:
    network = drawn("dns", "web", shape="line")
    ((dns, _),), ((web, _),) = of_kind(network, DnsServer).items(), of_kind(network, WebServer).items()
    assert network.topology.wire()["services"] == {
        node.name: ("dns",) if node.name == dns else ("web",)
        for node in network.topology.nodes
        if node.name in {dns, web}
    }
    assert "services" not in network.topology.wire((network.routers[0],))
    assert "services" not in drawn(shape="line").topology.wire()


# ---- tasks ----


def task(**parameters: Any) -> Task:
    given = {"shapes": ("line",), "services": ("dns", "web"), "size": "1", "level": "1", "healthy": 0.0, **parameters}
    return DiagnoseGenerator().draw(DiagnoseParameters.model_validate(given), seed=1, index=0)


def told(one: Task) -> str:
    from pytest_netbench.families.diagnose import DiagnoseFamily

    return "\n".join(DiagnoseFamily().brief(one).intents)


@pytest.mark.parametrize("name", SERVED)
def test_a_task_with_a_fault_of_a_server_survives_json_with_its_digest(name: str) -> None:
    one = task(faults=(name,), level="1")
    assert [fault.fault for fault in diagnose_of(one).faults] == [name]
    assert Task.model_validate(one.model_dump(mode="json")).digest == one.digest


def test_faults_of_servers_are_drawn_if_their_services_are_chosen() -> None:
    of = {words: set(read_series(f"diagnose:{words}n=1").parameters.faults) for words in ("", "services=dns,")}
    assert of[""] == set(DIAGNOSED)
    assert of["services=dns,"] - of[""] == {
        name for name in SERVED if name.startswith(("dns", "host-resolver", "host-cpu"))
    }
    both = read_series("diagnose:services=dns+web+nat,n=1").parameters
    assert both.faults == (*DIAGNOSED, *SERVED)
    assert set(read_series("diagnose:services=dns,faults=link-down,n=1").parameters.faults) == {"link-down"}
    assert {*read_series("troubleshoot:services=dns+web,n=1").parameters.faults} & {*SERVED} == {"http-denied"}
    assert not {*read_series("troubleshoot:services=dns,n=1").parameters.faults} & {*SERVED}


def test_the_brief_says_what_the_servers_do_and_is_the_same_for_a_healthy_network() -> None:
    one = task(faults=("dns-record-wrong", "web-server-down"))
    text = told(one)
    payload = diagnose_of(one)
    assert told(task(faults=("dns-record-wrong", "web-server-down"), healthy=1.0)) == text
    for node in payload.topology.nodes:
        for service in node.services:
            if isinstance(service, DnsServer):
                assert f"- DNS on {node.name} ({service.records[node.name]}): the names of all hosts in" in text
            if isinstance(service, WebServer):
                assert f"http://{node.name}.corp.example/ is a page of {service.page_bytes} bytes." in text
    assert "These services work" not in told(task(services=(), faults=("link-down",)))


def test_methods_that_ask_services_are_offered_where_there_are_services() -> None:
    from pytest_netbench.families.diagnose import DiagnoseFamily

    def offered(one: Task) -> set[str]:
        return {method.name for method in DiagnoseFamily().brief(one).methods}

    served, plain = task(faults=("web-server-down",)), task(services=(), faults=("link-down",))
    assert offered(served) - offered(plain) == {"http-get", "lookup-name"}
    assert offered(served) <= {*DiagnoseFamily.methods}


@pytest.mark.parametrize(
    ("services", "problem"),
    [
        ([{"kind": "web"}, {"kind": "web"}], "has two services of kind 'web'"),
        ([{"kind": "mail"}], "services"),
        ([{"kind": "resolver", "server": "h1", "domain": "corp.example"}], "server"),
        ([{"kind": "dns", "domain": "corp.example", "records": {"a\nb": "10.0.0.1"}}], "records"),
    ],
)
def test_services_that_do_not_fit_are_refused(services: list[dict[str, Any]], problem: str) -> None:
    fields = diagnose_of(task(faults=("web-server-down",))).model_dump(mode="json", by_alias=True)
    for node in fields["topology"]["nodes"]:
        if node.get("services"):
            node["services"] = services
    with pytest.raises(ValidationError, match=problem):
        Diagnose.model_validate(fields)


def test_routers_have_no_services() -> None:
    fields = diagnose_of(task(faults=("web-server-down",))).model_dump(mode="json", by_alias=True)
    router = fields["topology"]["nodes"][0]
    router["services"] = [{"kind": "web"}]
    with pytest.raises(ValidationError, match=f"node '{router['name']}' of platform .* cannot have services"):
        Diagnose.model_validate(fields)
