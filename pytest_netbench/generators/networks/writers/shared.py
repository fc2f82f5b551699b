"""Lines that FRR and IOS have in common: prefix lists, route maps, and the policy of a BGP neighbor."""

from __future__ import annotations

from collections.abc import Iterator

from pytest_netbench.generators.networks.processes import Neighbor, Policy


def settings(one: Neighbor) -> Iterator[str]:
    """What follows ``neighbor ADDRESS`` in an address family."""
    if one.next_hop_self:
        yield "next-hop-self"
    if one.is_client:
        yield "route-reflector-client"
    if one.keeps_received:
        yield "soft-reconfiguration inbound"
    if one.inbound is not None:
        yield f"route-map {one.inbound} in"
    if one.outbound is not None:
        yield f"route-map {one.outbound} out"


def policy_lines(policy: Policy) -> Iterator[str]:
    """A route map and the prefix list that it matches."""
    for number, prefix in enumerate(policy.prefixes, start=1):
        yield f"ip prefix-list {policy.name} seq {5 * number} permit {prefix}"
    if policy.deny_invalid:
        yield f"route-map {policy.name} deny 5"
        yield " match rpki invalid"
        yield "exit"
    yield f"route-map {policy.name} permit 10"
    if policy.prefixes:
        yield f" match ip address prefix-list {policy.name}"
    if policy.local_preference is not None:
        yield f" set local-preference {policy.local_preference}"
    if policy.prepend:
        yield f" set as-path prepend {' '.join(map(str, policy.prepend))}"
