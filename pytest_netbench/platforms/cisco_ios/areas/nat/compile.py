"""Compile translation rules to nftables: destinations before routing, sources after routing."""

from __future__ import annotations

from dataclasses import replace
from ipaddress import IPv4Address, IPv4Interface

from pytest_netbench.platforms.cisco_ios.apply.nat import EXTRA, NatState
from pytest_netbench.platforms.cisco_ios.areas.acl import match as acl
from pytest_netbench.platforms.cisco_ios.areas.acl.ace import Address
from pytest_netbench.platforms.cisco_ios.areas.acl.lists import find
from pytest_netbench.platforms.cisco_ios.areas.nat import maps
from pytest_netbench.platforms.cisco_ios.areas.nat.grammar import TIMEOUTS, network_length
from pytest_netbench.platforms.cisco_ios.areas.nat.pools import (
    addresses_of,
    answer_arp,
    global_address,
    global_addresses,
    own_address,
    pools,
)
from pytest_netbench.platforms.cisco_ios.compile.context import Context, Interface
from pytest_netbench.platforms.cisco_ios.compile.state import (
    FORWARD,
    NAT_EVERY,
    NAT_IN,
    NAT_OUT,
    Chain,
    merged,
)
from pytest_netbench.platforms.cisco_ios.config.tree import Entry

HITS, MISSES, REFUSED = "nat_hits", "nat_misses", "nat_refused"
LIMIT = "ip nat translation max-entries"
_INSIDE = Chain("inet", "nat_inside")
_OUTSIDE = Chain("inet", "nat_outside")
_ENTERING = Chain("inet", "nat_entering")
_LEAVING = Chain("inet", "nat_leaving")
_LIMIT = Chain("inet", "nat_limit")

_SYSCTLS = {
    "udp-timeout": ("udp_timeout", "udp_timeout_stream"),
    "tcp-timeout": ("tcp_timeout_established",),
    "finrst-timeout": ("tcp_timeout_fin_wait", "tcp_timeout_close_wait", "tcp_timeout_time_wait"),
    "syn-timeout": ("tcp_timeout_syn_sent", "tcp_timeout_syn_recv"),
    "icmp-timeout": ("icmp_timeout",),
}

RULES = (
    "nat static",
    "nat tcp",
    "nat udp",
    "nat network",
    "nat dynamic",
    "nat outside static",
    "nat outside network",
    "nat destination",
)


def sides(context: Context) -> tuple[list[Interface], list[Interface]]:
    """Return the inside and the outside interfaces."""
    inside = [one for one in context.interfaces if one.section.has("ip nat inside")]
    return inside, [one for one in context.interfaces if one.section.has("ip nat outside")]


def compile_nat(context: Context) -> None:
    """Add all translation rules, if there is an inside or an outside interface."""
    inside, outside = sides(context)
    rules = context.config.all(*RULES)
    if not rules or not (inside or outside):
        return
    _Writer(context, inside, outside).write()
    _remember(context, rules, inside, outside)
    answer_arp(context, sorted(set(global_addresses(context, rules)), key=IPv4Address))
    for word, names in _SYSCTLS.items():
        for name in names:
            context.state.sysctls[f"net/netfilter/nf_conntrack_{name}"] = str(timeout(context, word))


def timeout(context: Context, word: str) -> int:
    """Return a timeout in the kernel's seconds."""
    entry = context.config.get(f"ip nat translation {word}")
    seconds = TIMEOUTS[word] if entry is None else entry.get("seconds", 2147483)
    return max(1, round(seconds / context.facts.time_scale))


