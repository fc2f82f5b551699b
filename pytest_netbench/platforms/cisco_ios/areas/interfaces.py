"""Interfaces: their names, addresses, state, and the kernel links they are."""

from __future__ import annotations

from collections.abc import Sequence

from pytest_netbench.platforms.cisco_ios import interfaces
from pytest_netbench.platforms.cisco_ios.compile import Context, Interface, mask_length
from pytest_netbench.platforms.cisco_ios.config.edit import Edit
from pytest_netbench.platforms.cisco_ios.config.tree import Entry
from pytest_netbench.platforms.cisco_ios.grammar.command import INVALID, Area, Command, Match, Mode
from pytest_netbench.platforms.cisco_ios.plan import Link

MODE = "if"


def _open(edit: Edit, match: Match) -> str | None:
    name = interfaces.parse(match["name"])
    if match.negated and not name.is_virtual:
        return "% Removal of physical interfaces is not permitted."
    known = edit.config.get("interface", name=str(name))
    if known is None and not match.negated and not name.is_virtual and not edit.booting:
        return INVALID
    words = edit.keep(match)
    if edit.booting and known is not None and not match.negated:
        # a saved config says "shutdown" where it holds and nothing where it does not
        for entry in known.body.all("shutdown"):
            known.body.remove(entry)
    return words


def _seeds(entry: Entry, role: str) -> Sequence[str]:
    name = interfaces.parse(entry["name"])
    if name.kind == "Null":
        return ()
    return ("no ip address",) if name.is_virtual or role == "switch" else ("no ip address", "shutdown")


def _address(edit: Edit, match: Match) -> str | None:
    """A primary address takes the place of the primary alone; secondaries add up."""
    if match.negated and match.get("address") is None:
        for entry in edit.section.all("ip address"):
            edit.section.remove(entry)
    elif match.negated:
        for entry in edit.section.all("ip address"):
            if entry["address"] == match["address"] and entry.has("secondary") == match.has("secondary"):
                edit.section.remove(entry)
    else:
        for entry in edit.section.all("ip address"):
            same = entry.get("address") == match.get("address")
            if same or (not match.has("secondary") and not entry.has("secondary")):
                edit.section.remove(entry)
        edit.put(match.text)
    for entry in [e for e in edit.section if e.name == "ip address" and e.negated]:
        edit.section.remove(entry)
    if not edit.section.all("ip address"):
        edit.put("no ip address")
    return None


def _check_address(edit: Edit, match: Match) -> str | None:
    if "mask" not in match.args:
        return None
    from ipaddress import IPv4Interface  # noqa: PLC0415 - here only

    mine = IPv4Interface(f"{match['address']}/{match['mask']}")
    if mine.network.prefixlen < 31 and mine.ip in {mine.network.network_address, mine.network.broadcast_address}:
        return f"Bad mask /{mine.network.prefixlen} for address {mine.ip}"
    here = edit.section.parent
    for other, body in edit.config.sections("interface"):
        for entry in body.all("ip address"):
            if other is here or "mask" not in entry.match.args:
                continue
            theirs = IPv4Interface(f"{entry['address']}/{entry['mask']}")
            if theirs.network.overlaps(mine.network) and _vrf(body) == _vrf(edit.section):
                return f"% {mine.network.network_address} overlaps with {other['name']}"
    return None


def _vrf(section: object) -> str:
    return Interface("", section).vrf  # type: ignore[arg-type]


def _compile(context: Context) -> None:
    for one in context.interfaces:
        if one.parsed.kind in {"Null", "Vlan"} or one.parsed.sub is not None:
            continue
        context.plan.links[one.kernel] = Link(
            kind=_kind(context, one), up=one.enabled, addresses=one.addresses, mtu=_mtu(one)
        )


def _kind(context: Context, one: Interface) -> str:
    if one.parsed.kind == "Loopback":
        return "loopback"
    return "physical" if one.name in context.facts.cabled else "uncabled"


def _mtu(one: Interface) -> int | None:
    entry = one.section.get("mtu")
    return int(entry["bytes"]) if entry else None


_MODES = (MODE, "subif")
AREA = Area(
    name="interfaces",
    modes=(
        Mode(name=MODE, prompt="config-if", seeds=_seeds, help="interface"),
        Mode(name="subif", prompt="config-subif", seeds=_seeds, help="subinterface"),
    ),
    commands=(
        Command(pattern="interface {name!:interface}", opens=MODE, edit=_open, help="Select an interface to configure"),
        Command(pattern="description {text:line}", mode=_MODES, help="Interface specific description"),
        Command(pattern="bandwidth {kbit:1-10000000}", mode=_MODES, help="Set bandwidth informational parameter"),
        Command(pattern="mtu {bytes:64-9216}", mode=MODE, help="Set the interface Maximum Transmission Unit (MTU)"),
        Command(
            pattern="ip address ^ {address!:ipv4} {mask:mask} [ secondary ]",
            mode=_MODES,
            keeps_no=True,
            edit=_address,
            check=_check_address,
            help="Set the IP address of an interface",
        ),
        Command(pattern="shutdown", mode=_MODES, help="Shutdown the selected interface"),
    ),
    compile=_compile,
    help={"interface": "Select an interface to configure"},
)

__all__ = ["AREA", "mask_length"]
