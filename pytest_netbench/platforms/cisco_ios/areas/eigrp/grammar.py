"""The grammar of the area ``eigrp``: its commands and how lines are stored."""

from __future__ import annotations

from ipaddress import IPv4Address

from pytest_netbench.platforms.cisco_ios.areas.common import igp
from pytest_netbench.platforms.cisco_ios.areas.interfaces.grammar import MODE as INTERFACE
from pytest_netbench.platforms.cisco_ios.config.edit import Edit
from pytest_netbench.platforms.cisco_ios.grammar.command import Match, Mode
from pytest_netbench.platforms.cisco_ios.grammar.tables import setting, table

MODE = "router-eigrp"


def _open(edit: Edit, match: Match) -> str | None:
    others = [e for e in edit.config.all("router eigrp") if e["process"] != match["process"]]
    if others and not match.negated and not match.reset:
        return f"% EIGRP: autonomous system {others[0]['process']} runs already, and this device runs one"
    return edit.keep(match)


def _network(edit: Edit, match: Match) -> str | None:
    """Store a network: classful without a wildcard; a subnet mask is converted to the inverse wildcard."""
    text = f"network {igp.classful(match['network']).network_address}"
    if "wildcard" in match.args:
        wildcard = int(IPv4Address(match["wildcard"]))
        care = ~wildcard & 0xFFFFFFFF
        if wildcard & (wildcard + 1):
            if care & (care + 1):
                return "%Discontiguous mask is not supported"
            wildcard, care = care, wildcard
        network = IPv4Address(int(IPv4Address(match["network"])) & care)
        text = f"network {network} {IPv4Address(wildcard)}"
    edit.section.remove(*(entry for entry in edit.section.all("network") if entry.text == text))
    if not match.negated and not match.reset:
        edit.put(text)
    return None


_PROCESS = table(
    setting(
        "network {network!:ipv4} [ {wildcard!:wildcard} ]", "Enable routing on an IP network", edit=_network, mode=MODE
    ),
    setting(
        "auto-summary",
        "Enable automatic network number summarization",
        marked="subnets are announced across the borders of classful networks",
        mode=MODE,
    ),
    *igp.passive_commands(MODE),
    setting("eigrp router-id {id:ipv4}", "router id for this EIGRP process", mode=MODE),
    setting("eigrp log-neighbor-changes", "Enable/Disable EIGRP neighbor logging", on=True, mode=MODE),
    setting("variance {factor:1-128}", "Control load balancing variance", default="variance 1", mode=MODE),
    setting("maximum-paths {paths:1-32}", "Forward packets over multiple paths", default="maximum-paths 4", mode=MODE),
    setting(
        "ip hello-interval eigrp {process!:1-65535} {seconds:1-65535}",
        "Configures EIGRP-IPv4 hello interval",
        mode=INTERFACE,
    ),
    setting(
        "ip hold-time eigrp {process!:1-65535} {seconds:1-65535}", "Configures EIGRP-IPv4 hold time", mode=INTERFACE
    ),
)

COMMANDS = table(
    setting(
        "router eigrp {process!:1-65535}", "Enhanced Interior Gateway Routing Protocol (EIGRP)", opens=MODE, edit=_open
    ),
    *_PROCESS,
)

MODES = (Mode(name=MODE, prompt="config-router", help="EIGRP"),)
