"""Compile OSPF for ospfd: networks become ``ip ospf area`` of the matching interfaces, costs are IOS's."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from ipaddress import IPv4Address, IPv4Interface, IPv4Network

from pytest_netbench.platforms.cisco_ios.areas import keychain
from pytest_netbench.platforms.cisco_ios.areas.common import igp
from pytest_netbench.platforms.cisco_ios.compile.context import Context, Interface
from pytest_netbench.platforms.cisco_ios.config import passwords
from pytest_netbench.platforms.cisco_ios.config.tree import Entry, Section

_DAEMON = "ospfd"
_SLOW_TYPES = frozenset({"non-broadcast", "point-to-multipoint"})
_MOST_COST = 65535
_SEED_METRIC = {"bgp": 1}
_USUAL_SEED_METRIC = 20
_NO_FORWARDING = "netbench-no-forwarding"
_LAST_KEY = 255
_AUTH_KEY_LENGTH = 8
_MD5_KEY_LENGTH = 16


@dataclass(frozen=True)
class Process:
    """One ``router ospf`` of the config."""

    entry: Entry

    @property
    def number(self) -> int:
        """Its process ID."""
        return int(self.entry["process"])

    @property
    def section(self) -> Section:
        """Its section of the config."""
        return self.entry.body

    @property
    def vrf(self) -> str:
        """Its VRF; "" is the global one."""
        return str(self.entry.get("vrf") or "")

    @property
    def frr(self) -> str:
        """The line that opens it in FRR."""
        return f"router ospf vrf {self.vrf}" if self.vrf else "router ospf"

    @property
    def reference_mbps(self) -> int:
        """The bandwidth in Mbit/s that has cost 1."""
        entry = self.section.get("auto-cost reference-bandwidth")
        return int(entry["mbps"]) if entry else 100


@dataclass(frozen=True)
class Member:
    """An interface on which OSPF runs."""

    one: Interface
    process: Process
    area: str
    by_network: bool

    @property
    def cost(self) -> int:
        """Its output cost."""
        entry = self.one.section.get("ip ospf cost")
        if entry is not None:
            return int(entry["cost"])
        if self.one.parsed.kind == "Loopback":
            return 1
        return max(1, min(_MOST_COST, self.process.reference_mbps * 1000 // self.one.bandwidth_kbit))

    @property
    def network_type(self) -> str:
        """The network type, e.g. ``broadcast``; ``loopback`` for loopbacks without a configured type."""
        entry = self.one.section.get("ip ospf network")
        if entry is not None:
            return next(
                word
                for word in ("broadcast", "non-broadcast", "point-to-multipoint", "point-to-point")
                if entry.has(word)
            )
        if self.one.parsed.kind == "Loopback":
            return "loopback"
        return "point-to-point" if self.one.parsed.kind in {"Serial", "Tunnel", "Dialer"} else "broadcast"

    @property
    def hello_s(self) -> int:
        """Seconds between hellos; 0 means several in a second."""
        dead = self.one.section.get("ip ospf dead-interval")
        if dead is not None and dead.has("minimal"):
            return 0
        entry = self.one.section.get("ip ospf hello-interval")
        return int(entry["seconds"]) if entry else 30 if self.network_type in _SLOW_TYPES else 10

    @property
    def dead_s(self) -> int:
        """Seconds of silence after which a neighbour is down: four hello intervals unless configured."""
        entry = self.one.section.get("ip ospf dead-interval")
        if entry is None:
            return min(self.hello_s * 4, 65535)
        return 1 if entry.has("minimal") else int(entry["seconds"])

    @property
    def is_forwarding(self) -> bool:
        """Whether external LSAs name a next hop on it as forwarding address (Cisco's document 13682)."""
        return not self.passive and self.network_type in {"broadcast", "non-broadcast"}

    @property
    def passive(self) -> bool:
        """Whether it sends no hello."""
        return self.one.parsed.kind == "Loopback" or igp.is_passive(self.process.section, self.one.name)


def processes(context: Context) -> list[Process]:
    """Return all OSPF processes."""
    return [Process(entry) for entry in context.config.all("router ospf")]


def members(context: Context, process: Process) -> list[Member]:
    """Return the interfaces of a process, each with its area."""
    return [member for one in context.interfaces if (member := _member(context, process, one)) is not None]


def _member(context: Context, process: Process, one: Interface) -> Member | None:
    if one.vrf != process.vrf or one.parsed.kind == "Null":
        return None
    own = one.section.get("ip ospf area")
    if own is not None:
        return Member(one, process, dotted(own["area"]), by_network=False) if own["process"] == process.number else None
    for address in igp.addresses(context, one)[:1]:
        matching = [
            entry
            for entry in process.section.all("network")
            if igp.wildcard_matches(address.split("/")[0], entry["network"], entry["wildcard"])
        ]
        if matching:
            # the most specific statement decides, then the first one
            best = min(matching, key=lambda entry: int(IPv4Address(entry["wildcard"])))
            return Member(one, process, dotted(best["area"]), by_network=True)
    return None


def dotted(area: str) -> str:
    """Return an area in dotted form."""
    return str(IPv4Address(int(area))) if str(area).isdigit() else str(area)


def compile_ospf(context: Context) -> None:
    """Add all OSPF processes to the state."""
    for process in processes(context):
        if process.section.has("shutdown"):
            continue
        router_id = _router_id(context, process)
        if router_id is None:
            continue
        # removed in reverse order: an interface keeps its lines if its process is removed first
        _process(context, process, router_id)
        for member in members(context, process):
            _as_host(context, member)
            _interface(context, member)
        _hide_next_hops(context, process)
        # behind the interfaces: ospfd chooses the forwarding address of an external LSA once, when it originates it
        for line, key, undo in _externals(context, process):
            context.state.frr.add(_DAEMON, process.frr, line, key=key, undo=undo)
    running = {(process.number, process.vrf) for process in processes(context)}
    for one in context.interfaces:
        own = one.section.get("ip ospf area")
        if own is not None and (own["process"], one.vrf) not in running:
            context.unsupported(own, f"{one.name} is in no VRF in which there is such a process")


def _router_id(context: Context, process: Process) -> str | None:
    """Return the router ID: a running process keeps its own until it is cleared, whatever is configured."""
    name = f"ospf {process.number}"
    configured = process.section.get("router-id")
    kept = context.facts.live.get("chosen", {}).get(name)
    found = kept or igp.router_id(context, name, str(configured["id"]) if configured else None, process.vrf)
    if found is not None:
        context.state.chosen[name] = found
    return found


def _interface(context: Context, member: Member) -> None:
    opening = igp.frr_interface(member.one)
    section = member.one.section

    def add(line: str, key: str = "", undo: str | None = None) -> None:
        context.state.frr.add(_DAEMON, opening, line, key=key, undo=undo)

    # a port that becomes passive loses its neighbours at once: it leaves the area and joins it again
    passive = member.passive and member.one.parsed.kind != "Loopback"
    if member.passive:
        add("ip ospf passive")
    line = f"ip ospf area {member.area}"
    add(line, key=f"{line} passive" if passive else "", undo="no ip ospf area")
    add(f"ip ospf cost {member.cost}", key="cost", undo="no ip ospf cost")
    add(f"ip ospf network {_frr_type(context, member)}", key="network", undo="no ip ospf network")
    dead = section.get("ip ospf dead-interval")
    if dead is not None and dead.has("minimal"):
        multiplier = min(10, dead["multiplier"])
        add(f"ip ospf dead-interval minimal hello-multiplier {multiplier}", key="dead", undo="no ip ospf dead-interval")
    else:
        add(f"ip ospf hello-interval {member.hello_s}", key="hello", undo="no ip ospf hello-interval")
        add(f"ip ospf dead-interval {member.dead_s}", key="dead", undo="no ip ospf dead-interval")
    for name, argument in (("priority", "priority"), ("retransmit-interval", "seconds"), ("transmit-delay", "seconds")):
        entry = section.get(f"ip ospf {name}")
        if entry is not None:
            add(f"ip ospf {name} {entry[argument]}", key=name, undo=f"no ip ospf {name}")
    if section.has("ip ospf mtu-ignore"):
        add("ip ospf mtu-ignore")
    for line, undo in _authentication(context, section):
        add(line, undo=undo)


def _frr_type(context: Context, member: Member) -> str:
    if member.network_type != "loopback":
        return member.network_type
    # ospfd advertises a point-to-multipoint interface as a host, too, but with cost 0
    return "broadcast" if _is_host(context, member) or _host(context, member) else "point-to-multipoint"


def _is_host(context: Context, member: Member) -> bool:
    return all(address.endswith("/32") for address in igp.addresses(context, member.one))


def _host(context: Context, member: Member) -> IPv4Interface | None:
    """Return the address of a loopback that ospfd can see as a host although it has a network.

    The other daemons would see it as a host, too.
    """
    addresses = member.one.addresses
    shared = bool(context.config.all("router rip", "router isis"))
    if member.network_type != "loopback" or shared or len(addresses) != 1 or addresses[0].endswith("/32"):
        return None
    return IPv4Interface(addresses[0])


def _as_host(context: Context, member: Member) -> None:
    """Let ospfd see a loopback as a host, as IOS advertises it: with a peer, its own address has no network."""
    own, link = _host(context, member), context.state.links.get(member.one.kernel)
    if own is None or link is None:
        return
    changed = {str(own): f"{own.ip} peer {own.network}"}
    addresses = tuple(changed.get(address, address) for address in link.addresses)
    context.state.links[member.one.kernel] = replace(link, addresses=addresses)


def _authentication(context: Context, section: Section) -> Iterator[tuple[str, str]]:
    kind = section.get("ip ospf authentication")
    chain = kind.get("chain") if kind is not None else None
    if kind is not None:
        word = next((f" {word}" for word in ("message-digest", "null") if kind.has(word)), "")
        yield f"ip ospf authentication{' message-digest' if chain else word}", "no ip ospf authentication"
    key = section.get("ip ospf authentication-key")
    if key is not None:
        yield f"ip ospf authentication-key {secret(key, 'key')[:_AUTH_KEY_LENGTH]}", "no ip ospf authentication-key"
    own = [(int(entry["id"]), secret(entry, "key")) for entry in section.all("ip ospf message-digest-key")]
    for number, text in keychain.secrets(context.config, chain) if chain else own:
        words = f"ip ospf message-digest-key {number}"
        if 1 <= number <= _LAST_KEY:
            yield f"{words} md5 {text[:_MD5_KEY_LENGTH]}", f"no {words}"


def secret(entry: Entry, name: str) -> str:
    """Return a key in the clear, whatever type was typed."""
    text = str(entry[name])
    return passwords.revealed(text) if entry.has("7") else text


def _process(context: Context, process: Process, router_id: str) -> None:
    section, opening = process.section, process.frr

    def add(line: str, key: str = "", undo: str | None = None) -> None:
        context.state.frr.add(_DAEMON, opening, line, key=key, undo=undo)

    # A changed router ID restarts the process: its neighbours must not keep the old one. So does another type of an
    # area: ospfd keeps the LSAs of the former type.
    types = " ".join(sorted(_types(section)))
    context.state.frr.add(_DAEMON, opening, key=f"{opening} {router_id} {types}")
    add(f"ospf router-id {router_id}", key="router-id")
    add("log-adjacency-changes")
    add("ospf send-extra-data zebra")  # see the backend's native/externals.c
    add("timers throttle lsa all 0")
    add("timers lsa min-arrival 0")
    if not section.says_no("compatible rfc1583"):
        add("compatible rfc1583")
    paths = section.get("maximum-paths")
    add(f"maximum-paths {paths['paths'] if paths else 4}", key="maximum-paths", undo="no maximum-paths")
    spf = section.get("timers throttle spf")
    if spf is not None:
        add(f"timers throttle spf {spf['start']} {spf['hold']} {spf['max']}", key="spf", undo="no timers throttle spf")
    for entry in section.all("max-metric router-lsa"):
        at_start = entry.get("seconds")
        add(f"max-metric router-lsa on-startup {at_start}" if at_start else "max-metric router-lsa administrative")
    for entry in section.all("neighbor"):
        add(_neighbour(entry), key=f"neighbor {entry['address']}", undo=f"no neighbor {entry['address']}")
    for line, key, undo in (*_distances(section), *_areas(section)):
        add(line, key, undo)


def _neighbour(entry: Entry) -> str:
    words = [f"neighbor {entry['address']}"]
    words += [f"priority {entry['priority']}"] if "priority" in entry.match.args else []
    words += [f"poll-interval {entry['seconds']}"] if "seconds" in entry.match.args else []
    return " ".join(words)


_Lines = Iterable[tuple[str, str, str | None]]


def _distances(section: Section) -> _Lines:
    own = section.get("distance")
    entry = section.get("distance ospf")
    words: list[str] = []
    if entry is not None:
        words = [
            f"{word} {entry[name]}"
            for word, name in (("intra-area", "intra"), ("inter-area", "inter"), ("external", "external"))
            if name in entry.match.args
        ]
    if words:
        yield f"distance ospf {' '.join(words)}", "", "no distance ospf"
    # repeated whenever the other distances change: ospfd applies them only with this line
    value = own["distance"] if own is not None else 110
    yield f"distance {value}", f"distance behind {words}", f"no distance {value}"


def _areas(section: Section) -> _Lines:
    for entry in section:
        if "area" not in entry.match.args or entry.negated:
            continue
        area = f"area {dotted(entry['area'])}"
        if entry.name == "area authentication":
            yield (
                f"{area} authentication{' message-digest' if entry.has('message-digest') else ''}",
                "",
                f"no {area} authentication",
            )
        elif entry.name in {"area stub", "area nssa"}:
            yield from _special(entry, f"{area} {entry.name.split()[1]}")
            for cost in section.all("area default-cost"):
                # without effect in other areas, where ospfd refuses it
                if dotted(cost["area"]) == dotted(entry["area"]):
                    yield f"{area} default-cost {cost['cost']}", f"{area} default-cost", None
        elif entry.name == "area range":
            yield _range(entry, area)
        elif entry.name.startswith("area filter-list"):
            way = entry.name.split()[-1]
            yield f"{area} filter-list prefix {entry['list']} {way}", "", None
        elif entry.name == "area virtual-link" and not _is_special(section, entry):
            yield from _virtual_link(entry, area)


def _is_special(section: Section, link: Entry) -> bool:
    """Whether the transit area of a virtual link is a stub area or an NSSA, through which no virtual link runs."""
    return any(dotted(one["area"]) == dotted(link["area"]) for one in section.all("area stub", "area nssa"))


def _types(section: Section) -> Iterator[str]:
    """Return the areas that are not normal, with their types."""
    for entry in section.all("area stub", "area nssa"):
        yield f"{entry.name} {dotted(entry['area'])}{' no-summary' if entry.has('no-summary') else ''}"


def _special(entry: Entry, line: str) -> _Lines:
    if entry.has("always"):
        yield f"{line} translate-always", line, f"no {line}"
    else:
        yield line, line, f"no {line}"
    if entry.has("no-summary"):
        yield f"{line} no-summary", "", None
    if entry.has("default-information-originate"):
        words = [f"{line} default-information-originate"]
        words += [f"metric {entry['metric']}"] if "metric" in entry.match.args else []
        words += [f"metric-type {entry['type']}"] if "type" in entry.match.args else []
        yield " ".join(words), "", f"no {line} default-information-originate"


def _range(entry: Entry, area: str) -> tuple[str, str, str | None]:
    line = f"{area} range {IPv4Network((entry['prefix'], entry['mask']))}"
    if entry.has("not-advertise"):
        return f"{line} not-advertise", "", f"no {line}"
    cost = f" advertise cost {entry['cost']}" if "cost" in entry.match.args else ""
    return line + cost, "", f"no {line}"


def _virtual_link(entry: Entry, area: str) -> _Lines:
    line = f"{area} virtual-link {entry['router']}"
    yield line, "", None
    words = {
        "hello": "hello-interval",
        "dead": "dead-interval",
        "retransmit": "retransmit-interval",
        "delay": "transmit-delay",
    }
    timers = [f"{word} {entry[name]}" for name, word in words.items() if name in entry.match.args]
    for timer in timers:
        yield f"{line} {timer}", "", None
    if entry.has("authentication"):
        kind = next((f" {word}" for word in ("message-digest", "null") if entry.has(word)), "")
        yield f"{line} authentication{kind}", "", f"no {line} authentication"
    if "secret" in entry.match.args:
        key = f"{line} authentication-key {secret(entry, 'secret')[:_AUTH_KEY_LENGTH]}"
        yield key, "", None
    if "key" in entry.match.args:
        yield f"{line} message-digest-key {entry['id']} md5 {secret(entry, 'key')[:_MD5_KEY_LENGTH]}", "", None


def _loopbacks(context: Context, process: Process) -> list[str]:
    """Return conditions on the loopbacks of a process: their networks are no external routes of it."""
    found = [member for member in members(context, process) if member.network_type == "loopback"]
    return [f"interface {member.one.kernel}" for member in found]


def next_hop_networks(context: Context, process: Process) -> str:
    """Return what decides the forwarding addresses: the networks on which OSPF runs, with their areas' types."""
    types = " ".join(sorted(_types(process.section)))
    found = [
        f"{member.area} {address} {member.is_forwarding}"
        for member in members(context, process)
        for address in igp.addresses(context, member.one)
        if member.one.parsed.kind != "Loopback" or types
    ]
    return " ".join((*sorted(found), types))


def _hide_next_hops(context: Context, process: Process) -> None:
    """Add the list of networks on which no next hop is a forwarding address (see the backend's native/forwarding.c)."""
    for member in members(context, process):
        for address in () if member.is_forwarding else igp.addresses(context, member.one):
            line = f"ip prefix-list {_NO_FORWARDING} permit {IPv4Interface(address).network} le 32"
            context.state.frr.add(_DAEMON, line)


def _externals(context: Context, process: Process) -> _Lines:
    section, decided_by = process.section, next_hop_networks(context, process)
    usual = section.get("default-metric")
    for source, entry in igp.redistributions(section):
        if source == "ospf":
            continue
        # IOS: default-metric does not apply to connected networks
        seed = int(usual["metric"]) if usual and source != "connected" else _SEED_METRIC.get(source, _USUAL_SEED_METRIC)
        wrapper = igp.wrapped_map(
            context,
            _DAEMON,
            f"netbench-ospf-{source}",
            match=() if entry.has("subnets") else [f"ip address prefix-list {igp.classful_list(context, _DAEMON)}"],
            deny=_loopbacks(context, process) if source == "connected" else (),
            set_=[f"tag {entry['tag2']}"] if "tag2" in entry.match.args else [],
            call=entry.get("map"),
        )
        words = [f"redistribute {source}", f"metric {entry.get('metric', seed)}", f"metric-type {entry.get('type', 2)}"]
        words += [f"route-map {wrapper}"] if wrapper else []
        line = " ".join(words)
        yield line, f"{line} originated by {decided_by}", f"no redistribute {source}"
    for entry in section.all("summary-address"):
        line = f"summary-address {IPv4Network((entry['prefix'], entry['mask']))}"
        if entry.has("not-advertise"):
            yield f"{line} no-advertise", "", f"no {line}"  # its own ``no`` only lets ospfd advertise it
        else:
            tag = f" tag {entry['tag']}" if entry.get("tag") else ""
            yield line + tag, "", f"no {line}"
    for entry in section.all("default-information originate"):
        words = ["default-information originate"]
        words += ["always"] if entry.has("always") else []
        words += [f"metric {entry.get('metric', 1)}", f"metric-type {entry.get('type', 2)}"]
        words += [f"route-map {entry['map']}"] if "map" in entry.match.args else []
        yield " ".join(words), "", "no default-information originate"
