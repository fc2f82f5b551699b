"""The exec commands of the area ``l2security``: show and clear."""

from __future__ import annotations

from collections.abc import Iterator

from pytest_netbench.dialects.cisco_ios import interfaces
from pytest_netbench.platforms.cisco_ios.areas.switching.state import SERVICE
from pytest_netbench.platforms.cisco_ios.areas.switching.view import Port, View, short_name
from pytest_netbench.platforms.cisco_ios.areas.switching.vlans import SWITCH
from pytest_netbench.platforms.cisco_ios.device.device import Device
from pytest_netbench.platforms.cisco_ios.device.exec import Exec
from pytest_netbench.platforms.cisco_ios.grammar.command import Match
from pytest_netbench.platforms.cisco_ios.grammar.tables import action, show
from pytest_netbench.platforms.cisco_ios.grammar.types import format_vlans, parse_vlans
from pytest_netbench.platforms.cisco_ios.services import runner
from pytest_netbench.platforms.cisco_ios.shows.ports import cisco_mac


def _observe(device: Device) -> None:
    """Write learned sticky addresses into the config."""
    sticky = [(e, body) for e, body in device.config.sections("interface") if body.has("port-security sticky")]
    if not sticky or SERVICE not in device.applied.services:
        return
    learned = runner.state(device.node, SERVICE)["security"]
    for entry, body in sticky:
        known = {line["mac"] for line in body.all("port-security sticky mac")}
        for _, mac, kind in learned.get(interfaces.kernel_name(entry["name"]), {}).get("addresses", ()):
            if kind == "SecureSticky" and cisco_mac(mac) not in known:
                device.edit(body).put(f"switchport port-security mac-address sticky {cisco_mac(mac)}")


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
                f"{port.short:>11} {port.config.security['maximum']:>14} {len(live['addresses']):>12}"
                f" {live['violations']:>17}         {str(port.config.security['violation']).capitalize()}"
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
    lines = [
        "               Secure Mac Address Table",
        rule,
        "Vlan    Mac Address       Type                          Ports   Remaining Age",
    ]
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
    lines += [
        "",
        " Vlan     Configuration    Operation   ACL Match          Static ACL",
        " ----     -------------    ---------   ---------          ----------",
    ]
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
    lines += [
        "",
        " Vlan      Forwarded        Dropped     DHCP Drops      ACL Drops",
        " ----      ---------        -------     ----------      ---------",
    ]
    counts = view.live.get("snooping", {}).get("arp", {})
    for vlan in vlans:
        count = counts.get(str(vlan), {})
        lines.append(
            f"{vlan:>5} {count.get('forwarded', 0):>14} {count.get('dropped', 0):>14} {count.get('denied', 0):>14}"
            f" {count.get('acl', 0):>14}"
        )
    return "\n".join([*lines, ""])


def _inspected_ports(at: Exec, _match: Match) -> str:
    lines = [
        " Interface        Trust State     Rate (pps)    Burst Interval",
        " ---------------  -----------     ----------    --------------",
    ]
    for port in View(at).ports:
        trusted = "arp" in port.config.trusted
        lines.append(
            f" {port.short:<16} {'Trusted' if trusted else 'Untrusted':<15} {'None' if trusted else '15':>10}   "
            f" {'N/A' if trusted else '1':>14}"
        )
    return "\n".join([*lines, ""])


def _clear_security(at: Exec, match: Match) -> None:
    wanted = match.get("interface")
    for entry, body in at.config.sections("interface"):
        if not match.has("dynamic") and wanted in (None, entry["name"]):
            body.remove(*body.all("port-security sticky mac"))
    at.device.touch()
    at.device.commit()
    what = next(word for word in ("dynamic", "sticky", "all") if match.has(word))
    View(at).command(f"clear security {what}" + (f" {interfaces.kernel_name(wanted)}" if wanted else ""))


def _clear_bindings(at: Exec, _match: Match) -> None:
    View(at).command("clear bindings")


SHOWS = (
    show(
        "port-security [ address | interface {interface:interface} ]",
        _security,
        "Show secure port information",
        roles=SWITCH,
    ),
    show("ip dhcp snooping", _snooping, roles=SWITCH),
    show("ip dhcp snooping binding", _bindings, roles=SWITCH),
    show("ip arp inspection [ vlan {vlans:vlans} ]", _inspection, roles=SWITCH),
    show("ip arp inspection interfaces", _inspected_ports, roles=SWITCH),
    action(
        "clear port-security ( all | dynamic | sticky ) [ interface {interface:interface} ]",
        _clear_security,
        roles=SWITCH,
    ),
    action("clear ip dhcp snooping binding *", _clear_bindings, roles=SWITCH),
)
