"""The daemons of one router as processes: start them, and know which were started."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence

from pytest_netbench.deadline import poll
from pytest_netbench.errors import LabError
from pytest_netbench.platforms.capabilities import HostedNode
from pytest_netbench.platforms.frr import daemons, installation

NO_KERNEL_NEXTHOPS = "no zebra nexthop kernel enable"
"""A line of every router that no config mentions. Configs are shown without it."""
_ENABLED = "/etc/frr/daemons"
_OPTIONS = "frr-daemon-options"
_DONE = "frr-daemon-done"
_ADOPTED = "frr-daemons-adopted"
# a fresh network namespace does not forward, a router does
_PREPARE = (
    "enable",
    "configure terminal",
    "ip forwarding",
    "ipv6 forwarding",
    # the kernel deletes its objects of next hops with a carrier, and zebra goes on to use them (FRR issue 19107)
    NO_KERNEL_NEXTHOPS,
    "end",
)
_NONE: Mapping[str, Sequence[str]] = {}
_NO_ENV: Mapping[str, Mapping[str, str]] = {}
_INTERFACES = "show yang operational-data /frr-interface:lib"
# a later FRR may not have this command; then the state is unknown
_TOLD = re.compile(r'"name"|Unknown command')
# these have no interfaces of zebra's to list
_NOT_TOLD = frozenset({"mgmtd", "zebra", "ldpd"})
# What a daemon says goes where its standard output goes, which no node can see. Its configuration shows nothing of it.
_LOGGING = ("--log", "file:/proc/self/fd/1", "--log-level", "debugging")
_TELLING_S = 20.0
_PACE_S = 0.002  # a daemon tells nobody that zebra has told it of the interfaces
_KILL = """
pids=$(cat /run/frr/*.pid)
kill -9 $pids
for pid in $pids; do
    tries=0
    while kill -0 $pid 2>/dev/null && [ $tries -lt 200 ]; do tries=$((tries + 1)); sleep 0.01; done
done
rm -f /run/frr/*.pid /run/frr/*.vty /run/frr/zserv.api
# buffers of log messages, which a killed daemon leaves behind; each holds memory of the node
rm -rf /var/tmp/frr/*.*
"""


def start(
    node: HostedNode,
    names: Iterable[str],
    *,
    running: frozenset[str] = frozenset(),
    options: Mapping[str, Sequence[str]] = _NONE,
    env: Mapping[str, Mapping[str, str]] = _NO_ENV,
) -> None:
    """Start daemons in parallel, wait until each accepts a config, and add them to ``running``.

    A daemon that finds no zebra tries again only after ten seconds, so zebra must answer before the others start.

    Args:
        node: Where.
        names: The daemons.
        running: Those that run already.
        options: By name: beside those of ``note_options``.
        env: By name: variables of its environment.
    """
    home = installation.of(node).home(node.name)
    wanted = list(names)
    noted = noted_options(node)
    for name in wanted:
        node.memory.setdefault(_DONE, {})[name] = set()
        node.start(
            [f"{home}/{name}", "-P", "0", *_LOGGING, *noted.get(name, ()), *options.get(name, ())], env=env.get(name)
        )
    node.vty([(name, "show version") for name in wanted])
    for name in wanted:
        if name not in _NOT_TOLD:
            _await_interfaces(node, name)
    node.write_file(_ENABLED, daemons.format_enabled({*running, *wanted}))


def note_options(node: HostedNode, options: Mapping[str, Sequence[str]]) -> None:
    """Note with which options daemons are started from now on, whoever starts them."""
    node.memory[_OPTIONS] = options


def noted_options(node: HostedNode) -> Mapping[str, Sequence[str]]:
    """By daemon: what ``note_options`` noted."""
    noted: Mapping[str, Sequence[str]] = node.memory.get(_OPTIONS, _NONE)
    return noted


def is_first_time(node: HostedNode, daemon: str, what: str) -> bool:
    """Whether this is asked for the first time since a daemon was started; ``what`` is any name."""
    done: set[str] = node.memory[_DONE][daemon]
    if what in done:
        return False
    done.add(what)
    return True


def _await_interfaces(node: HostedNode, daemon: str) -> None:
    """Wait until zebra has told a daemon of the interfaces.

    A config that is loaded sooner is lost or does harm: staticd forgets routes to Null0, and where VRFs are namespaces
    (``zebra -n``) isisd, eigrpd and ripd keep interfaces under a name without VRF, and abort when asked for their
    config.
    """
    asked = [(daemon, _INTERFACES)]
    if not poll(lambda: _TOLD.search(node.vty(asked)[0][0]), until=bool, within_s=_TELLING_S, pause_s=_PACE_S):
        raise LabError(f"{node.name}: {daemon} has not heard of the interfaces from zebra in {_TELLING_S:g} s")


def start_router(node: HostedNode, needed: Iterable[str], *, options: Mapping[str, Sequence[str]] = _NONE) -> None:
    """Start what every router runs and the daemons ``needed``."""
    first = daemons.always(installation.of(node).names)
    start(node, first, options=options)
    node.vty([("zebra", line) for line in _PREPARE])
    if others := sorted(set(needed) - set(first)):
        start(node, others, running=frozenset(first))


def restart_router(node: HostedNode, *, options: Mapping[str, Sequence[str]] = _NONE) -> None:
    """End all daemons and start them with an empty config."""
    names = running(node)
    end_router(node)
    start_router(node, names - set(daemons.always(installation.of(node).names)), options=options)


def end_router(node: HostedNode) -> None:
    """End all daemons without notice to their neighbors."""
    node.run(["/bin/sh", "-c", _KILL])
    note_running(node, ())


def note_adopted(node: HostedNode, names: Iterable[str]) -> None:
    """Note that these daemons run on a node, started by somebody else, and that none is started from now on."""
    node.memory[_ADOPTED] = frozenset(names)
    node.memory[_DONE] = {name: set() for name in names}


def is_adopted(node: HostedNode) -> bool:
    """Whether the daemons of a node were started by somebody else."""
    return _ADOPTED in node.memory


def running(node: HostedNode) -> frozenset[str]:
    """The daemons that were started on ``node`` and not stopped since."""
    if is_adopted(node):
        adopted: frozenset[str] = node.memory[_ADOPTED]
        return adopted
    return daemons.parse_enabled(node.read_file(_ENABLED))


def note_running(node: HostedNode, names: Iterable[str]) -> None:
    """Note which daemons run, so that the others are not asked."""
    node.write_file(_ENABLED, daemons.format_enabled(names))
