"""``show spanning-tree``."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from pytest_netbench.dialects.cisco_ios import interfaces
from pytest_netbench.platforms.cisco_ios.areas.switching.view import View, full_name, short_name
from pytest_netbench.platforms.cisco_ios.areas.switching.vlans import SWITCH
from pytest_netbench.platforms.cisco_ios.device.exec import Exec
from pytest_netbench.platforms.cisco_ios.grammar.command import Match
from pytest_netbench.platforms.cisco_ios.grammar.tables import show
from pytest_netbench.platforms.cisco_ios.grammar.types import parse_vlans
from pytest_netbench.platforms.cisco_ios.shows.ports import cisco_mac

_ROLES = {"root": "Root", "designated": "Desg", "alternate": "Altn", "backup": "Back", "disabled": "Disb"}
_STATES = {"blocking": "BLK", "listening": "LIS", "learning": "LRN", "forwarding": "FWD"}
_WRONG = {"root": "*ROOT_Inc", "loop": "*LOOP_Inc", "pvid": "*PVID_Inc"}
_PROTOCOLS = {"pvst": "ieee", "rapid-pvst": "rstp"}
_RULE = "------------------- ---- --- --------- -------- --------------------------------"

Tree = Mapping[str, Any]


def _chosen(view: View, match: Match) -> dict[int, Tree]:
    trees = {int(vlan): tree for vlan, tree in view.live["trees"].items()}
    wanted = parse_vlans(match["vlans"]) if "vlans" in match.args else None
    return {vlan: tree for vlan, tree in sorted(trees.items()) if wanted is None or vlan in wanted}


def _show(at: Exec, match: Match) -> str:
    view = View(at)
    # a VLAN without an active port has no instance
    trees = {vlan: tree for vlan, tree in _chosen(view, match).items() if tree["ports"]}
    if not trees:
        if "vlans" in match.args:
            return f"\nSpanning tree instance(s) for vlan {match['vlans']} does not exist.\n"
        return "\nNo spanning tree instance exists.\n"
    lines = _detail if match.has("detail") else _lines
    return "\n".join(line for vlan, tree in trees.items() for line in ["", *lines(view, vlan, tree)]) + "\n"


def _lines(view: View, vlan: int, tree: Tree) -> Iterator[str]:
    root, bridge = tree["root"], tree["bridge"]
    yield f"VLAN{vlan:04d}"
    yield f"  Spanning tree enabled protocol {_PROTOCOLS[tree['mode']]}"
    yield f"  Root ID    Priority    {root['priority']}"
    yield f"             Address     {cisco_mac(root['address'])}"
    if root["port"]:
        yield f"             Cost        {root['cost']}"
        yield f"             Port        {tree['ports'][root['port']]['number']} ({full_name(root['port'])})"
    else:
        yield "             This bridge is the root"
    yield f"             {_times(root)}"
    yield ""
    yield f"  Bridge ID  Priority    {bridge['priority']}  (priority {bridge['priority'] - vlan} sys-id-ext {vlan})"
    yield f"             Address     {cisco_mac(bridge['address'])}"
    yield f"             {_times(bridge)}"
    yield f"             Aging Time  {view.state.ageing.get(vlan, 300)} sec"
    yield ""
    yield "Interface           Role Sts Cost      Prio.Nbr Type"
    yield _RULE
    for name, port in _sorted(tree):
        yield f"{short_name(name):<19} {_port(port)}"


def _times(times: Mapping[str, Any]) -> str:
    return (
        f"Hello Time   {times['hello']:.0f} sec  Max Age {times['max_age']:.0f} sec  Forward Delay"
        f" {times['forward_delay']:.0f} sec"
    )


def _sorted(tree: Tree) -> list[tuple[str, Mapping[str, Any]]]:
    return sorted(tree["ports"].items(), key=lambda item: item[1]["number"])


def _port(port: Mapping[str, Any]) -> str:
    state = "BKN*" if port["inconsistent"] else _STATES[port["state"]]
    number = f"{port['priority']}.{port['number']}"
    return f"{_ROLES[port['role']]} {state:<3} {port['cost']:<9} {number:<8} {_type(port)} "


def _type(port: Mapping[str, Any]) -> str:
    extra = [*(["Edge"] if port["edge"] else []), *(["Peer(STP)"] if port["legacy"] else [])]
    return " ".join(["P2p", *extra, *([_WRONG[port["inconsistent"]]] if port["inconsistent"] else [])])


def _detail(_view: View, vlan: int, tree: Tree) -> Iterator[str]:
    root, bridge = tree["root"], tree["bridge"]
    yield f" VLAN{vlan:04d} is executing the {_PROTOCOLS[tree['mode']]} compatible Spanning Tree protocol"
    yield (
        f"  Bridge Identifier has priority {bridge['priority'] - vlan}, sysid {vlan}, address"
        f" {cisco_mac(bridge['address'])}"
    )
    yield (
        f"  Configured hello time {bridge['hello']:.0f}, max age {bridge['max_age']:.0f}, forward delay"
        f" {bridge['forward_delay']:.0f}"
    )
    if root["port"]:
        yield f"  Current root has priority {root['priority']}, address {cisco_mac(root['address'])}"
        yield (
            f"  Root port is {tree['ports'][root['port']]['number']} ({full_name(root['port'])}), cost of root path is"
            f" {root['cost']}"
        )
    else:
        yield "  We are the root of the spanning tree"
    yield "  Topology change flag not set, detected flag not set"
    seconds = int(tree["changed_s"])
    yield (
        f"  Number of topology changes {tree['changes']} last change occurred"
        f" {seconds // 3600:02d}:{seconds // 60 % 60:02d}:{seconds % 60:02d} ago"
    )
    if tree["changed_by"]:
        yield f"          from {full_name(tree['changed_by'])}"
    yield f"  Times:  hold 1, topology change {root['max_age'] + root['forward_delay']:.0f}, notification 2"
    yield (
        f"          hello {root['hello']:.0f}, max age {root['max_age']:.0f}, forward delay"
        f" {root['forward_delay']:.0f} "
    )
    yield "  Timers: hello 0, topology change 0, notification 0, aging 300"
    for name, port in _sorted(tree):
        yield ""
        yield from _port_detail(vlan, tree, name, port)


def _port_detail(vlan: int, tree: Tree, name: str, port: Mapping[str, Any]) -> Iterator[str]:
    designated, root = port["designated"], tree["root"]
    state = "broken" if port["inconsistent"] else port["state"]
    yield f" Port {port['number']} ({full_name(name)}) of VLAN{vlan:04d} is {port['role']} {state} "
    yield (
        f"   Port path cost {port['cost']}, Port priority {port['priority']}, Port Identifier"
        f" {port['priority']}.{port['number']}."
    )
    yield f"   Designated root has priority {root['priority']}, address {cisco_mac(root['address'])}"
    yield f"   Designated bridge has priority {designated['priority']}, address {cisco_mac(designated['address'])}"
    yield (
        f"   Designated port id is {designated['port'] >> 8}.{designated['port'] & 255}, designated path cost"
        f" {designated['cost']}"
    )
    yield "   Timers: message age 0, forward delay 0, hold 0"
    yield f"   Number of transitions to forwarding state: {port['transitions']}"
    if port["edge"]:
        yield "   The port is in the portfast mode"
    yield "   Link type is point-to-point by default"
    yield f"   BPDU: sent {port['sent']}, received {port['received']}"


def _root(at: Exec, _match: Match) -> str:
    lines = [
        "",
        "                                        Root    Hello Max Fwd",
        "Vlan                   Root ID          Cost    Time  Age Dly  Root Port",
    ]
    lines.append("---------------- -------------------- --------- ----- --- ---  ------------")
    for vlan, tree in sorted((int(vlan), tree) for vlan, tree in View(at).live["trees"].items()):
        root = tree["root"]
        if tree["ports"]:
            lines.append(
                f"VLAN{vlan:04d}         {root['priority']:>5} {cisco_mac(root['address'])} {root['cost']:>9}"
                f" {root['hello']:>4.0f}  {root['max_age']:>3.0f} {root['forward_delay']:>3.0f} "
                f" {short_name(root['port']) if root['port'] else ''}"
            )
    return "\n".join(lines) + "\n"


def _interface(at: Exec, match: Match) -> str:
    view = View(at)
    kernel = interfaces.kernel_name(match["interface"])
    trees = [(int(vlan), tree["ports"][kernel]) for vlan, tree in view.live["trees"].items() if kernel in tree["ports"]]
    if not trees:
        return f"no spanning tree info available for {match['interface']}\n"
    if match.has("portfast"):
        return "".join(
            f"VLAN{vlan:04d}            {'enabled' if port['edge'] else 'disabled'}\n" for vlan, port in trees
        )
    lines = ["", "Vlan                Role Sts Cost      Prio.Nbr Type", _RULE]
    return "\n".join(
        [*lines, *(f"VLAN{vlan:04d}            {_port(port)}" for vlan, port in sorted(trees, key=lambda t: t[0])), ""]
    )


def _summary(at: Exec, _match: Match) -> str:
    view = View(at)
    config = view.context.config
    trees = {int(vlan): tree for vlan, tree in view.live["trees"].items() if tree["ports"]}
    rapid = any(tree.mode == "rapid-pvst" for tree in view.state.trees.values())
    roots = ", ".join(f"VLAN{vlan:04d}" for vlan, tree in sorted(trees.items()) if not tree["root"]["port"])
    lines = [f"Switch is in {'rapid-pvst' if rapid else 'pvst'} mode", f"Root bridge for: {roots or 'none'}"]
    for title, name in (
        ("Extended system ID", ""),
        ("Portfast Default", "stp portfast default"),
        ("PortFast BPDU Guard Default", "stp bpduguard default"),
        ("Portfast BPDU Filter Default", "stp bpdufilter default"),
        ("Loopguard Default", "stp loopguard default"),
    ):
        lines.append(f"{title:<28} is {'enabled' if not name or config.has(name) else 'disabled'}")
    method = config.get("stp pathcost")
    lines.append(f"{'Configured Pathcost method used':<31} is {'long' if method is not None else 'short'}")
    rule = "---------------------- -------- --------- -------- ---------- ----------"
    lines += ["", "Name                   Blocking Listening Learning Forwarding STP Active", rule]
    total = [0, 0, 0, 0]
    for vlan, tree in sorted(trees.items()):
        counts = [sum(port["state"] == state for port in tree["ports"].values()) for state in _STATES]
        total = [a + b for a, b in zip(total, counts, strict=True)]
        lines.append(_counts(f"VLAN{vlan:04d}", counts))
    lines += [rule, _counts(f"{len(trees)} vlan{'s' if len(trees) != 1 else ''}", total)]
    return "\n".join(lines) + "\n"


def _counts(label: str, counts: list[int]) -> str:
    return f"{label:<22} {counts[0]:>8} {counts[1]:>9} {counts[2]:>8} {counts[3]:>10} {sum(counts):>10}"


def _blocked(at: Exec, match: Match) -> str:
    inconsistent = match.has("inconsistentports")
    found: list[tuple[int, str, str]] = []
    for vlan, tree in sorted((int(vlan), tree) for vlan, tree in View(at).live["trees"].items()):
        for name, port in _sorted(tree):
            if inconsistent and port["inconsistent"]:
                kind = {"root": "Root Inconsistent", "loop": "Loop Inconsistent", "pvid": "PVID Inconsistent"}
                found.append((vlan, short_name(name), kind[port["inconsistent"]]))
            elif not inconsistent and port["role"] in {"alternate", "backup"}:
                found.append((vlan, short_name(name), ""))
    if inconsistent:
        lines = [
            "",
            "Name                 Interface              Inconsistency",
            "-------------------- ---------------------- ------------------",
        ]
        lines += [f"VLAN{vlan:04d}             {name:<22} {kind}" for vlan, name, kind in found]
        return "\n".join([*lines, "", f"Number of inconsistent ports (segments) in the system : {len(found)}", ""])
    lines = [
        "",
        "Name                 Blocked Interfaces List",
        "-------------------- ------------------------------------",
    ]
    for vlan in sorted({vlan for vlan, _, _ in found}):
        lines.append(f"VLAN{vlan:04d}             {', '.join(name for other, name, _ in found if other == vlan)}")
    return "\n".join([*lines, "", f"Number of blocked ports (segments) in the system : {len(found)}", ""])


COMMANDS = (
    show("spanning-tree [ vlan {vlans:vlans} ] [ detail ]", _show, "Spanning tree topology", roles=SWITCH),
    show("spanning-tree root", _root, roles=SWITCH),
    show("spanning-tree interface {interface:interface} [ portfast ]", _interface, roles=SWITCH),
    show("spanning-tree summary", _summary, roles=SWITCH),
    show("spanning-tree ( blockedports | inconsistentports )", _blocked, roles=SWITCH),
)
