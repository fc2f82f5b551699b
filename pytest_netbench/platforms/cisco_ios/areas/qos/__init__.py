"""Quality of service: classes, marking, policing, queueing, shaping, and policing of the control plane."""

from pytest_netbench.platforms.cisco_ios.areas.qos import grammar, shows
from pytest_netbench.platforms.cisco_ios.areas.qos.compile import compile_policies
from pytest_netbench.platforms.cisco_ios.grammar.command import Area

AREA = Area(
    name="qos",
    modes=grammar.MODES,
    types=grammar.TYPES,
    commands=(*grammar.COMMANDS, *shows.COMMANDS),
    compile=compile_policies,
    help=grammar.HELP,
    scope=(
        ("class-map: ACL, DSCP, precedence, protocol by port, packet length, input interface, other classes", "yes"),
        ("set dscp, precedence, qos-group", "yes"),
        ("police, one and two rates", "yes"),
        ("priority, bandwidth, shape average, nested policies", "yes"),
        ("control-plane policing; service-policy input of control-plane host", "yes; the latter without counters"),
        ("control-plane transit, control-plane cef-exception, policies of type port-filter and queue-threshold", "no"),
        ("fair-queue, random-detect", "accepted, without effect"),
        ("cos", "accepted, without effect"),
    ),
)

__all__ = ["AREA"]
