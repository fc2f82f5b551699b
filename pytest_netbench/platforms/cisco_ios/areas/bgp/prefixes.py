"""The prefixes that a BGP process announces itself: networks, and aggregates, of which it learns none from others."""

from __future__ import annotations

from ipaddress import IPv4Network

from pytest_netbench.platforms.cisco_ios.areas.bgp import family_edits
from pytest_netbench.platforms.cisco_ios.areas.bgp.family_edits import enter_family
from pytest_netbench.platforms.cisco_ios.areas.bgp.peers import Instance, Peer
from pytest_netbench.platforms.cisco_ios.areas.common import igp
from pytest_netbench.platforms.cisco_ios.compile.context import Context
from pytest_netbench.platforms.cisco_ios.config.edit import Edit
from pytest_netbench.platforms.cisco_ios.config.tree import Entry
from pytest_netbench.platforms.cisco_ios.grammar.command import Match

DAEMON = "bgpd"
_OWN = "netbench-"
_IP = {"ipv4": "ip", "ipv6": "ipv6"}


def network_of(match: Match) -> IPv4Network:
    """Return the prefix of a ``network`` statement.

    Without a mask it is the class A, B or C network of the address.
    """
    if "mask" in match.args:
        return IPv4Network(f"{match['prefix']}/{match['mask']}", strict=False)
    return igp.classful(match["prefix"])


def prefix(entry: Entry) -> str:
    """Return the prefix of ``network`` or ``aggregate-address`` in CIDR notation."""
    return str(entry["prefix"]).lower() if ":" in entry["prefix"] else str(network_of(entry.match))


def remove_networks(edit: Edit, network: IPv4Network) -> None:
    """Remove the ``network`` statements of exactly this prefix."""
    enter_family(edit)
    for entry in edit.section.all("network"):
        if network_of(entry.match) == network:
            edit.section.remove(entry)


def aggregate(entry: Entry) -> tuple[str, str, str]:
    """Return (key, line, undo) of ``aggregate-address``."""
    of = prefix(entry)
    words = [f"aggregate-address {of}", *(w for w in ("as-set", "summary-only") if entry.has(w))]
    # a route map and an attribute map are the same thing: the last one counts
    words += [f"route-map {entry.many('map')[-1]}"] if "map" in entry.match.args else []
    # ``summary-only`` suppresses all that a suppress map could, and FRR does not accept both
    mapped = "suppress" in entry.match.args and not entry.has("summary-only")
    words += [f"suppress-map {entry['suppress']}"] if mapped else []
    return f"aggregate-address {of}", " ".join(words), f"no aggregate-address {of}"


def inbound_map(context: Context, instance: Instance, family: str, called: str | None) -> str | None:
    """Return a route map that refuses the aggregates of the router itself and then calls ``called``; else ``called``.

    FRR 8.4 does not create an aggregate while it has a route to the same prefix from a neighbor. IOS always creates it,
    and prefers it.
    """
    own = [prefix(entry) for entry in instance.families[family].all("aggregate-address")]
    if not own or (called is not None and not _is_defined(context, called)):
        return called
    name = "-".join(part for part in ("netbench-aggregates", instance.vrf, family) if part)
    for number, one in enumerate(own, start=1):
        line = f"{_IP[family]} prefix-list {name} seq {number} permit {one}"
        context.state.frr.add(DAEMON, line, undo=f"no {line}")
    refused = f"{_IP[family]} address prefix-list {name}"
    return igp.wrapped_map(context, DAEMON, f"{name}-{called}" if called else name, deny=[refused], call=called)


def by_global_hops(context: Context, instance: Instance, peer: Peer, family: str, called: str | None) -> str | None:
    """Return a route map that leads routes of an internal IPv6 neighbor by their global next hops; else ``called``.

    bgpd also tells an internal neighbor on the same link its link-local address, and would prefer it. IOS does not.
    """
    internal = family == "ipv6" and peer.remote_as == instance.local_as and ":" in peer.address
    if not internal or (called is not None and not called.startswith(_OWN) and not _is_defined(context, called)):
        return called
    name = f"{_OWN}global-{called}" if called else f"{_OWN}global"
    return igp.wrapped_map(context, DAEMON, name, set_=["ipv6 next-hop prefer-global"], call=called)


def _is_defined(context: Context, name: str) -> bool:
    return any(entry["map"] == name for entry, _ in context.config.sections("route-map"))


def check_network(_edit: Edit, match: Match) -> str | None:
    """Refuse a network without a mask that is of no class."""
    if "mask" in match.args:
        return None
    return (
        None
        if igp.classful(match["prefix"]).prefixlen < 32
        else "% BGP: Incorrect network or mask/prefix-length configured"
    )


def store_network(edit: Edit, match: Match) -> str | None:
    """Store a ``network`` statement as IOS prints it: without host bits, and without a classful mask."""
    network = network_of(match)
    if match.negated or match.reset:
        remove_networks(edit, network)
        return None
    words = [f"network {network.network_address}"]
    if igp.classful(str(network.network_address)) != network:
        words.append(f"mask {network.netmask}")
    return family_edits.rewritten(edit, match, words, drop=3 if "mask" in match.args else 1)


def store_aggregate(edit: Edit, match: Match) -> str | None:
    """Store an aggregate without host bits."""
    network = IPv4Network(f"{match['prefix']}/{match['mask']}", strict=False)
    return family_edits.rewritten(
        edit, match, [f"aggregate-address {network.network_address} {network.netmask}"], drop=2
    )
