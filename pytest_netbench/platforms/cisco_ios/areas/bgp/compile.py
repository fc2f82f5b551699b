"""Compile ``router bgp`` for bgpd. Peer groups are resolved here; FRR is configured with neighbors only."""

from __future__ import annotations

from collections.abc import Iterator

from pytest_netbench.platforms.cisco_ios.areas.bgp import prefixes, redistribution
from pytest_netbench.platforms.cisco_ios.areas.bgp.neighbors import hold_time, is_secured, routes, session
from pytest_netbench.platforms.cisco_ios.areas.bgp.peers import Instance, Peer, Settings, instances
from pytest_netbench.platforms.cisco_ios.areas.bgp.prefixes import DAEMON
from pytest_netbench.platforms.cisco_ios.areas.common import igp
from pytest_netbench.platforms.cisco_ios.areas.common.numbers import as_number
from pytest_netbench.platforms.cisco_ios.compile.context import Context
from pytest_netbench.platforms.cisco_ios.config.tree import Entry, Section

_ZEBRA = "zebra"
_LIST = "netbench-no-default-route"
_PORT = 179
_PRIORITY = 32000
"""Of the kernel's rules: after those of policy routing, before the main table."""


def compile_vrf(context: Context, vrf: str) -> None:
    """Let paths use the default route of a VRF, but no static route and no session that this router opens."""
    path = (f"vrf {vrf}",) if vrf else ()
    for ip, every, six in (("ip", "0.0.0.0/0", ""), ("ipv6", "::/0", "-6 ")):
        entry = f"{ip} prefix-list {_LIST} seq 5 permit {every} ge 1"
        context.state.frr.add(_ZEBRA, entry, undo=f"no {entry}")
        opening = f"route-map {_LIST}-{ip} permit 10"
        context.state.frr.add(_ZEBRA, opening)
        context.state.frr.add(_ZEBRA, opening, f"match {ip} address prefix-list {_LIST}")
        context.state.frr.add(_ZEBRA, *path, f"{ip} nht static route-map {_LIST}-{ip}", undo=f"no {ip} nht static")
        context.state.frr.add(_ZEBRA, *path, f"{ip} nht resolve-via-default")
        opened = f"iif lo ipproto tcp dport {_PORT}"
        context.state.rules_of(vrf).extend(
            (
                f"{six}priority {_PRIORITY} {opened} lookup main suppress_prefixlength 0",
                f"{six}priority {_PRIORITY + 1} {opened} unreachable",
            )
        )


# defaults of IOS that differ from FRR's
_WAYS = (
    "no bgp ebgp-requires-policy",
    "no bgp default ipv4-unicast",
    "bgp network import-check",
    "bgp log-neighbor-changes",
    # else bgpd withdraws a route that is back before its withdrawal was sent (FRR pull request 20325)
    "no bgp suppress-duplicates",
)
_SWITCHES = (
    "bgp always-compare-med",
    "bgp deterministic-med",
    "bgp bestpath as-path ignore",
    "bgp bestpath as-path multipath-relax",
    "bgp bestpath compare-routerid",
    "bgp graceful-restart",
)
_LISTS = {"distribute-list": "neighbor distribute-list", "distribute-list prefix": "neighbor prefix-list"}
_VALUES = (("bgp default local-preference", "preference"), ("bgp cluster-id", "id"))


def compile_bgp(context: Context) -> None:
    """Add every BGP instance that the config defines."""
    if not context.config.has("router bgp"):
        return
    context.state.frr.add(DAEMON, "bgp route-map delay-timer 1", undo="no bgp route-map delay-timer")
    for instance in instances(context.config):
        _instance(context, instance)


