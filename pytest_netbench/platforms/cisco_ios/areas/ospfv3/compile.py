"""Compile OSPF for IPv6 for ospf6d."""

from __future__ import annotations

from collections.abc import Iterable

from pytest_netbench.platforms.cisco_ios.areas.common import igp
from pytest_netbench.platforms.cisco_ios.areas.ospf.process import dotted
from pytest_netbench.platforms.cisco_ios.areas.ospfv3.process import Member, Process, members, name, processes
from pytest_netbench.platforms.cisco_ios.compile.context import Context

_DAEMON = "ospf6d"
_ROUTER = "router ospf6"
_SOURCES = {"rip": "ripng"}

_Lines = Iterable[tuple[str, str, str | None]]


def compile_ospf(context: Context) -> None:
    """Add the process to the state."""
    for process in processes(context.config):
        own = process.get("router-id")
        router_id = igp.router_id(context, name(process), str(own["id"]) if own else None)
        if router_id is None:
            continue
        # the process first: no hello may be sent before the router ID is set
        _process(context, process, router_id)
        for member in members(context, process):
            _interface(context, member)


def _interface(context: Context, member: Member) -> None:
    opening = igp.frr_interface(member.one)

    def add(line: str, key: str = "", undo: str | None = None) -> None:
        context.state.frr.add(_DAEMON, opening, line, key=key, undo=undo)

    # parameters first: an interface in an area keeps the instance ID that it started with
    if member.instance:
        add(f"ipv6 ospf6 instance-id {member.instance}", key="instance", undo="no ipv6 ospf6 instance-id")
    add(f"ipv6 ospf6 cost {member.cost}", key="cost", undo="no ipv6 ospf6 cost")
    kind = "broadcast" if member.network_type == "loopback" else member.network_type
    add(f"ipv6 ospf6 network {kind}", key="network", undo="no ipv6 ospf6 network")
    add(f"ipv6 ospf6 hello-interval {member.hello_s}", key="hello", undo="no ipv6 ospf6 hello-interval")
    add(f"ipv6 ospf6 dead-interval {member.dead_s}", key="dead", undo="no ipv6 ospf6 dead-interval")
    for word, argument in (("priority", "priority"), ("retransmit-interval", "seconds"), ("transmit-delay", "seconds")):
        entry = member.said(word)
        if entry is not None:
            add(f"ipv6 ospf6 {word} {entry[argument]}", key=word, undo=f"no ipv6 ospf6 {word}")
    if member.said("mtu-ignore") is not None:
        add("ipv6 ospf6 mtu-ignore")
    if member.passive:
        add("ipv6 ospf6 passive")
    add(f"ipv6 ospf6 area {member.area}", undo="no ipv6 ospf6 area")


def _process(context: Context, process: Process, router_id: str) -> None:
    def add(line: str, key: str = "", undo: str | None = None) -> None:
        context.state.frr.add(_DAEMON, _ROUTER, line, key=key, undo=undo)

    context.state.frr.add(_DAEMON, _ROUTER, key=f"{_ROUTER} {router_id}")
    add(f"ospf6 router-id {router_id}", key="router-id")
    add("timers lsa min-arrival 0")
    paths = process.get("maximum-paths")
    add(f"maximum-paths {paths['paths'] if paths else 4}", key="maximum-paths", undo="no maximum-paths")
    spf = process.get("timers throttle spf")
    if spf is not None:
        add(f"timers throttle spf {spf['start']} {spf['hold']} {spf['max']}", key="spf", undo="no timers throttle spf")
    for line, key, undo in (*_distances(process), *_areas(process), *_externals(context, process)):
        add(line, key, undo)


def _distances(process: Process) -> _Lines:
    entry = process.get("distance")
    if entry is not None:
        yield f"distance {entry['distance']}", "distance", f"no distance {entry['distance']}"
    entry = process.get("distance ospf")
    if entry is not None and entry.match.args:
        words = [
            f"{word} {entry[name]}"
            for word, name in (("intra-area", "intra"), ("inter-area", "inter"), ("external", "external"))
            if name in entry.match.args
        ]
        yield f"distance ospf6 {' '.join(words)}", "", "no distance ospf6"


def _areas(process: Process) -> _Lines:
    for entry in process.all("area range"):
        cost = f" cost {entry['cost']}" if "cost" in entry.match.args else ""
        line = f"area {dotted(entry['area'])} range {str(entry['prefix']).lower()}"
        yield line + (" not-advertise" if entry.has("not-advertise") else cost), "", f"no {line}"
    for area, entry in process.special_areas.items():
        line = f"area {area} {entry.name.split()[1]}"
        words = [line]
        if entry.has("default-information-originate"):
            words.append("default-information-originate")
            words += [f"metric {entry['metric']}"] if "metric" in entry.match.args else []
            words += [f"metric-type {entry['type']}"] if "type" in entry.match.args else []
        words += ["no-summary"] if entry.has("no-summary") else []
        yield " ".join(words), "", f"no {line}"


def _externals(context: Context, process: Process) -> _Lines:
    usual = process.get("default-metric")
    for source, entry in igp.redistributions(process.routes):
        seed = int(usual["metric"]) if usual else 1 if source == "bgp" else 20
        frr = _SOURCES.get(source, source)
        wrapper = igp.wrapped_map(
            context,
            _DAEMON,
            f"netbench-ospf6-{frr}",
            set_=[f"tag {entry['tag2']}"] if "tag2" in entry.match.args else [],
            call=entry.get("map"),
        )
        words = [f"redistribute {frr}", f"metric {entry.get('metric', seed)}", f"metric-type {entry.get('type', 2)}"]
        words += [f"route-map {wrapper}"] if wrapper else []
        yield " ".join(words), "", f"no redistribute {frr}"
    for entry in process.all("summary-prefix"):
        line = f"summary-address {str(entry['prefix']).lower()}"
        if entry.has("not-advertise"):
            yield f"{line} no-advertise", "", f"no {line}"  # its own ``no`` only lets ospf6d advertise it
        else:
            yield line + (f" tag {entry['tag']}" if entry.get("tag") else ""), "", f"no {line}"
    for entry in process.all("default-information originate"):
        words = ["default-information originate"]
        words += ["always"] if entry.has("always") else []
        words += [f"metric {entry.get('metric', 1)}", f"metric-type {entry.get('type', 2)}"]
        words += [f"route-map {entry['map']}"] if "map" in entry.match.args else []
        yield " ".join(words), "", "no default-information originate"
