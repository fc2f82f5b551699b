"""Building a lab's network: nodes, links, wires, and the clock its daemons go by. Standard library only."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Any, NamedTuple

from pytest_netbench.backends.netns.supervisor import nodes, roots, wiring
from pytest_netbench.backends.netns.supervisor.labclock import LabClock
from pytest_netbench.backends.netns.supervisor.spawn import Home, Namespaces
from pytest_netbench.kernel.cabling import redirects, wires

_BEGIN = "#!/bin/sh\n"
_IN_LAB_TIME = (
    f"NETBENCH_ALONE=1 NETBENCH_CLOCK={roots.SHARED}/clock LD_PRELOAD={roots.SHARED}/labtime.so"
    ' exec "/usr/bin/${0##*/}" "$@"\n'
)
# A limit counts in the time of what it limits: a ping of some wall seconds is not ended after as many lab seconds.
_IF_SO_DOES_WHAT_IT_RUNS = """\
next=duration skips=
for word; do
    if [ "$skips" ]; then skips=; continue; fi
    case $next:$word in
        duration:-k | duration:-s | duration:--kill-after | duration:--signal) skips=yes ;;
        duration:-*) ;;
        duration:*) next=program ;;
        *) break ;;
    esac
done
case ${word##*/} in
    sh | bash | dash | sleep | date | timeout) ;;
    *) exec /usr/bin/timeout "$@" ;;
esac
"""
_SCRIPTS = {
    "date": _BEGIN + _IN_LAB_TIME,
    "sleep": _BEGIN + _IN_LAB_TIME,
    "timeout": _BEGIN + _IF_SO_DOES_WHAT_IT_RUNS + _IN_LAB_TIME,
}


def write() -> None:
    """Write them among the files that all nodes see.

    Raises:
        OSError: They cannot be written.
    """
    folder = f"{os.path.dirname(roots.CLOCK)}/{os.path.basename(roots.TIMED)}"
    os.mkdir(folder)
    for name, text in _SCRIPTS.items():
        path = f"{folder}/{name}"
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
        os.chmod(path, 0o555)


_SLOTS = 3


class Network(NamedTuple):
    """A network that stands.

    Attributes:
        spaces: Every node's namespaces.
        home: The lab's own namespaces.
        clock: Lab time, if daemons can be made to go by it.
        pacer: The program that moves it by events, if there is one.
        wires: Pid and description of the programs that delay, lose and limit what links carry.
        laying: How the links are laid.
        wire_program: The program that wires run, if there is one.
    """

    spaces: Mapping[str, Namespaces]
    home: Home
    clock: LabClock | None
    pacer: str | None
    wires: Mapping[int, str]
    laying: wiring.Plan
    wire_program: wires.WireProgram | None


def build(spec: Mapping[str, Any], host: roots.Host) -> Network:
    """Build what ``spec`` says (see ``backends.netns.plan``).

    Raises:
        OSError: With what could not be made.
    """
    roots.prepare_lab(spec["hidden"])
    programs = {name: roots.share_file(name, content) for name, content in host.shared.items()}
    for name, file in host.large.items():
        roots.share_large_file(name, file)
    os.chdir("/")
    clock = LabClock.create(roots.CLOCK, spec["time_scale"], date=spec["date"]) if "labtime.so" in programs else None
    if clock is not None and spec["date"] is not None:
        write()
    home = nodes.home()
    wiring.quiet_outside()
    stem = roots.prepare_stem(host, home, tunnels=spec["tunnels"])
    spaces = {node["name"]: nodes.make(node["name"], lab=home, stem=stem) for node in spec["nodes"]}
    laying = wiring.batch(
        spec["links"],
        {name: one.network for name, one in spaces.items()},
        redirecting=spec["redirecting"] and (not spec["links"] or redirects.are_possible()),
    )
    wiring.lay(laying.requests)
    for node in spec["nodes"]:
        nodes.plug_in(spaces[node["name"]], home.network, node["interfaces"], summed=node.get("summed", ()))
    wire_program = _wire_program(programs, clock)
    running = {
        wires.start_wire(wire_program, near, far, arguments): wires.description(near, far)
        for near, far, arguments in laying.wires
        if wire_program is not None
    }
    return Network(spaces, home, clock, programs.get("pacer"), running, laying, wire_program)


def _wire_program(programs: Mapping[str, str], clock: LabClock | None) -> wires.WireProgram | None:
    path = programs.get("wire")
    if path is None or clock is None:
        return None if path is None else wires.WireProgram(path)
    env = {"NETBENCH_CLOCK": roots.CLOCK, "NETBENCH_SLOTS": str(_SLOTS)}
    return wires.WireProgram(path, env, {_SLOTS: clock.slots})
