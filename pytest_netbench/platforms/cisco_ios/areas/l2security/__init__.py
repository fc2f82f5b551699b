"""Layer-2 security: port security, DHCP snooping, ARP inspection."""

from __future__ import annotations

from pytest_netbench.platforms.cisco_ios.areas.interfaces.grammar import MODE
from pytest_netbench.platforms.cisco_ios.areas.l2security.shows import SHOWS, _observe
from pytest_netbench.platforms.cisco_ios.areas.switching.vlans import SWITCH
from pytest_netbench.platforms.cisco_ios.config.edit import Edit
from pytest_netbench.platforms.cisco_ios.grammar.command import Area, Command, Match, Mode
from pytest_netbench.platforms.cisco_ios.grammar.tables import setting, table
from pytest_netbench.platforms.cisco_ios.grammar.types import format_vlans, parse_vlans

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
    """Store a list of VLANs; several lists are merged into one line."""
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
    """Store the sticky option. Removing it turns sticky addresses into dynamic ones."""
    if match.negated or match.reset:
        edit.section.remove(*edit.section.all("port-security sticky mac"))
    return edit.keep(match)


def _arp_rule(words: str) -> Command:
    """Store a line of an ARP access list."""
    return setting(
        f"{words} ip ( any | host {{address!:ipv4}} ) mac ( any | host {{mac!:mac}} ) [ log ]",
        name=f"{words} arp",
        roles=SWITCH,
        mode=ARP_MODE,
    )


# ---- grammar ----

_PORT = table(
    setting("switchport port-security", "Security related command", name="port-security", check=_needs_mode),
    setting(
        "switchport port-security maximum {maximum:1-4097}",
        name="port-security maximum",
        default="switchport port-security maximum 1",
    ),
    setting(
        "switchport port-security violation ( protect | restrict | shutdown )",
        name="port-security violation",
        default="switchport port-security violation shutdown",
    ),
    setting("switchport port-security mac-address sticky", name="port-security sticky", edit=_sticky),
    setting(
        "switchport port-security mac-address sticky {mac!:mac}", name="port-security sticky mac", check=_check_mac
    ),
    setting("switchport port-security mac-address {mac!:mac}", name="port-security mac", check=_check_mac),
    setting("switchport port-security aging time {minutes:1-1440}", name="port-security aging time"),
    setting(
        "switchport port-security aging type ( absolute | inactivity )",
        name="port-security aging type",
        default="switchport port-security aging type absolute",
        marked="addresses age by the time since they were learned",
    ),
    setting("switchport port-security aging static", marked="configured addresses do not age"),
    setting("ip dhcp snooping trust", "DHCP Snooping trust config", name="dhcp snooping trust"),
    setting("ip dhcp snooping limit rate {rate:1-2048}", name="dhcp snooping limit", marked=_NO_RATE),
    setting("ip dhcp snooping information option allow-untrusted", name="dhcp snooping allow port", marked=_NO_OPTION),
    setting("ip arp inspection trust", "Configure Trust state", name="arp inspection trust"),
    setting(
        "ip arp inspection limit ( none | rate {rate:0-2048} [ burst interval {seconds:1-15} ] )",
        name="arp inspection limit",
        marked=_NO_RATE,
    ),
    setting("ip verify source [ port-security ]", marked="packets of hosts are not compared with bindings"),
    mode=MODE,
    roles=SWITCH,
)

_GLOBAL = table(
    setting("ip dhcp snooping", "DHCP Snooping", name="dhcp snooping"),
    setting("ip dhcp snooping vlan {vlans:vlans}", name="dhcp snooping vlan", edit=_vlan_set),
    setting("ip dhcp snooping verify mac-address", name="dhcp snooping verify", on=True),
    setting("ip dhcp snooping information option", name="dhcp snooping option", on=True),
    setting("ip dhcp snooping information option allow-untrusted", name="dhcp snooping allow", marked=_NO_OPTION),
    setting(
        "ip dhcp snooping database {url:line}",
        name="dhcp snooping database",
        marked="bindings are not written to a file",
    ),
    setting(
        "ip arp inspection vlan {vlans:vlans}",
        "Enable/Disable ARP Inspection on vlans",
        name="arp inspection vlan",
        edit=_vlan_set,
    ),
    setting("ip arp inspection validate ( src-mac | dst-mac | ip )+", name="arp inspection validate"),
    setting(
        "ip arp inspection log-buffer ( entries | logs ) {rest:line}",
        name="arp inspection log-buffer",
        marked="drops are logged immediately",
    ),
    setting("arp access-list {name!:word}", "Named ARP access list", opens=ARP_MODE),
    setting("ip arp inspection filter {name!:word} vlan {vlans!:vlans} [ static ]", name="arp inspection filter"),
    setting(
        "ip source binding {mac!:mac} vlan {vlan!:1-4094} {address:ipv4} interface {interface:interface}",
        name="source binding",
    ),
    roles=SWITCH,
)

COMMANDS = (
    *_PORT,
    *_GLOBAL,
    *(_arp_rule(words) for words in ("permit", "deny")),
)

MODES = (Mode(name=ARP_MODE, prompt="config-arp-nacl", help="ARP access list"),)


AREA = Area(
    name="l2security",
    modes=MODES,
    observe=_observe,
    commands=(*COMMANDS, *SHOWS),
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