def _instance(context: Context, instance: Instance) -> None:
    head = f"router bgp {instance.local_as}" + (f" vrf {instance.vrf}" if instance.vrf else "")
    context.state.frr.add(DAEMON, head)
    for text in _WAYS:
        context.state.frr.add(DAEMON, head, text, undo="")
    configured = instance.section.get("bgp router-id")
    router_id = igp.router_id(
        context, f"bgp {instance.vrf}".strip(), configured["id"] if configured else None, instance.vrf
    )
    if router_id is not None:
        context.state.frr.add(DAEMON, head, f"bgp router-id {router_id}", key="bgp router-id", undo="no bgp router-id")
    for key, text in _process(instance.process):
        context.state.frr.add(DAEMON, head, text, key=key)
    compile_vrf(context, instance.vrf)
    for peer in instance.peers:
        _report_local_as(context, instance, peer)
        secured = peer.session.get(("neighbor ttl-security", ""))
        if secured is not None and not is_secured(peer, instance.local_as):
            context.unsupported(secured, "the neighbor is internal, or has ebgp-multihop")
        for about, text in session(peer, instance.local_as):
            # removing a neighbor removes its other lines too
            undo = f"no neighbor {peer.address} {about}".removesuffix(" remote-as")
            context.state.frr.add(
                DAEMON, head, f"neighbor {peer.address} {text}", key=f"{peer.address} {about}", undo=undo
            )
    for name, body in instance.families.items():
        family = f"address-family {name} unicast"
        for key, text, taken_back in _family(context, instance, name, body):
            context.state.frr.add(DAEMON, head, family, text, key=key, undo=taken_back)


def _process(section: Section) -> Iterator[tuple[str, str]]:
    """Return (key, line) pairs for settings of the process as a whole."""
    yield from (("", name) for name in _SWITCHES if section.has(name))
    for name in ("bgp client-to-client reflection", "bgp fast-external-fallover"):
        if section.says_no(name):
            yield "", f"no {name}".replace("fallover", "failover")
    for name, argument in _VALUES:
        entry = section.get(name)
        if entry is not None:
            yield name, f"{name} {entry[argument]}"
    timers = section.get("timers bgp")
    if timers is not None:
        yield "timers bgp", f"timers bgp {timers['keepalive']} {hold_time(timers)}"
    med = section.get("bgp bestpath med")
    if med is not None:
        yield "", " ".join(["bgp bestpath med", *(w for w in ("confed", "missing-as-worst") if med.has(w))])
    confederation = section.get("bgp confederation identifier")
    if confederation is not None:
        yield "bgp confederation identifier", f"bgp confederation identifier {as_number(confederation['as'])}"
    for peers in section.all("bgp confederation peers"):
        yield "", "bgp confederation peers " + " ".join(str(as_number(one)) for one in peers.many("as"))


def _family(context: Context, instance: Instance, name: str, body: Section) -> Iterator[tuple[str, str, str | None]]:
    """Return (key, line, undo) of an address family."""
    for entry in (one for one in body.all("network") if not redistribution.is_part(body, one)):
        yield f"network {prefixes.prefix(entry)}", _network(entry), f"no network {prefixes.prefix(entry)}"
    for entry in body.all("aggregate-address"):
        yield prefixes.aggregate(entry)
    yield from redistribution.compile_sources(context, instance.vrf, body)
    for word, line in (("maximum-paths", "maximum-paths"), ("maximum-paths ibgp", "maximum-paths ibgp")):
        paths = body.get(word)
        yield line, f"{line} {paths['paths'] if paths else 1}", f"no {line}"
    yield from _settings(body)
    for peer in instance.peers:
        if name in peer.families:
            yield "", f"neighbor {peer.address} activate", None
            for key, line, undo in _routes(context, instance, peer, name):
                yield f"{peer.address} {key}", line, undo


def _routes(context: Context, instance: Instance, peer: Peer, family: str) -> Iterator[tuple[str, str, str]]:
    """Return (key, line, undo) of a neighbor's routes."""
    settings = _settings_of(context, instance, peer, family)
    told = {key: (line, undo) for key, line, undo in routes(context, peer.address, settings)}
    configured = settings.get(("neighbor route-map", "in"))
    name = prefixes.inbound_map(context, instance, family, configured["map"] if configured else None)
    name = prefixes.by_global_hops(context, instance, peer, family, name)
    if name is not None:
        line = f"neighbor {peer.address} route-map {name} in"
        told["route-map in"] = line, f"no {line}"
    configured = settings.get(("neighbor route-map", "out"))
    name = _border_map(context, instance, peer, family, configured["map"] if configured else None)
    if name is not None:
        line = f"neighbor {peer.address} route-map {name} out"
        told["route-map out"] = line, f"no {line}"
    yield from ((key, *words) for key, words in told.items())