class _Writer:
    def __init__(self, context: Context, inside: list[Interface], outside: list[Interface]) -> None:
        self._context, self._nft, self._config = context, context.state.nft, context.config
        self._inside = merged(one.kernel for one in inside) if inside else ""
        self._outside = merged(one.kernel for one in outside) if outside else ""
        self._pools = pools(context.config)
        self._maps = 0

    def write(self) -> None:
        for chain in (_INSIDE, _OUTSIDE, _ENTERING, _LEAVING):
            self._nft.chain(chain)
        if self._inside:
            self._nft.rule(NAT_IN, f"iifname {self._inside} jump {_LEAVING.name}")
        if self._outside:
            self._nft.rule(NAT_IN, f"iifname {self._outside} jump {_ENTERING.name}")
        if self._inside and self._outside:
            self._nft.rule(NAT_OUT, f"iifname {self._inside} oifname {self._outside} jump {_INSIDE.name}")
            self._nft.rule(NAT_OUT, f"iifname {self._outside} oifname {self._inside} jump {_OUTSIDE.name}")
        if self._outside:
            # the router's own packets are candidates whatever their source address
            self._nft.rule(NAT_OUT, f"fib saddr type local oifname {self._outside} jump {_INSIDE.name}")
        self._nft.rule(FORWARD, f"ct status & (snat | dnat) != 0 {self._nft.counter('inet', HITS)}")
        self._miss = self._nft.counter("inet", MISSES)
        self._static()
        self._outside_static()
        self._limit()
        for number, entry in enumerate(self._config.all("nat dynamic"), start=1):
            self._dynamic(entry, number)
        for entry in self._config.all("nat destination"):
            self._destination(entry)

    def _static(self) -> None:
        """Add static rules, the most specific first: ports, hosts, networks."""
        for protocol in ("tcp", "udp"):
            for entry in self._config.all(f"nat {protocol}"):
                address = global_address(self._context, entry)
                if address is not None:
                    self._enter(
                        f"ip daddr {address} {protocol} dport {entry['gport']}", f"{entry['local']}:{entry['lport']}"
                    )
                    self._leave(
                        entry,
                        f"ip saddr {entry['local']} {protocol} sport {entry['lport']}",
                        f"{address}:{entry['gport']}",
                        f"{protocol} sport set {entry['gport']} ip saddr set {address}",
                    )
        for entry in self._config.all("nat static"):
            address = global_address(self._context, entry)
            if address is not None:
                self._enter(f"ip daddr {address}", entry["local"])
                self._leave(entry, f"ip saddr {entry['local']}", address, f"ip saddr set {address}")
        for entry in self._config.all("nat network"):
            length = network_length(entry.get("mask") or entry["slash"])
            local, there = f"{entry['local']}/{length}", f"{entry['global']}/{length}"
            network = IPv4Interface(there).network
            change = f"ip saddr set ip saddr and {network.hostmask} or {network.network_address}"
            self._enter(f"ip daddr {there}", local, kind="prefix ")
            self._leave(entry, f"ip saddr {local}", there, change, kind="prefix ")

    def _enter(self, what: str, local: str, *, kind: str = "") -> None:
        self._nft.rule(_ENTERING, f"{what} {self._miss} dnat ip {kind}to {local}")

    def _leave(self, entry: Entry, what: str, there: str, change: str, *, kind: str = "") -> None:
        """Translate packets that leave, and those that the kernel does not: their connection took another way.

        A static rule of IOS translates each packet that goes from an inside to an outside interface, and that its
        route map permits.
        """
        self._give(_INSIDE, entry, what, f"{self._miss} snat ip {kind}to {there}")
        if self._inside and self._outside:
            way = f"iifname {self._inside} oifname {self._outside}"
            self._give(NAT_EVERY, entry, f"{way} ct status & (snat | dnat) == 0 {what}", change)

    def _give(self, chain: Chain, entry: Entry, what: str, change: str) -> None:
        """Add a change of the packets ``what`` that the route map of a static rule permits, if it has one."""
        if "map" in entry.match.args:
            self._maps += 1
            give = Chain("inet", f"nat_static_{self._maps}_do")
            # nft needs the protocol in the same rule as the port
            self._nft.rule(give, f"{what} {change}")
            chosen = maps.chosen(self._context, entry["map"], chain=f"nat_static_{self._maps}", give=give.name)
            self._nft.rule(chain, f"{what} jump {chosen}")
        else:
            self._nft.rule(chain, f"{what} {change}")

    def _outside_static(self) -> None:
        for entry in self._config.all("nat outside static"):
            self._nft.rule(_LEAVING, f"ip daddr {entry['local']} {self._miss} dnat ip to {entry['global']}")
            self._nft.rule(_OUTSIDE, f"ip saddr {entry['global']} {self._miss} snat ip to {entry['local']}")

        for entry in self._config.all("nat outside network"):
            length = network_length(entry.get("mask") or entry["slash"])
            there, here = f"{entry['global']}/{length}", f"{entry['local']}/{length}"
            self._nft.rule(_LEAVING, f"ip daddr {here} {self._miss} dnat ip prefix to {there}")
            self._nft.rule(_OUTSIDE, f"ip saddr {there} {self._miss} snat ip prefix to {here}")

    def _limit(self) -> None:
        """Drop what begins a translation beyond the limit. One expression counts those of all rules."""
        if entry := self._config.get(LIMIT):
            refused = self._nft.counter("inet", REFUSED)
            self._nft.rule(_LIMIT, f"ct count over {entry['count']} {refused} drop")

    def _dynamic(self, entry: Entry, number: int) -> None:
        give = Chain("inet", f"nat_give_{number}")
        words = self._giving(entry)
        if words is None:
            return
        if self._config.get(LIMIT):
            self._nft.rule(give, f"jump {_LIMIT.name}")
        self._nft.rule(give, words)
        if "list" in entry.match.args:
            self._nft.rule(_INSIDE, f"jump {acl.chain(self._context, entry['list'], permit=f'goto {give.name}')}")
            return
        self._nft.rule(
            _INSIDE, f"jump {maps.chosen(self._context, entry['map'], chain=f'nat_map_{number}', give=give.name)}"
        )

    def _giving(self, entry: Entry) -> str | None:
        """Return statements that translate the source of a packet to its global address."""
        if "out" in entry.match.args:
            one = self._context.interface(entry["out"])
            if one is None:
                return None
            address = own_address(one)
            return f"{self._miss} " + (f"snat ip to {address}" if address else "masquerade")
        pool = self._pools.get(entry["pool"])
        if pool is None:
            return None
        if entry.has("overload"):
            return f"{self._miss} snat ip to {pool.first}"
        pool.write(self._context, entering=_ENTERING, seconds=timeout(self._context, "timeout"))
        return f"{self._miss} goto {pool.chain.name}"

    def _destination(self, entry: Entry) -> None:
        """Distribute connections to a virtual address over real hosts in turn."""
        pool, found = self._pools.get(entry["pool"]), find(self._config, entry["list"])
        if pool is None or found is None:
            return
        hosts = ", ".join(f"{at} : {address}" for at, address in enumerate(pool.addresses))
        turn = f"dnat ip to numgen inc mod {len(pool.addresses)} map {{ {hosts} }}"
        for line in found.lines:
            # the list names the virtual address, which is the destination of the packets
            ace = replace(line.ace, source=Address(), destination=line.ace.source) if found.standard else line.ace
            for words in acl.conditions(self._context, ace):
                verdict = f"{self._miss} {turn}" if line.ace.permit else "return"
                self._nft.rule(_ENTERING, f"meta l4proto tcp {words} {verdict}")


def _remember(context: Context, rules: list[Entry], inside: list[Interface], outside: list[Interface]) -> None:
    """Record the rules, so that a change deletes the connections that no longer match them."""
    state = NatState(interfaces=(tuple(one.name for one in inside), tuple(one.name for one in outside)))
    context.state.extras[EXTRA] = state
    for entry in rules:
        found = sorted(addresses_of(context, entry), key=IPv4Address)
        if found:
            state.rules[entry.text] = (found[0], found[-1])
