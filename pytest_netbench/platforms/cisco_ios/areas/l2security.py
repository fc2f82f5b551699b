"""Layer-2 security: port security, DHCP snooping, ARP inspection."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from pytest_netbench.dialects.cisco_ios import interfaces
from pytest_netbench.platforms.cisco_ios.areas.interfaces import MODE
from pytest_netbench.platforms.cisco_ios.areas.switching.state import SERVICE
from pytest_netbench.platforms.cisco_ios.areas.switching.view import Port, View, short_name
from pytest_netbench.platforms.cisco_ios.areas.switching.vlans import SWITCH
from pytest_netbench.platforms.cisco_ios.config.edit import Edit
from pytest_netbench.platforms.cisco_ios.device.device import Device
from pytest_netbench.platforms.cisco_ios.device.exec import Exec
from pytest_netbench.platforms.cisco_ios.grammar.command import Area, Command, Match, Mode
from pytest_netbench.platforms.cisco_ios.grammar.types import format_vlans, parse_vlans
from pytest_netbench.platforms.cisco_ios.services import runner
from pytest_netbench.platforms.cisco_ios.shows.ports import cisco_mac

_NO_RATE = "rates are not measured"
ARP_MODE = "arp-nacl"
_NO_OPTION = "option 82 is never inserted"


# ---- storing ----


def _needs_mode(edit: Edit, _match: Match) -> str | None:
    parent = edit.section.parent
    mode = edit.section.get("switchport mode")
    if parent is not None and not edit.booting and (mode is None or mode.has("dynamic")):
        return f"Command rejected: {parent['name']} is a dynamic port."
    return None


def _check_mac(edit: Edit, match: Match) -> str | None:
    limit = edit.section.get("port-security maximum")
    known = [*edit.section.all("port-security mac"), *edit.section.all("port-security sticky mac")]
    others = {entry["mac"] for entry in known} - {match["mac"]}
    if not edit.booting and len(others) >= (int(limit["maximum"]) if limit else 1):
        return "Total secure mac-addresses on interface has reached maximum limit."
    return None


def _vlan_set(edit: Edit, match: Match) -> str | None:
    """Lists of VLANs add up in one line."""
    entries = edit.section.all(match.name)
    vlans: set[int] = set()
    for entry in entries:
        vlans |= parse_vlans(entry["vlans"])
        edit.section.remove(entry)
    named = parse_vlans(match.get("vlans", ""))
    vlans = (vlans - named if named else set()) if match.negated or match.reset else vlans | named
    if vlans:
        words = "dhcp snooping" if match.name == "dhcp snooping vlan" else "arp inspection"
        edit.put(f"ip {words} vlan {format_vlans(vlans)}")
    return None


def _sticky(edit: Edit, match: Match) -> str | None:
    """Without it, addresses that stuck are ordinary ones again."""
    if match.negated or match.reset:
        for entry in edit.section.all("port-security sticky mac"):
            edit.section.remove(entry)
    return edit.keep(match)


def _observe(device: Device) -> None:
    """Addresses that stuck become lines of the config."""
    sticky = [(e, body) for e, body in device.config.sections("interface") if body.has("port-security sticky")]
    if not sticky or SERVICE not in device.plan.services:
        return
    learned = runner.state(device.node, SERVICE)["security"]
    for entry, body in sticky:
        known = {line["mac"] for line in body.all("port-security sticky mac")}
        for _, mac, kind in learned.get(interfaces.kernel_name(entry["name"]), {}).get("addresses", ()):
            if kind == "SecureSticky" and cisco_mac(mac) not in known:
                device.edit(body).put(f"switchport port-security mac-address sticky {cisco_mac(mac)}")


def _arp_rule(words: str) -> Command:
    """A line of an ARP access list."""
    return Command(
        pattern=f"{words} ip ( any | host {{address!:ipv4}} ) mac ( any | host {{mac!:mac}} ) [ log ]",
        name=f"{words} arp",
        mode=ARP_MODE,
        roles=SWITCH,
    )


# ---- port security ----


def _security(at: Exec, match: Match) -> str:
    view = View(at)
    wanted = match.get("interface")
    if wanted:
        port = next((port for port in view.ports if port.interface.name == wanted), None)
        return "\n".join([*_security_of(view, port), ""]) if port else f"{wanted} is not a switching port.\n"
    if match.has("address"):
        return _security_addresses(view)
    lines = [
        "Secure Port  MaxSecureAddr  CurrentAddr  SecurityViolation  Security Action",
        "                (Count)       (Count)          (Count)",
        "---------------------------------------------------------------------------",
    ]
    for port in view.ports:
        if port.config.security is not None:
            live = view.security(port)
            lines.append(
                f"{port.short:>11} {port.config.security['maximum']:>14} {len(live['addresses']):>12} {live['violations']:>17}"
                f"         {str(port.config.security['violation']).capitalize()}"
            )
    lines += ["---------------------------------------------------------------------------"]
    lines += ["Total Addresses in System (excluding one mac per port)     : 0"]
    lines += ["Max Addresses limit in System (excluding one mac per port) : 4096"]
    return "\n".join(lines) + "\n"


def _security_of(view: View, port: Port) -> Iterator[str]:
    config = port.config.security
    live = view.security(port)
    kinds = [kind for _, _, kind in live["addresses"]]
    status = (
        "Secure-shutdown"
        if port.disabled == "psecure-violation"
        else "Secure-up"
        if port.up and config
        else "Secure-down"
    )
    mac, vlan = live["last"]
    yield f"Port Security              : {'Enabled' if config else 'Disabled'}"
    yield f"Port Status                : {status}"
    yield f"Violation Mode             : {str(config['violation'] if config else 'shutdown').capitalize()}"
    yield f"Aging Time                 : {config['ageing'] // 60 if config else 0} mins"
    yield f"Aging Type                 : {'Inactivity' if config and config['inactivity'] else 'Absolute'}"
    yield "SecureStatic Address Aging : Disabled"
    yield f"Maximum MAC Addresses      : {config['maximum'] if config else 1}"
    yield f"Total MAC Addresses        : {len(kinds)}"
    yield f"Configured MAC Addresses   : {kinds.count('SecureConfigured')}"
    yield f"Sticky MAC Addresses       : {kinds.count('SecureSticky')}"
    yield f"Last Source Address:Vlan   : {cisco_mac(mac)}:{vlan}"
    yield f"Security Violation Count   : {live['violations']}"


def _security_addresses(view: View) -> str:
    rule = "-" * 77
    lines = ["               Secure Mac Address Table", rule, "Vlan    Mac Address       Type                          Ports   Remaining Age"]  # fmt: skip
    lines += ["                                                                   (mins)    "]
    lines += ["----    -----------       ----                          -----   -------------"]
    for name, live in sorted(view.live.get("security", {}).items()):
        for vlan, mac, kind in live["addresses"]:
            lines.append(f"{vlan:>4}    {cisco_mac(mac)}    {kind:<29} {short_name(name):<8}     -")
    return "\n".join([*lines, rule, ""])


# ---- DHCP snooping, ARP inspection ----


def _snooping(at: Exec, _match: Match) -> str:
    view = View(at)
    config = view.state.snooping
    vlans = format_vlans(set(config["vlans"])) if config else ""
    live = [vlan for vlan in (config["vlans"] if config else ()) if vlan in view.state.vlans]
    lines = [
        f"Switch DHCP snooping is {'enabled' if config else 'disabled'}",
        "Switch DHCP gleaning is disabled",
        "DHCP snooping is configured on following VLANs:",
        vlans or "none",
        "DHCP snooping is operational on following VLANs:",
        format_vlans(set(live)) or "none",
        "DHCP snooping is configured on the following L3 Interfaces:",
        "",
        "Insertion of option 82 is disabled",
        "   circuit-id default format: vlan-mod-port",
        f"   remote-id: {cisco_mac(view.state.address)} (MAC)",
        "Option 82 on untrusted port is not allowed",
        f"Verification of hwaddr field is {'enabled' if config is None or config['verify'] else 'disabled'}",
        "Verification of giaddr field is enabled",
        "DHCP snooping trust/rate is configured on the following Interfaces:",
        "",
        "Interface                  Trusted    Allow option    Rate limit (pps)",
        "-----------------------    -------    ------------    ----------------   ",
    ]
    for port in view.ports:
        trusted = "dhcp" in port.config.trusted
        limit = port.interface.section.get("dhcp snooping limit")
        if trusted or limit is not None:
            word = "yes" if trusted else "no"
            lines.append(
                f"{port.interface.name:<26} {word:<10} {word:<15} {limit['rate'] if limit else 'unlimited'}       "
            )
    return "\n".join([*lines, ""])


def _bindings(at: Exec, _match: Match) -> str:
    bindings = View(at).live.get("snooping", {}).get("bindings", [])
    lines = [
        "MacAddress          IpAddress        Lease(sec)  Type           VLAN  Interface",
        "------------------  ---------------  ----------  -------------  ----  --------------------",
    ]
    for one in bindings:
        name = interfaces.from_kernel(one["port"]) or one["port"]
        left = "infinite" if one["left"] is None else one["left"]
        lines.append(
            f"{one['mac'].upper():<18}  {one['address']:<15}  {left:<10}  {one['kind']:<13}  {one['vlan']:<4}  {name}"
        )
    return "\n".join([*lines, f"Total number of bindings: {len(bindings)}", ""])


def _inspection(at: Exec, match: Match) -> str:
    view = View(at)
    config = view.state.inspection
    checks = config["validate"] if config else ()
    wanted = parse_vlans(match["vlans"]) if "vlans" in match.args else None
    words = (("Source Mac", "src-mac"), ("Destination Mac", "dst-mac"), ("IP Address", "ip"))
    lines = [
        "",
        *(f"{title + ' Validation':<27}: {'Enabled' if word in checks else 'Disabled'}" for title, word in words),
    ]
    lines += ["", " Vlan     Configuration    Operation   ACL Match          Static ACL", " ----     -------------    ---------   ---------          ----------"]  # fmt: skip
    vlans = [vlan for vlan in (config["vlans"] if config else ()) if wanted is None or vlan in wanted]
    filters = {
        int(entry_vlan): e
        for e in view.context.config.all("arp inspection filter")
        for entry_vlan in parse_vlans(e["vlans"])
    }
    for vlan in vlans:
        acl = filters.get(vlan)
        named = f"{acl['name']:<18} {'Yes' if acl.has('static') else 'No'}" if acl is not None else ""
        lines.append(
            f"{vlan:>5}     Enabled          {'Active' if vlan in view.state.vlans else 'Inactive':<11} {named}"
        )
    lines += ["", " Vlan      Forwarded        Dropped     DHCP Drops      ACL Drops", " ----      ---------        -------     ----------      ---------"]  # fmt: skip
    counts = view.live.get("snooping", {}).get("arp", {})
    for vlan in vlans:
        count = counts.get(str(vlan), {})
        lines.append(f"{vlan:>5} {count.get('forwarded', 0):>14} {count.get('dropped', 0):>14} {count.get('denied', 0):>14} {count.get('acl', 0):>14}")  # fmt: skip
    return "\n".join([*lines, ""])


def _inspected_ports(at: Exec, _match: Match) -> str:
    lines = [" Interface        Trust State     Rate (pps)    Burst Interval", " ---------------  -----------     ----------    --------------"]  # fmt: skip
    for port in View(at).ports:
        trusted = "arp" in port.config.trusted
        lines.append(
            f" {port.short:<16} {'Trusted' if trusted else 'Untrusted':<15} {'None' if trusted else '15':>10}    {'N/A' if trusted else '1':>14}"
        )
    return "\n".join([*lines, ""])


def _clear_security(at: Exec, match: Match) -> None:
    wanted = match.get("interface")
    for entry, body in at.config.sections("interface"):
        if not match.has("dynamic") and wanted in (None, entry["name"]):
            for line in body.all("port-security sticky mac"):
                body.remove(line)
    at.device.touch()
    at.device.commit()
    what = next(word for word in ("dynamic", "sticky", "all") if match.has(word))
    View(at).command(f"clear security {what}" + (f" {interfaces.kernel_name(wanted)}" if wanted else ""))


def _clear_bindings(at: Exec, _match: Match) -> None:
    View(at).command("clear bindings")


# ---- grammar ----

_PORT = (
    Command(pattern="switchport port-security", name="port-security", check=_needs_mode, help="Security related command"),
    Command(pattern="switchport port-security maximum {maximum:1-4097}", name="port-security maximum", default=("switchport port-security maximum 1",)),
    Command(
        pattern="switchport port-security violation ( protect | restrict | shutdown )",
        name="port-security violation", default=("switchport port-security violation shutdown",),
    ),
    Command(pattern="switchport port-security mac-address sticky", name="port-security sticky", edit=_sticky),
    Command(pattern="switchport port-security mac-address sticky {mac!:mac}", name="port-security sticky mac", check=_check_mac),
    Command(pattern="switchport port-security mac-address {mac!:mac}", name="port-security mac", check=_check_mac),
    Command(pattern="switchport port-security aging time {minutes:1-1440}", name="port-security aging time"),
    Command(
        pattern="switchport port-security aging type ( absolute | inactivity )", name="port-security aging type",
        default=("switchport port-security aging type absolute",), marked="addresses age by the time since they were learned",
    ),
    Command(pattern="switchport port-security aging static", marked="configured addresses stay"),
    Command(pattern="ip dhcp snooping trust", name="dhcp snooping trust", help="DHCP Snooping trust config"),
    Command(pattern="ip dhcp snooping limit rate {rate:1-2048}", name="dhcp snooping limit", marked=_NO_RATE),
    Command(pattern="ip dhcp snooping information option allow-untrusted", name="dhcp snooping allow port", marked=_NO_OPTION),
    Command(pattern="ip arp inspection trust", name="arp inspection trust", help="Configure Trust state"),
    Command(pattern="ip arp inspection limit ( none | rate {rate:0-2048} [ burst interval {seconds:1-15} ] )", name="arp inspection limit", marked=_NO_RATE),
    Command(pattern="ip verify source [ port-security ]", marked="packets of hosts are not compared with bindings"),
)  # fmt: skip

_GLOBAL = (
    Command(pattern="ip dhcp snooping", name="dhcp snooping", help="DHCP Snooping"),
    Command(pattern="ip dhcp snooping vlan {vlans:vlans}", name="dhcp snooping vlan", edit=_vlan_set),
    Command(pattern="ip dhcp snooping verify mac-address", name="dhcp snooping verify", keeps_no=True, default=("ip dhcp snooping verify mac-address",)),
    Command(pattern="ip dhcp snooping information option", name="dhcp snooping option", keeps_no=True, default=("ip dhcp snooping information option",)),
    Command(pattern="ip dhcp snooping information option allow-untrusted", name="dhcp snooping allow", marked=_NO_OPTION),
    Command(pattern="ip dhcp snooping database {url:line}", name="dhcp snooping database", marked="bindings are not written to a file"),
    Command(pattern="ip arp inspection vlan {vlans:vlans}", name="arp inspection vlan", edit=_vlan_set, help="Enable/Disable ARP Inspection on vlans"),
    Command(pattern="ip arp inspection validate ( src-mac | dst-mac | ip )+", name="arp inspection validate"),
    Command(pattern="ip arp inspection log-buffer ( entries | logs ) {rest:line}", name="arp inspection log-buffer", marked="what is dropped is logged at once"),
    Command(pattern="arp access-list {name!:word}", name="arp access-list", opens=ARP_MODE, help="Named ARP access list"),
    Command(pattern="ip arp inspection filter {name!:word} vlan {vlans!:vlans} [ static ]", name="arp inspection filter"),
    Command(pattern="ip source binding {mac!:mac} vlan {vlan!:1-4094} {address:ipv4} interface {interface:interface}", name="source binding"),
)  # fmt: skip

_EXEC = (
    Command(pattern="show port-security [ address | interface {interface:interface} ]", name="show port-security", run=_security, user=True, help="Show secure port information"),
    Command(pattern="show ip dhcp snooping", run=_snooping, user=True),
    Command(pattern="show ip dhcp snooping binding", run=_bindings, user=True),
    Command(pattern="show ip arp inspection [ vlan {vlans:vlans} ]", name="show ip arp inspection", run=_inspection, user=True),
    Command(pattern="show ip arp inspection interfaces", run=_inspected_ports, user=True),
    Command(pattern="clear port-security ( all | dynamic | sticky ) [ interface {interface:interface} ]", run=_clear_security, changes=True),
    Command(pattern="clear ip dhcp snooping binding *", run=_clear_bindings, changes=True),
)  # fmt: skip

AREA = Area(
    name="l2security",
    modes=(Mode(name=ARP_MODE, prompt="config-arp-nacl", help="ARP access list"),),
    observe=_observe,
    commands=(
        *(replace(command, mode=MODE, roles=SWITCH) for command in _PORT),
        *(replace(command, roles=SWITCH) for command in _GLOBAL),
        *(replace(command, mode="exec", roles=SWITCH) for command in _EXEC),
        *(_arp_rule(words) for words in ("permit", "deny")),
    ),
    help={
        "port-security": "Security related command",
        "snooping": "DHCP Snooping",
        "inspection": "Arp Inspection configuration",
    },
    scope=(
        ("port security: maximum, configured and sticky addresses, protect, restrict, shutdown, aging by time", "yes"),
        (
            "DHCP snooping: trusted ports, binding table, hardware address check",
            "yes, without option 82 and rate limits",
        ),
        (
            "ARP inspection: against bindings and access lists, validation",
            "yes, with ARP access lists, without rate limits",
        ),
        ("IP source guard", "accepted without effect"),
    ),
)