def _settings_of(context: Context, instance: Instance, peer: Peer, family: str) -> Settings:
    """Return a neighbor's lines as bgpd accepts them: one list in each direction, and only internal clients."""
    settings = {**_for_all(instance.families[family]), **peer.families[family]}
    own = peer.families[family]
    for way in ("in", "out"):
        lists = [key for name in _LISTS.values() if (key := (name, way)) in settings]
        if len(lists) > 1:
            dropped = next((key for key in lists if key not in own), lists[0])
            context.unsupported(settings.pop(dropped), f"neighbor {peer.address} has another list")
    if peer.remote_as != instance.local_as:
        settings.pop(("neighbor route-reflector-client", ""), None)
    return settings


def _for_all(body: Section) -> Settings:
    """Return the lists that filter the routes of every neighbor."""
    return {(meant, str(entry["way"])): entry for name, meant in _LISTS.items() for entry in body.all(name)}


def _network(entry: Entry) -> str:
    words = [f"network {prefixes.prefix(entry)}"]
    words += ["backdoor"] if entry.has("backdoor") else []
    return " ".join([*words, *_map(entry)])


def _map(entry: Entry, argument: str = "map") -> list[str]:
    return [f"route-map {entry[argument]}"] if argument in entry.match.args else []


def _settings(body: Section) -> Iterator[tuple[str, str, str | None]]:
    distance = body.get("distance bgp")
    values = (distance["external"], distance["internal"], distance["local"]) if distance else (20, 200, 200)
    yield "distance bgp", "distance bgp {} {} {}".format(*values), "no distance bgp"
    dampening = body.get("bgp dampening")
    if dampening is not None:
        numbers = [
            str(dampening[name]) for name in ("half", "reuse", "suppress", "most") if name in dampening.match.args
        ]
        yield "bgp dampening", " ".join(["bgp dampening", *numbers]), "no bgp dampening"
    table_map = body.get("table-map")
    if table_map is not None:
        yield "table-map", f"table-map {table_map['map']}", None


# -- borders of a confederation: the number of the member AS does not leave it --


def _border_map(context: Context, instance: Instance, peer: Peer, family: str, called: str | None) -> str | None:
    """Return a route map that puts the confederation's identifier for the member AS, and calls ``called``.

    bgpd replaces private numbers, and the neighbor's, by the number of the member AS.
    """
    settings = peer.families[family]
    private = settings.get(("neighbor remove-private-as", ""))
    replaced = (private is not None and private.has("replace-as")) or ("neighbor as-override", "") in settings
    if not replaced or not _is_outside(instance, peer):
        return called
    name = f"netbench-border-{called}" if called else "netbench-border"
    replacing = [f"as-path replace {instance.local_as}"]
    return igp.wrapped_map(context, DAEMON, name, set_=replacing, call=called)


def _report_local_as(context: Context, instance: Instance, peer: Peer) -> None:
    """Report a ``local-as`` to which bgpd puts the confederation's identifier into paths all the same."""
    local_as = peer.session.get(("neighbor local-as", ""))
    if local_as is not None and _is_outside(instance, peer):
        context.unsupported(local_as, "outside of a confederation, paths begin with the confederation's identifier")


def _is_outside(instance: Instance, peer: Peer) -> bool:
    """Whether a neighbor is outside of the confederation that this router belongs to."""
    if not instance.process.has("bgp confederation identifier"):
        return False
    inside = {as_number(one) for entry in _peers(instance) for one in entry.many("as")}
    return peer.remote_as not in {instance.local_as, *inside}


def _peers(instance: Instance) -> list[Entry]:
    return instance.process.all("bgp confederation peers")
