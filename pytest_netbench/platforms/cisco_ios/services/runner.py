"""Services from pytest's side: start their processes, configure them, read their state."""

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
# Tracked objects are shared within a process; these services depend on them or log their changes.
_TOGETHER = {"fhrp": "gateway", "sla": "gateway", "syslog": "gateway", "acllog": "gateway", "times": "gateway"}


def interpreter() -> str | None:
    """Return the Python interpreter of nodes (they use the host's ``/usr``), or ``None`` if there is none."""
    return which(INTERPRETER)


def apply(node: HostedNode, old: Mapping[str, Mapping[str, Any]], new: Mapping[str, Mapping[str, Any]]) -> None:
    """Change the services of ``node`` from the configurations ``old`` to ``new``, by service name.

    A service that is no longer wanted undoes its changes to the node and becomes idle; its process stays.
    ``NAME@VRF`` is the service NAME in the namespace of a VRF, in a separate process that ends with its last
    service.

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
    """Return the state of the service ``name`` on ``node``, documented at the service's ``state``.

    Raises:
        LabError: It is not running.
    """
    answer: dict[str, Any] = json.loads(_ask(node, name, "state"))
    return answer


def messages(node: HostedNode, names: Iterable[str]) -> dict[str, list[dict[str, Any]]]:
    """Return the last log messages of the processes of the services ``names``, by process.

    Raises:
        LabError: One is not running.
    """
    processes = {_process(name): name for name in names}
    return {process: json.loads(_ask(node, name, "messages")) for process, name in sorted(processes.items())}


def command(node: HostedNode, name: str, words: str) -> str:
    """Run a command of a service, e.g. ``clear binding *`` of ``dhcp``; return its result.

    Raises:
        LabError: It is not running, or refused.
    """
    return _ask(node, name, "", words)


def waiting(node: HostedNode, names: Iterable[str]) -> list[str]:
    """Return what the services ``names`` of ``node`` wait for until they are settled, one phrase each."""
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
    """End a process, because its namespace is being removed."""
    path = f"/run/frr/ios-{process}"
    node.run(["/bin/sh", "-c", 'kill -9 "$(cat "$0.pid")" && rm -f "$0.pid" "$0.vty"', path])


def _start(node: HostedNode, processes: set[str]) -> None:
    """Start processes that do not listen yet, in parallel."""
    sockets = {name: f"/run/frr/ios-{name}.vty" for name in sorted(processes)}
    answers = node.run_many([["/usr/bin/test", "-S", path] for path in sockets.values()])
    absent = [name for name, done in zip(sockets, answers, strict=True) if done.returncode]
    if not absent:
        return
    if interpreter() is None:
        raise LabError(f"{node.name}: services need {INTERPRETER}, which is not there (fix: {INSTALL_COMMAND})")
    _install(node)
    for name in absent:
        vrf = name.partition("@")[2]
        enter = ["/usr/bin/nsenter", f"--net=/run/netns/{vrf}"] if vrf else []
        node.start([*enter, INTERPRETER, "-I", "-S", str(_LIBRARY), name])
        # a backend may hold a connection to a process that a reload ended; a request makes it notice
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
    """Return the programs by path. The packages need no ``__init__.py`` in a node."""
    return {
        f"{package.name}/{file.name}": file.read_text(encoding="utf-8")
        for package in resources.files(_PROGRAMS).iterdir()
        if package.is_dir()
        for file in package.iterdir()
        if file.name.endswith(".py") and file.name != "__init__.py"
    }
