"""Services seen from pytest's side: start their processes, configure them, ask for their state."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from contextlib import suppress
from functools import cache
from importlib import resources
from pathlib import PurePosixPath
from shutil import which
from typing import Any

from pytest_netbench.errors import LabError
from pytest_netbench.platforms.capabilities import HostedNode

INTERPRETER = "/usr/bin/python3"
INSTALL_COMMAND = "apt-get install -y --no-install-recommends python3"
_LIBRARY = PurePosixPath("/run/ios/lib")
_PROGRAMS = f"{__package__}.programs"
# Tracked objects are shared inside a process, and these depend on them or are messages about them.
_TOGETHER = {"fhrp": "gateway", "sla": "gateway", "syslog": "gateway", "acllog": "gateway"}


def interpreter() -> str | None:
    """The Python that nodes can run (theirs is the host's ``/usr``), or ``None`` if there is none."""
    return which(INTERPRETER)


def apply(node: HostedNode, old: Mapping[str, Mapping[str, Any]], new: Mapping[str, Mapping[str, Any]]) -> None:
    """Bring the services of ``node`` from the configurations ``old`` to ``new``, by service name.

    A service that is no longer wanted undoes what it did to the node and goes idle; its process stays. ``NAME@VRF`` is the
    service NAME in the network namespace called VRF, in a process of its own that ends with the last service in it.

    Raises:
        LabError: A service did not start, or refused its configuration.
    """
    gone = [name for name in old if name not in new]
    changed = [name for name in new if name not in old or dict(old[name]) != dict(new[name])]
    if not gone and not changed:
        return
    _start(node, {_process(name) for name in changed})
    for name in gone:
        _ask(node, name, "configure", "{}")
    for name in changed:
        _ask(node, name, "configure", json.dumps(new[name]))
    for process in {_process(name) for name in gone if "@" in name} - {_process(name) for name in new}:
        _end(node, process)


def state(node: HostedNode, name: str) -> dict[str, Any]:
    """The state of the service ``name`` on ``node``. What is in it, the docstring of its ``state`` says.

    Raises:
        LabError: It is not running.
    """
    answer: dict[str, Any] = json.loads(_ask(node, name, "state"))
    return answer


def command(node: HostedNode, name: str, words: str) -> str:
    """Let a service carry out one of its commands, e.g. ``clear binding *`` of ``dhcp``; returns what it says.

    Raises:
        LabError: It is not running, or refused.
    """
    return _ask(node, name, "", words)


def waiting(node: HostedNode, names: Iterable[str]) -> list[str]:
    """What the services ``names`` of ``node`` still wait for until they are settled, one phrase each."""
    return [f"{node.name}: {phrase}" for name in names for phrase in state(node, name).get("waiting", ())]


def _process(name: str) -> str:
    service, at, vrf = name.partition("@")
    return f"{_TOGETHER.get(service, service)}{at}{vrf}"


def _ask(node: HostedNode, name: str, verb: str, argument: str = "") -> str:
    request = f"{verb} {name.partition('@')[0]} {argument}".strip()
    text, status = node.vty([(f"ios-{_process(name)}", request)])[0]
    if status:
        raise LabError(f"{node.name}: service {name} refuses {request.partition('{')[0].strip()!r}: {text}")
    return text


def _end(node: HostedNode, process: str) -> None:
    """End a process: the namespace that it is in goes too."""
    path = f"/run/frr/ios-{process}"
    node.run(["/bin/sh", "-c", 'kill -9 "$(cat "$0.pid")" && rm -f "$0.pid" "$0.vty"', path])


def _start(node: HostedNode, processes: set[str]) -> None:
    """Start those that do not listen yet, side by side."""
    sockets = {name: f"/run/frr/ios-{name}.vty" for name in sorted(processes)}
    answers = node.run_many([["/usr/bin/test", "-S", path] for path in sockets.values()])
    absent = [name for name, done in zip(sockets, answers, strict=True) if done.returncode]
    if not absent:
        return
    if interpreter() is None:
        raise LabError(f"{node.name}: services need {INTERPRETER}, which is not there (mend: {INSTALL_COMMAND})")
    _install(node)
    for name in absent:
        vrf = name.partition("@")[2]
        enter = ["/usr/bin/nsenter", f"--net=/run/netns/{vrf}"] if vrf else []
        node.start([*enter, INTERPRETER, "-I", "-S", str(_LIBRARY), name])
        # a backend may hold a connection to a former process that a reload ended; asking makes it notice
        with suppress(LabError):
            node.vty([(f"ios-{name}", "enable")])


def _install(node: HostedNode) -> None:
    home = _LIBRARY.joinpath(*_PROGRAMS.split("."))
    sources = _sources()
    node.run(["/bin/mkdir", "-p", *sorted({str((home / path).parent) for path in sources})])
    for path, text in sources.items():
        node.write_file(str(home / path), text)
    node.write_file(str(_LIBRARY / "__main__.py"), f"from {_PROGRAMS}.common.host import main\n\nmain()\n")


@cache
def _sources() -> dict[str, str]:
    """The programs by path. The packages need no ``__init__.py`` in a node."""
    return {
        f"{package.name}/{file.name}": file.read_text(encoding="utf-8")
        for package in resources.files(_PROGRAMS).iterdir()
        if package.is_dir()
        for file in package.iterdir()
        if file.name.endswith(".py") and file.name != "__init__.py"
    }
