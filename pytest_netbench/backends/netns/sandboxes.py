"""Sandboxes for Python programs: one node without links, and the confinement of agents' read commands."""

from __future__ import annotations

import os
import platform
import shlex
from collections.abc import Mapping, Sequence
from pathlib import PurePosixPath

from pytest_netbench.backends.netns import packages, starter
from pytest_netbench.backends.netns.channel import Channel
from pytest_netbench.backends.netns.machine import checks
from pytest_netbench.backends.netns.nodes.program import sandbox_of
from pytest_netbench.backends.netns.plan import hidden_directories
from pytest_netbench.backends.netns.supervisor.roots import SHARED
from pytest_netbench.errors import RequirementMissing
from pytest_netbench.kernel.isolation import unused_uid
from pytest_netbench.lab.report import Check
from pytest_netbench.platforms.access import Completed, SandboxLimits

_NODE = "sandbox"
_OLDEST = (3, 11)
# isolated, without writing compiled files; the archives come first, then the program
_BOOT = "import runpy, sys; sys.path[:0] = sys.argv[2:]; runpy.run_path(sys.argv[1], run_name='__main__')"


class NetnsSandboxes:
    """Makes sandboxes of the namespaces that labs are made of."""

    name = "netns"
    memory_mb = 70.0  # measured: 11 idle, 68 with a program that copies a graph of 5,493 nodes

    def report(self) -> list[Check]:
        if platform.system() != "Linux":
            return [checks.not_linux()]
        lack = _no_interpreter()
        detail, remedy = lack or (f"programs of agents run with {packages.INTERPRETER}", None)
        return [*checks.namespace_checks(), Check("sandboxes", lack is None, False, detail, remedy)]

    def lacks(self) -> tuple[str, str | None] | None:
        if platform.system() != "Linux":
            missing = checks.not_linux()
            return missing.detail, missing.remedy
        starter.warm_up()
        for check in checks.namespace_checks():
            if check.required and not check.ok:
                return check.detail, check.remedy
        return _no_interpreter()

    def open(self, *, packages: Sequence[str]) -> NetnsSandbox:
        if (lack := self.lacks()) is not None:
            raise RequirementMissing(*lack)
        return NetnsSandbox(packages)


class NetnsSandbox:
    """One sandbox. It ends with the process that made it.

    Args:
        names: Packages that programs can import.
    """

    def __init__(self, names: Sequence[str]) -> None:
        shared = {f"{name}.zip": str(packages.archive(name)) for name in names}
        self._archives = [f"{SHARED}/{name}" for name in shared]
        self._channel = Channel(
            {
                "nodes": [{"name": _NODE, "interfaces": []}],
                "links": [],
                "time_scale": 1.0,
                "date": None,
                "shared": shared,
                "hidden": hidden_directories(),
                "uid": unused_uid(),
                "redirecting": False,
                "tunnels": False,
            }
        )
        self._open = True

    def put(self, files: Mapping[str, str]) -> None:
        self._channel.call("write", node=_NODE, files=[[path, text, 0o444] for path, text in files.items()])

    def run(self, path: str, *, limits: SandboxLimits) -> Completed:
        words = [str(packages.INTERPRETER), "-I", "-B", "-c", _BOOT, str(PurePosixPath(path)), *self._archives]
        answer = self._channel.call(
            "shell",
            node=_NODE,
            command=f"exec {shlex.join(words)}",
            writable=False,
            reads=[],
            timeout_s=limits.timeout_s,
            output_bytes=limits.output_bytes,
            **sandbox_of(limits),
        )
        return Completed(**answer)

    def close(self) -> None:
        if self._open:
            self._open = False
            self._channel.close()
            self._channel.await_end()


def _no_interpreter() -> tuple[str, str | None] | None:
    check = checks.interpreter_check(packages.INTERPRETER)
    if not check.ok:
        return f"{packages.INTERPRETER} is not there, and programs of agents run with it", check.remedy
    real = packages.INTERPRETER.resolve().name
    if os.access(packages.INTERPRETER, os.X_OK) and real.startswith("python3."):
        minor = real.removeprefix("python3.")
        if minor.isdigit() and int(minor) < _OLDEST[1]:
            return f"{packages.INTERPRETER} is Python 3.{minor}, and programs of agents need 3.{_OLDEST[1]}", None
    return None
