"""The grammar of the area ``eigrp``: its commands and how lines are stored."""

from __future__ import annotations

from ipaddress import IPv4Address

from pytest_netbench.platforms.cisco_ios.areas.common import igp
from pytest_netbench.platforms.cisco_ios.areas.interfaces.grammar import MODE as INTERFACE
from pytest_netbench.platforms.cisco_ios.config.edit import Edit
from pytest_netbench.platforms.cisco_ios.grammar.command import Command, Match, Mode

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
    for entry in [entry for entry in edit.section.all("network") if entry.text == text]:
        edit.section.remove(entry)
    if not match.negated and not match.reset:
        edit.put(text)
    return None


_PROCESS = (
    Command(
        pattern="network {network!:ipv4} [ {wildcard!:wildcard} ]",
        mode=MODE,
        edit=_network,
        help="Enable routing on an IP network",
    ),
    Command(
        pattern="auto-summary",
        mode=MODE,
        marked="subnets are announced across the borders of classful networks",
        help="Enable automatic network number summarization",
    ),
    *igp.passive_commands(MODE),
    Command(pattern="eigrp router-id {id:ipv4}", mode=MODE, help="router id for this EIGRP process"),
    Command(
        pattern="eigrp log-neighbor-changes",
        mode=MODE,
        keeps_no=True,
        default=("eigrp log-neighbor-changes",),
        help="Enable/Disable EIGRP neighbor logging",
    ),
    Command(
        pattern="variance {factor:1-128}", mode=MODE, default=("variance 1",), help="Control load balancing variance"
    ),
    Command(
        pattern="maximum-paths {paths:1-32}",
        mode=MODE,
        default=("maximum-paths 4",),
        help="Forward packets over multiple paths",
    ),
    Command(
        pattern="ip hello-interval eigrp {process!:1-65535} {seconds:1-65535}",
        mode=INTERFACE,
        name="ip hello-interval eigrp",
        help="Configures EIGRP-IPv4 hello interval",
    ),
    Command(
        pattern="ip hold-time eigrp {process!:1-65535} {seconds:1-65535}",
        mode=INTERFACE,
        name="ip hold-time eigrp",
        help="Configures EIGRP-IPv4 hold time",
    ),
)


COMMANDS: tuple[Command, ...] = (
    Command(
        pattern="router eigrp {process!:1-65535}",
        opens=MODE,
        edit=_open,
        help="Enhanced Interior Gateway Routing Protocol (EIGRP)",
    ),
    *_PROCESS,
)


MODES = (Mode(name=MODE, prompt="config-router", help="EIGRP"),)
