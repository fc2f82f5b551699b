"""Load balancers of drawn networks, on paper."""

from __future__ import annotations

from collections import Counter
from typing import Any

import pytest

from pytest_netbench.errors import UsageError
from pytest_netbench.families.diagnose import DiagnoseFamily
from pytest_netbench.families.diagnose.uses import uses_of
from pytest_netbench.generators.diagnose import DiagnoseGenerator
from pytest_netbench.generators.diagnose_parameters import DiagnoseParameters
from pytest_netbench.generators.networks import DrawnNetwork, NetworkParameters, draw_network
from pytest_netbench.generators.networks.services import SERVICES
from pytest_netbench.generators.networks.shapes import SHAPES
from pytest_netbench.generators.series import read_series
from pytest_netbench.model.diagnosis import diagnose_of
from pytest_netbench.model.faulty import fault_of
from pytest_netbench.model.hosting import DnsServer, LoadBalancer, WebServer
from pytest_netbench.model.task import Task

BALANCED_SHAPES = [name for name, shape in SHAPES.items() if SERVICES["lb"].fits(name, shape.platforms[0])]


def drawn(*services: str, **parameters: Any) -> DrawnNetwork:
    given = {"services": services, "sizes": {"hosts": 2}, **parameters}
    return draw_network(NetworkParameters.model_validate(given))


def of_kind(network: DrawnNetwork, kind: type[Any]) -> dict[str, Any]:
    return {node.name: one for node in network.topology.nodes for one in node.services if isinstance(one, kind)}


@pytest.mark.parametrize("shape", BALANCED_SHAPES)
@pytest.mark.parametrize("names", ["plain", "drawn"])
def test_one_host_balances_all_web_servers_under_a_name(shape: str, names: str) -> None:
    network = drawn("dns", "web", "lb", shape=shape, names=names)
    ((host, balancer),) = of_kind(network, LoadBalancer).items()
    ((dns, zone),) = of_kind(network, DnsServer).items()
    pages = of_kind(network, WebServer)
    assert len(pages) >= 2
    assert balancer.servers == {name: f"{network.addresses[name]}:80" for name in pages}
    assert host not in {*pages, dns}
    assert dns not in pages
    assert len({page.page_bytes for page in pages.values()}) == 1, "no size tells which server answered"
    assert balancer.name == f"www.{zone.domain}"
    assert zone.records["www"] == network.addresses[host]
    assert network.topology.controls[host] != "foreign"


def test_any_host_may_be_the_load_balancer() -> None:
    counts = Counter(
        name for seed in range(400) for name in of_kind(drawn("web", "lb", shape="star", seed=seed), LoadBalancer)
    )
    assert len(counts) == 4
    assert min(counts.values()) > 60


def test_a_load_balancer_without_dns_has_no_name() -> None:
    (balancer,) = of_kind(drawn("web", "lb", shape="line"), LoadBalancer).values()
    assert balancer.name is None


def test_it_shares_a_host_with_the_dns_server_only_if_no_other_is_left() -> None:
    network = drawn("dns", "web", "lb", shape="line", sizes={"routers": 3, "hosts": 1})
    assert set(of_kind(network, LoadBalancer)) == set(of_kind(network, DnsServer))
    assert len(of_kind(network, WebServer)) == 2


def test_networks_that_are_too_small_or_have_no_web_are_refused() -> None:
    with pytest.raises(UsageError, match="service 'lb' needs three hosts"):
        drawn("web", "lb", shape="line", sizes={"routers": 2, "hosts": 1})
    with pytest.raises(UsageError, match="service 'lb' needs the service 'web'"):
        drawn("dns", "lb", shape="line")
    with pytest.raises(UsageError, match=r"services=lb needs services=web\+lb"):
        read_series("diagnose:services=lb,n=1")


def test_with_it_the_other_services_are_where_they_were() -> None:
    without, balanced = (drawn("dns", "web", *more, shape="isp", sizes={"routers": 12}) for more in ((), ("lb",)))
    assert set(of_kind(without, DnsServer)) == set(of_kind(balanced, DnsServer))
    assert set(of_kind(without, WebServer)) == set(of_kind(balanced, WebServer))
    assert without.startup_configs == balanced.startup_configs


# ---- tasks ----


def task(**parameters: Any) -> Task:
    given = {"shapes": ("line",), "services": ("dns", "web", "lb"), "size": "1", "healthy": 1.0, **parameters}
    return DiagnoseGenerator().draw(DiagnoseParameters.model_validate(given), seed=1, index=0)


def test_hosts_are_enough_for_it() -> None:
    assert read_series("diagnose:services=web+lb,n=1").parameters.hosts.low == 2
    assert read_series("diagnose:services=dns+web+lb+dhcp,n=1").parameters.hosts.low == 3
    assert read_series("diagnose:services=web+lb,hosts=4,n=1").parameters.hosts.low == 4


def test_each_host_asks_it_and_the_brief_says_so() -> None:
    one = task()
    payload = diagnose_of(one)
    uses = uses_of(payload)
    (page,) = (page for page in uses.pages if page.servers)
    assert uses.count == len(uses.clients) * (1 + len(page.servers)) + len(uses.clients) + 1, "with its name"
    said = f"- HTTP on {page.node} ({page.address}), a load balancer of {', '.join(page.servers)}: {page.url} is a page"
    assert said in "\n".join(DiagnoseFamily().brief(one).intents)
    assert page.url == "http://www.corp.example/"
    assert payload.topology.wire()["services"][page.node] == ("lb",)
    assert Task.model_validate(one.model_dump(mode="json")).digest == one.digest


@pytest.mark.parametrize("seed", range(6))
def test_a_wrong_record_of_it_is_wrong(seed: int) -> None:

    network = drawn("dns", "web", "lb", shape="star", seed=seed, managed_hosts=True)
    places = list(fault_of("dns-record-wrong").places(network))
    assert all(one.instead != one.address for one in places)
    assert [one.name for one in places].count("www.corp.example") == 2
