"""``show ip dhcp``, ``show dhcp lease`` and ``clear ip dhcp``: the state of the services in IOS's format."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Iterator, Mapping
from ipaddress import IPv4Network
from typing import Any

from pytest_netbench.dialects.cisco_ios import interfaces
from pytest_netbench.platforms.cisco_ios.device.exec import Exec
from pytest_netbench.platforms.cisco_ios.grammar.command import Match
from pytest_netbench.platforms.cisco_ios.grammar.tables import action, show
from pytest_netbench.platforms.cisco_ios.services import runner
from pytest_netbench.platforms.cisco_ios.shows.durations import elapsed

_STATES = {"Init": 1, "Selecting": 3, "Requesting": 4, "Bound": 5, "Renewing": 6, "Rebinding": 7}


def _servers(at: Exec) -> list[str]:
    """Return the servers of the global table and of all VRFs."""
    return [name for name in at.device.applied.services if name.partition("@")[0] == "dhcp"]


def _server(at: Exec) -> Mapping[str, Any]:
    """Return the combined state of all servers."""
    states = [runner.state(at.node, name) for name in _servers(at)]
    counters: Counter[str] = Counter()
    for state in states:
        counters.update(state["counters"])
    return {
        "bindings": [entry for state in states for entry in state["bindings"]],
        "conflicts": [entry for state in states for entry in state["conflicts"]],
        "pools": {name: count for state in states for name, count in state["pools"].items()},
        "counters": counters,
    }


def _dotted(client: str) -> str:
    return ".".join(client[at : at + 4] for at in range(0, len(client), 4))


def _binding(at: Exec, match: Match) -> str:
    lines = [
        "Bindings from all pools not associated with VRF:",
        "IP address          Client-ID/              Lease expiration        Type",
        "                    Hardware address/",
        "                    User name",
    ]
    wanted = match.get("address")
    for entry in sorted(_server(at)["bindings"], key=lambda entry: [int(part) for part in entry["address"].split(".")]):
        if wanted in {None, entry["address"]}:
            kind = "Manual" if entry["manual"] else "Automatic"
            lines.append(f"{entry['address']:<19} {_dotted(entry['client']):<23} {_expiration(at, entry):<23} {kind}")
    return "\n".join(lines) + "\n"


def _expiration(at: Exec, entry: Mapping[str, Any]) -> str:
    """Return the end of a lease by the device's clock, as one word. Parsers cannot read IOS's form of several words."""
    if entry["left_s"] is None:
        return "Infinite"
    return time.strftime("%b-%d-%Y-%I:%M-%p", time.gmtime(at.device.now + entry["left_s"]))


def _pool(at: Exec, match: Match) -> str:
    counts = _server(at)["pools"]
    wanted = match.get("name")
    lines: list[str] = []
    for pool in [pool for name in _servers(at) for pool in at.device.applied.services[name]["pools"]]:
        if wanted in {None, pool["name"]} and pool["name"] in counts:
            lines += _pool_lines(pool, counts[pool["name"]])
    return "".join(f"{line}\n" for line in lines)


def _pool_lines(pool: Mapping[str, Any], count: Mapping[str, int]) -> Iterator[str]:
    network = IPv4Network(pool["network"])
    hosts = (network[1], network[-2]) if network.num_addresses > 2 else (network[0], network[-1])
    first, last = pool.get("address") or hosts[0], pool.get("address") or hosts[1]
    yield ""
    yield f"Pool {pool['name']} :"
    yield " Utilization mark (high/low)    : 100 / 0"
    yield " Subnet size (first/next)       : 0 / 0 "
    yield f" Total addresses                : {count['total']}"
    yield f" Leased addresses               : {count['leased']}"
    yield f" Excluded addresses             : {count['excluded']}"
    yield " Pending event                  : none"
    yield " 1 subnet is currently in the pool :"
    yield " Current index        IP address range                    Leased/Excluded/Total"
    yield (
        f" {first!s:<20} {first!s:<16} - {last!s:<16}  {count['leased']:<5} / {count['excluded']:<5} / {count['total']}"
    )


def _conflict(at: Exec, _match: Match) -> str:
    lines = ["IP address        Detection method   Detection time          VRF"]
    for entry in _server(at)["conflicts"]:
        moment = time.strftime("%b %d %Y %I:%M %p", time.gmtime(at.device.now - entry["ago_s"]))
        lines.append(f"{entry['address']:<17} {entry['how']:<18} {moment}")
    return "\n".join(lines) + "\n"


def _statistics(at: Exec, _match: Match) -> str:
    state = _server(at)
    manual = sum(entry["manual"] for entry in state["bindings"])
    lines = [
        f"Address pools        {len(state['pools'])}",
        "Database agents      0",
        f"Automatic bindings   {len(state['bindings']) - manual}",
        f"Manual bindings      {manual}",
        "Expired bindings     0",
        "Malformed messages   0",
        "Secure arp entries   0",
    ]
    for way, kinds in (
        ("Received", ("DISCOVER", "REQUEST", "DECLINE", "RELEASE", "INFORM")),
        ("Sent", ("OFFER", "ACK", "NAK")),
    ):
        lines += ["", f"Message              {way}", f"{'BOOTREQUEST' if way == 'Received' else 'BOOTREPLY':<20} 0"]
        lines += [f"DHCP{kind:<16} {state['counters'].get(f'{way.lower()} {kind}', 0)}" for kind in kinds]
    return "\n".join(lines) + "\n"


def _lease(at: Exec, _match: Match) -> str:
    config = at.device.applied.services.get("dhcp_client")
    if config is None:
        return ""
    reports = runner.state(at.node, "dhcp_client")["interfaces"]
    lines: list[str] = []
    for client in config["interfaces"]:
        report = reports[client["interface"]]
        if report["address"]:
            lines += _lease_lines(client, report)
    return "".join(f"{line}\n" for line in lines)


def _lease_lines(client: Mapping[str, Any], report: Mapping[str, Any]) -> Iterator[str]:
    mask = IPv4Network(f"0.0.0.0/{report['prefix']}").netmask
    lease = int(report["lease_s"] if report["lease_s"] is not None else 0xFFFFFFFF)
    left = max(0.0, (report["left_s"] or 0) - lease / 2)
    yield f"Temp IP addr: {report['address']}  for peer on Interface: {client['label']}"
    yield f"Temp  sub net mask: {mask}"
    yield f"   DHCP Lease server: {report['server']}, state: {_STATES[report['state']]} {report['state']}"
    yield f"   DHCP transaction id: {report['transaction']:X}"
    yield f"   Lease: {lease} secs,  Renewal: {lease // 2} secs,  Rebind: {lease * 7 // 8} secs"
    if report["router"]:
        yield f"Temp default-gateway addr: {report['router']}"
    yield f"   Next timer fires after: {elapsed(left)}"
    yield (
        f"   Retry count: {max(0, report['attempts'] - 1)}   Client-ID: cisco-{interfaces.parse(client['label']).short}"
    )
    yield f"   Hostname: {client['hostname']}"


def _clear(at: Exec, match: Match) -> str | None:
    what = "binding" if match.has("binding") else "conflict"
    if match.has("*"):
        for name in _servers(at):
            runner.command(at.node, name, f"clear {what} *")
        return None
    address = str(match["address"])
    for name in _servers(at):
        if any(entry["address"] == address for entry in runner.state(at.node, name)[f"{what}s"]):
            runner.command(at.node, name, f"clear {what} {address}")
            return None
    return f"% Clear {what} failed. {address} not found in database\n"


def _of_client(at: Exec, match: Match) -> str | None:
    clients = at.device.applied.services.get("dhcp_client", {"interfaces": ()})["interfaces"]
    name = str(match["interface"])
    if not any(client["label"] == name for client in clients):
        return f"Interface {name} does not have a DHCP originated address\n"
    runner.command(at.node, "dhcp_client", f"{match.name.split()[0]} {interfaces.kernel_name(name)}")
    return None


COMMANDS = (
    *(
        action(f"{word} dhcp {{interface:interface}}", _of_client, said)
        for word, said in (("renew", "Renew a DHCP lease"), ("release", "Release a DHCP lease"))
    ),
    show("ip dhcp binding [ {address:ipv4} ]", _binding, "DHCP address bindings"),
    show("ip dhcp pool [ {name:name} ]", _pool, "DHCP pools information"),
    show("ip dhcp conflict", _conflict, "DHCP address conflicts"),
    show("ip dhcp server statistics", _statistics, "Show DHCP server statistics"),
    show("dhcp lease", _lease, "Show DHCP Addresses leased from a server"),
    action("clear ip dhcp binding ( * | {address:ipv4} )", _clear, "DHCP address bindings"),
    action("clear ip dhcp conflict ( * | {address:ipv4} )", _clear, "DHCP address conflicts"),
)
