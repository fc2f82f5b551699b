"""What BGP takes from other sources: redistributed routes and, with ``auto-summary``, networks of which it has a part.

FRR's own ``redistribute`` knows neither summaries nor the kinds of OSPF routes. Prefix lists switch them on in a
library that is preloaded into bgpd (the backend's ``native/redistribution.c``).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from pytest_netbench.platforms.cisco_ios.areas.bgp import prefixes
from pytest_netbench.platforms.cisco_ios.areas.bgp.family_edits import SIX
from pytest_netbench.platforms.cisco_ios.areas.bgp.prefixes import DAEMON
from pytest_netbench.platforms.cisco_ios.areas.common import igp
from pytest_netbench.platforms.cisco_ios.areas.policy.compile import map_of_sources
from pytest_netbench.platforms.cisco_ios.compile.context import Context
from pytest_netbench.platforms.cisco_ios.config.tree import Entry, Section

_NO_DEFAULT = "netbench-no-default"
_SUMMARIES = "netbench-auto-summary"
_KINDS = ("internal", "external-1", "external-2")
_EVERY_SOURCE = ("connected", "static", "rip", "kernel", "ospf", "isis")
Line = tuple[str, str, str | None]


def is_summed(body: Section) -> bool:
    """Whether a family has ``auto-summary``."""
    return body.mode != SIX and body.has("auto-summary")


def is_part(body: Section, network: Entry) -> bool:
    """Whether a part of a network is enough to announce it: it is classful, and the family has ``auto-summary``."""
    return is_summed(body) and "mask" not in network.match.args and not network.has("backdoor")


@dataclass(frozen=True)
class _Taking:
    """The redistribution of one family."""

    context: Context
    vrf: str
    body: Section

    def switch(self, name: str) -> None:
        """Add the prefix list that switches something on in this VRF."""
        line = f"ip prefix-list {name}-{self.vrf or 'default'} seq 5 permit any"
        self.context.state.frr.add(DAEMON, line, undo=f"no {line}")

    def parts(self) -> list[Entry]:
        """Return the networks of which a part is enough."""
        return [entry for entry in self.body.all("network") if is_part(self.body, entry)]

    def sources(self) -> Mapping[str, Entry | None]:
        """Return the sources that FRR redistributes, each with its line; ``None``: only parts of networks."""
        own: dict[str, Entry | None] = dict(igp.redistributions(self.body))
        return {**own, **{name: own.get(name) for name in _EVERY_SOURCE}} if self.parts() else own


def compile_sources(context: Context, vrf: str, body: Section) -> Iterator[Line]:
    """Return (key, line, undo) of the sources of a family."""
    taking = _Taking(context, vrf, body)
    if is_summed(body):
        taking.switch(_SUMMARIES)
    lines = [(source, _line(taking, source, entry)) for source, entry in taking.sources().items()]
    # bgpd keeps one path for all sources of a summary, so all are taken anew when one changes
    together = " ".join(line for _, line in lines) + " summed" if is_summed(body) else ""
    for source, line in lines:
        # FRR does not accept "redistribute" again with fewer options, so it is removed first
        yield f"{line} {together}", line, f"no redistribute {source}"


def _line(taking: _Taking, source: str, entry: Entry | None) -> str:
    default = taking.body.get("default-metric")
    usual = default["metric"] if default else None
    metric = entry.get("metric", usual) if entry is not None else None
    if metric is None and is_summed(taking.body):
        metric = 0
    kinds = _kinds(taking, entry) if source == "ospf" and entry is not None else ""
    words = [f"redistribute {source}"]
    words += [f"metric {metric}"] if metric is not None else []
    name = _map(taking, f"netbench-bgp-{source}{kinds}", entry)
    words += [f"route-map {name}"] if name else []
    return " ".join(words)


def _kinds(taking: _Taking, entry: Entry) -> str:
    """Switch off the kinds of OSPF routes that a line does not name; without ``match``, BGP takes internal ones."""
    named = kinds(entry)
    if taking.body.mode == SIX:
        if named != set(_KINDS):
            taking.context.unsupported(entry, "internal and external OSPFv3 routes are not distinguished")
        return ""
    if ("external" in entry.match.words) != ("nssa-external" in entry.match.words):
        taking.context.unsupported(entry, "external and NSSA-external OSPF routes are not distinguished")
    for kind in _KINDS:
        if kind not in named:
            taking.switch(f"netbench-no-{kind}")
    # another name: bgpd takes the routes anew
    return "".join(f"-{kind}" for kind in _KINDS if kind in named)


def kinds(entry: Entry) -> set[str]:
    """Return which kinds of OSPF routes a line of BGP takes: ``internal``, ``external-1``, ``external-2``."""
    found: set[str] = set()
    words = entry.text.split()
    for word, following in zip(words, [*words[1:], ""], strict=True):
        if word == "internal":
            found.add(word)
        elif word in {"external", "nssa-external"}:
            found |= {f"external-{following}"} if following in {"1", "2"} else {"external-1", "external-2"}
    return found or {"internal"}


def _map(taking: _Taking, name: str, entry: Entry | None) -> str | None:
    """Return the route map of a source: first the parts of networks, then what its own line redistributes."""
    context = taking.context
    name = f"{name}-{taking.vrf}" if taking.vrf else name
    parts = taking.parts()
    for number, part in enumerate(parts, start=1):
        network = prefixes.prefix(part)
        listed = f"ip prefix-list netbench-network-{network.partition('/')[0]} permit {network} le 32"
        context.state.frr.add(DAEMON, listed)
        opening = f"route-map {name} permit {number}"
        context.state.frr.add(DAEMON, opening)
        context.state.frr.add(DAEMON, opening, f"match ip address prefix-list {listed.split()[2]}")
        context.state.frr.add(DAEMON, opening, "set origin igp")
        if "map" in part.match.args:
            context.state.frr.add(DAEMON, opening, f"call {part['map']}", key="call", undo="no call")
    if entry is None:
        return name
    called = map_of_sources(context, str(entry["map"])) if "map" in entry.match.args else None
    return igp.wrapped_map(context, DAEMON, name, match=_matches(taking), call=called) or (name if parts else None)


def _matches(taking: _Taking) -> list[str]:
    if taking.body.mode == SIX or taking.body.has("default-information originate"):
        return []
    line = f"ip prefix-list {_NO_DEFAULT} seq 5 permit 0.0.0.0/0 ge 1"
    taking.context.state.frr.add(DAEMON, line, undo=f"no ip prefix-list {_NO_DEFAULT}")
    return [f"ip address prefix-list {_NO_DEFAULT}"]
