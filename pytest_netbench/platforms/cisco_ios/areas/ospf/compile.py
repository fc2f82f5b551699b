"""Compile OSPF for ospfd: networks become ``ip ospf area`` of the matching interfaces, costs are IOS's."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from ipaddress import IPv4Interface, IPv4Network

from pytest_netbench.platforms.cisco_ios.areas import keychain
from pytest_netbench.platforms.cisco_ios.areas.common import igp
from pytest_netbench.platforms.cisco_ios.areas.ospf.area_lines import (
    AUTH_KEY_LENGTH,
    MD5_KEY_LENGTH,
    Lines,
    compile_areas,
)
from pytest_netbench.platforms.cisco_ios.areas.ospf.process import (
    DAEMON,
    Member,
    Process,
    area_types,
    members,
    next_hop_networks,
    processes,
    secret,
)
from pytest_netbench.platforms.cisco_ios.compile.context import Context
from pytest_netbench.platforms.cisco_ios.config.tree import Entry, Section

_SEED_METRIC = {"bgp": 1}
_USUAL_SEED_METRIC = 20
_NO_FORWARDING = "netbench-no-forwarding"
_LAST_KEY = 255


def compile_ospf(context: Context) -> None:
    """Add all OSPF processes to the state."""
    for process in processes(context):
        router_id = None if process.section.has("shutdown") else _router_id(context, process)
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
            context.state.frr.add(DAEMON, process.frr, line, key=key, undo=undo)
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
        context.state.frr.add(DAEMON, opening, line, key=key, undo=undo)

    # a port that becomes passive loses its neighbors at once: it leaves the area and joins it again
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
        yield f"ip ospf authentication-key {secret(key, 'key')[:AUTH_KEY_LENGTH]}", "no ip ospf authentication-key"
    own = [(int(entry["id"]), secret(entry, "key")) for entry in section.all("ip ospf message-digest-key")]
    for number, text in keychain.secrets(context.config, chain) if chain else own:
        words = f"ip ospf message-digest-key {number}"
        if 1 <= number <= _LAST_KEY:
            yield f"{words} md5 {text[:MD5_KEY_LENGTH]}", f"no {words}"


def _process(context: Context, process: Process, router_id: str) -> None:
    section, opening = process.section, process.frr

    def add(line: str, key: str = "", undo: str | None = None) -> None:
        context.state.frr.add(DAEMON, opening, line, key=key, undo=undo)

    # A changed router ID restarts the process: its neighbors must not keep the old one. So does another type of an
    # area: ospfd keeps the LSAs of the former type.
    types = " ".join(sorted(area_types(section)))
    context.state.frr.add(DAEMON, opening, key=f"{opening} {router_id} {types}")
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
        add(_neighbor(entry), key=f"neighbor {entry['address']}", undo=f"no neighbor {entry['address']}")
    for line, key, undo in (*_distances(section), *compile_areas(section)):
        add(line, key, undo)


def _neighbor(entry: Entry) -> str:
    words = [f"neighbor {entry['address']}"]
    words += [f"priority {entry['priority']}"] if "priority" in entry.match.args else []
    words += [f"poll-interval {entry['seconds']}"] if "seconds" in entry.match.args else []
    return " ".join(words)


def _distances(section: Section) -> Lines:
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


def _loopbacks(context: Context, process: Process) -> list[str]:
    """Return conditions on the loopbacks of a process: their networks are no external routes of it."""
    found = [member for member in members(context, process) if member.network_type == "loopback"]
    return [f"interface {member.one.kernel}" for member in found]


def _hide_next_hops(context: Context, process: Process) -> None:
    """Add the list of networks on which no next hop is a forwarding address (see the backend's native/forwarding.c)."""
    for member in members(context, process):
        for address in () if member.is_forwarding else igp.addresses(context, member.one):
            line = f"ip prefix-list {_NO_FORWARDING} permit {IPv4Interface(address).network} le 32"
            context.state.frr.add(DAEMON, line)


def _externals(context: Context, process: Process) -> Lines:
    section, decided_by = process.section, next_hop_networks(context, process)
    usual = section.get("default-metric")
    for source, entry in igp.redistributions(section):
        if source == "ospf":
            continue
        # IOS: default-metric does not apply to connected networks
        seed = int(usual["metric"]) if usual and source != "connected" else _SEED_METRIC.get(source, _USUAL_SEED_METRIC)
        wrapper = igp.wrapped_map(
            context,
            DAEMON,
            f"netbench-ospf-{source}",
            match=() if entry.has("subnets") else [f"ip address prefix-list {igp.classful_list(context, DAEMON)}"],
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
        tag = f" tag {entry['tag']}" if entry.get("tag") else ""
        # the ``no`` of ``no-advertise`` itself only lets ospfd advertise it
        yield line + (" no-advertise" if entry.has("not-advertise") else tag), "", f"no {line}"
    for entry in section.all("default-information originate"):
        words = ["default-information originate"]
        words += ["always"] if entry.has("always") else []
        words += [f"metric {entry.get('metric', 1)}", f"metric-type {entry.get('type', 2)}"]
        words += [f"route-map {entry['map']}"] if "map" in entry.match.args else []
        yield " ".join(words), "", "no default-information originate"
