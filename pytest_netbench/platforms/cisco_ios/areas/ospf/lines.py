"""Lines that OSPF for IPv4 and for IPv6 have in common, with the modes or prefixes of each form."""

from __future__ import annotations

from collections.abc import Callable

from pytest_netbench.platforms.cisco_ios.areas.common import igp
from pytest_netbench.platforms.cisco_ios.areas.interfaces.grammar import MODE as INTERFACE
from pytest_netbench.platforms.cisco_ios.config.edit import Edit
from pytest_netbench.platforms.cisco_ios.grammar.command import Command, Match
from pytest_netbench.platforms.cisco_ios.grammar.tables import setting, table

Modes = str | tuple[str, ...]

METRIC = "metric {metric:0-16777214} | metric-type {type:1-2}"
"""The pattern of the metric options of external routes."""


def process_lines(modes: Modes) -> tuple[Command, ...]:
    """Return commands about the process as a whole."""
    return table(
        ("router-id {id:ipv4}", "router-id for this OSPF process"),
        *igp.passive_commands(modes),
        setting(
            "auto-cost reference-bandwidth {mbps:1-4294967}",
            "Use reference bandwidth method to assign OSPF cost",
            default="auto-cost reference-bandwidth 100",
        ),
        ("timers throttle spf {start:1-600000} {hold:1-600000} {max:1-600000}", "OSPF SPF timers"),
        setting(
            "timers throttle lsa [ all ] {start:0-600000} {hold:1-600000} {max:1-600000}",
            marked="LSAs are sent without delay",
        ),
        setting("timers lsa arrival {ms:0-600000}", marked="LSAs are accepted without delay"),
        setting(
            "timers pacing ( flood | lsa-group | retransmission ) {ms:5-1800}", marked="LSAs are sent without delay"
        ),
        setting(
            "log-adjacency-changes [ detail ]",
            "Log changes in adjacency state",
            keeps_no=True,
            default="log-adjacency-changes",
        ),
        mode=modes,
    )


def route_lines(modes: Modes, *, most_distance: int) -> tuple[Command, ...]:
    """Return commands about routes that a process learns and advertises.

    Args:
        modes: The modes that know them.
        most_distance: The highest administrative distance.
    """
    distance = f"1-{most_distance}"
    return table(
        (
            f"default-information originate < always | {METRIC} | route-map {{map:word}} >",
            "Control distribution of default route",
        ),
        ("default-metric {metric:1-16777214}", "Set metric of redistributed routes"),
        setting(f"distance {{distance:{distance}}}", "Define an administrative distance", default="distance 110"),
        (
            (
                f"distance ospf < external {{external:{distance}}} | inter-area {{inter:{distance}}} | intra-area"
                f" {{intra:{distance}}} >+"
            ),
            "OSPF distance",
        ),
        setting("maximum-paths {paths:1-32}", "Forward packets over multiple paths", default="maximum-paths 4"),
        mode=modes,
    )


_PARAMETERS = {
    "cost": ("{cost:1-65535}", "Interface cost"),
    "priority": ("{priority:0-255}", "Router priority"),
    "hello-interval": ("{seconds:1-65535}", "Time between HELLO packets"),
    "dead-interval": ("^ {seconds:1-65535}", "Interval after which a neighbor is declared dead"),
    "retransmit-interval": ("{seconds:1-65535}", "Time between retransmitting lost link state advertisements"),
    "transmit-delay": ("{seconds:1-65535}", "Link state transmit delay"),
    "network": ("^ ( broadcast | point-to-point )", "Network type"),
    "mtu-ignore": ("", "Ignores the MTU in DBD packets"),
}
_USUAL = {"priority": 1, "retransmit-interval": 5, "transmit-delay": 1}


def interface_lines(
    words: str,
    *,
    name: str = "",
    edit: Callable[[Edit, Match], str | None] | None = None,
    **others: str,
) -> tuple[Command, ...]:
    """Return the commands of OSPF for an interface, except its area.

    Args:
        words: The beginning of the lines, as a pattern.
        name: The name for compilers; default: ``words``. If it contains arguments, the lines have no default values.
        edit: The ``edit`` of each command.
        others: Patterns that differ in this form, by parameter, e.g. ``network``.
    """
    name = name or words
    return tuple(
        setting(
            f"{words} {parameter} {others.get(parameter.replace('-', '_'), usual)}".rstrip(),
            meaning,
            name=f"{name} {parameter}",
            default=(f"{words} {parameter} {_USUAL[parameter]}",) if parameter in _USUAL and "{" not in words else (),
            edit=edit,
            mode=INTERFACE,
        )
        for parameter, (usual, meaning) in _PARAMETERS.items()
    )
