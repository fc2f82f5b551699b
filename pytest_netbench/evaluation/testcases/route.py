"""``route``: a route is, or is not, installed in a device's forwarding table."""

from __future__ import annotations

import ipaddress
from typing import Final

from pytest_netbench.evaluation.observation import BadTestcase, Observation, View, is_address
from pytest_netbench.evaluation.testcases.kind import Kind
from pytest_netbench.model.testcase import RouteTestcase
from pytest_netbench.platforms.driver import Route


def expected(testcase: RouteTestcase) -> str:
    """The condition, for people."""
    words = [testcase.prefix]
    if testcase.protocol is not None:
        words.append(testcase.protocol)
    if testcase.next_hops is not None:
        words.append(f"via {' and '.join(testcase.next_hops) or 'no next hop'}")
    if testcase.metric is not None:
        words.append(f"metric {testcase.metric}")
    if testcase.distance is not None:
        words.append(f"distance {testcase.distance}")
    return f"{' '.join(words)}: {'installed' if testcase.present else 'not installed'} on {testcase.device}"


def observe(testcase: RouteTestcase, view: View) -> Observation:
    """Read the routes to the prefix and compare the fields that the testcase gives."""
    try:
        ipaddress.ip_network(testcase.prefix)
    except ValueError as error:
        raise BadTestcase(f"prefix {testcase.prefix!r} is not a network: {error}") from None
    routes = view.routes(testcase.device, testcase.prefix)
    return Observation(
        holds=any(_matches(testcase, route) for route in routes) == testcase.present,
        command=f"{testcase.device}: routes to {testcase.prefix}",
        actual="; ".join(_words(route) for route in routes) or f"no route to {testcase.prefix} installed",
    )


def _matches(testcase: RouteTestcase, route: Route) -> bool:
    if testcase.protocol is not None and testcase.protocol.lower() != route.protocol.lower():
        return False
    if testcase.metric is not None and testcase.metric != route.metric:
        return False
    if testcase.distance is not None and testcase.distance != route.distance:
        return False
    return testcase.next_hops is None or _leads_via(testcase.next_hops, route)


def _leads_via(wanted: tuple[str, ...], route: Route) -> bool:
    """Addresses exactly; interface names, if any are wanted, exactly too."""
    addresses = {ipaddress.ip_address(hop) for hop in wanted if is_address(hop)}
    interfaces = {hop for hop in wanted if not is_address(hop)}
    actual = {ipaddress.ip_address(hop) for hop in route.next_hops}
    return addresses == actual and (not interfaces or interfaces == set(route.interfaces))


def _words(route: Route) -> str:
    words = [route.prefix, route.protocol]
    if route.next_hops:
        words.append(f"via {' and '.join(route.next_hops)}")
    if route.interfaces:
        words.append(f"dev {' and '.join(route.interfaces)}")
    if route.metric is not None:
        words.append(f"metric {route.metric}")
    if route.distance is not None:
        words.append(f"distance {route.distance}")
    return " ".join(words)


KIND: Final = Kind(observe=observe, expected=expected, absent=lambda testcase: not testcase.present)
