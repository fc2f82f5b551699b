"""The nodes of a lab that a run uses: saved before they are changed, put back at the end."""

from __future__ import annotations

import shlex
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from pytest_netbench import parts
from pytest_netbench.backends.containerlab import kinds, networks
from pytest_netbench.backends.containerlab.attached import clearing
from pytest_netbench.backends.containerlab.attached.routers import RouterConfigs
from pytest_netbench.backends.containerlab.attached.running import Container
from pytest_netbench.backends.containerlab.node import ContainerNode
from pytest_netbench.errors import LabError, RequirementMissing
from pytest_netbench.lab.attaching.linux_state import LinuxState
from pytest_netbench.model.topology import Topology
from pytest_netbench.model.trial import RefusedLine
from pytest_netbench.platforms.access import Exec
from pytest_netbench.platforms.frr import adoption
from pytest_netbench.platforms.linux import sysctls

_FOLDER: Final = "/etc/frr"
_READ: Final = (
    f"cd {_FOLDER} 2>/dev/null || exit 0\n"
    "find . -type f | sort | while read -r file; do\n"
    '  echo "$(stat -c \'%a %u %g\' "$file") $(base64 < "$file" | tr -d \'\\n\') $file"\n'
    "done"
)
Files = Mapping[str, str]
"""By name: mode, owner, group, and the content in base64."""


def read(name: str, node: Exec) -> dict[str, str]:
    """The files of a node.

    Raises:
        LabError: They cannot be read.
    """
    done = node.run(["/bin/sh", "-c", _READ])
    if done.returncode:
        raise LabError(f"{name}: {_FOLDER} cannot be read: {done.stderr.strip() or done.returncode}")
    lines = [line.rsplit(" ./", 1) for line in done.stdout.splitlines()]
    return {file: rest for rest, file in lines}


def put_back(name: str, node: Exec, saved: Files) -> None:
    """Make the files what they were.

    Raises:
        LabError: They are not; the text names them.
    """
    now = read(name, node)
    script = [f"rm -f {shlex.quote(f'{_FOLDER}/{file}')}" for file in now.keys() - saved.keys()]
    for file, rest in saved.items():
        if now.get(file) != rest:
            mode, user, group, *content = rest.split(" ")
            path = shlex.quote(f"{_FOLDER}/{file}")
            # in place: the file may be one of the machine's, mounted there
            script += [
                f"echo {''.join(content)} | base64 -d > {path}",
                f"chown {user}:{group} {path}",
                f"chmod {mode} {path}",
            ]
    if script:
        node.run(["/bin/sh", "-c", "\n".join([*script, "true"])])
        now = read(name, node)
    if wrong := sorted(file for file in now.keys() | saved.keys() if now.get(file) != saved.get(file)):
        raise LabError(f"{name}: files of {_FOLDER} are not as they were: {', '.join(wrong)}")


FRR: Final = "frr"
_SETTLING_S: Final = 5.0
_FORWARDING: Final = ("net/ipv4/ip_forward", "net/ipv6/conf/all/forwarding")
# a router names an address of the interface in its requests
_OF_ROUTERS: Final = {
    **dict.fromkeys(_FORWARDING, "1"),
    "net/ipv4/conf/all/arp_announce": "2",
    "net/ipv4/conf/default/arp_announce": "2",
}
_OF_HOSTS: Final = dict.fromkeys(_FORWARDING, "0")
_MISSING: Final = (
    "for name in {names}; do command -v $name >/dev/null || echo $name; done; ip -j link >/dev/null 2>&1 || echo ip"
)
_TOOLS: Final = {FRR: ("ip", "vtysh"), "linux": ("bash", "ip", "nft", "tc", "sysctl")}


class HeldNode:
    """One node.

    Args:
        name: In the task.
        container: Where it runs.
        dialect: Of its configuration.
        topology: That of the task; to put it back, one with its interfaces.
        logs: A folder for what programs say.

    Raises:
        LabError: The container has ended.
    """

    def __init__(self, name: str, container: Container, dialect: str, topology: Topology, logs: Path) -> None:
        self.container = container
        self.dialect = dialect
        self.driver = parts.load("drivers", dialect)()
        self.node = ContainerNode(
            place=container.place, name=name, platform=dialect, topology=topology, logs=logs, image_memory={}
        )
        self.own = [str(self.driver.kernel_interface(one)) for one in self.node.interfaces]
        self._variables = _variables(dialect)
        self._kernel = LinuxState(self.node, self.own, variables=self._variables, settling_s=_SETTLING_S)
        self._configs: RouterConfigs | None = None

    def check(self, programs: Sequence[str]) -> None:
        """Refuse a node that cannot be used; nothing is changed.

        Args:
            programs: Those that its configurations need.

        Raises:
            RequirementMissing: The image lacks a program, or a daemon does not run.
        """
        self._check_tools()
        clearing.refuse(self.container.node, self._kernel.running().splitlines(), self.own)
        if self.dialect != FRR:
            return
        daemons = self._adopted()
        if lacking := [one for one in programs if one not in daemons]:
            raise RequirementMissing(
                f"{self.container.node}: the task needs {', '.join(lacking)}, which does not run there"
                f" (running: {', '.join(sorted(daemons))})",
                f"write {' '.join(f'{one}=yes' for one in lacking)} into /etc/frr/daemons of {self.container.node},"
                " and start it anew",
            )

    def _check_tools(self) -> None:
        names = _TOOLS[self.dialect]
        script = _MISSING.format(names=" ".join(names))
        lacking = dict.fromkeys(self.node.run(["/bin/sh", "-c", script]).stdout.split())
        if lacking:
            raise RequirementMissing(
                f"{self.container.node}: its image {self.container.image} lacks {', '.join(lacking)}"
                f" (needed for {self.dialect}: {', '.join(names)}; ip is that of iproute2)"
            )

    def _adopted(self) -> frozenset[str]:
        daemons = adoption.adopt(self.node)
        self._configs = RouterConfigs(self.node, self.driver)
        return daemons

    def save(self) -> dict[str, Any]:
        """All that is put back, as a JSON object.

        Raises:
            LabError: It cannot be read.
        """
        return {
            "kernel": self._kernel.running(),
            "offloads": networks.offloads(self.container.place.pid, self.own),
            **(
                {}
                if self._configs is None
                else {"config": self._configs.text(), "files": read(self.node.name, self.node)}
            ),
        }

    def load(self, startup_config: str) -> Sequence[RefusedLine]:
        """Exchange what is configured for a startup config; return the refused lines.

        Raises:
            LabError: What is there cannot be removed.
        """
        paths = (path.removeprefix("/proc/sys/") for path in sysctls.paths())
        fresh = networks.fresh_variables((*paths, *self._variables))
        known = {**fresh, **self._variables}

        def clear() -> None:
            self._kernel.reach(lambda now: clearing.cleared(now, self.own, known), "could not be removed")

        if self._configs is not None:
            return self._configs.load(startup_config, before_typing=clear)
        clear()
        refused: Sequence[RefusedLine] = self.driver.boot(self.node, startup_config)
        return refused

    def restore(self, saved: Mapping[str, Any]) -> None:
        """Make all what it was, line by line.

        Raises:
            LabError: It is not; the text has the lines.
        """
        pid = self.container.place.pid
        for name in {*self.own} & {*networks.names(pid)}:
            networks.set_silent(pid, name, silent=False)
        if "config" in saved and self._configs is None:
            self._adopted()
        # the kernel makes link-local addresses, which an agent may have removed, when an interface goes up
        bounced = [f"ip link set {name} {way}" for name in self.own for way in ("down", "up")]
        self.node.run(["/bin/sh", "-c", "\n".join([*bounced, "true"])])
        # vtysh reads a file when it starts, and zebra takes what the kernel has for its own
        steps = [self._files_back, self._config_back, self._kernel_back, self._config_back]
        failures = [str(error) for step in steps if (error := _failure(step, saved)) is not None]
        if failures:
            raise LabError("\n".join(dict.fromkeys(failures)))

    def _files_back(self, saved: Mapping[str, Any]) -> None:
        if "files" in saved:
            put_back(self.node.name, self.node, saved["files"])

    def _config_back(self, saved: Mapping[str, Any]) -> None:
        if self._configs is not None:
            self._configs.restore(saved["config"])

    def _kernel_back(self, saved: Mapping[str, Any]) -> None:
        self._kernel.restore(saved["kernel"])
        networks.set_offloads(self.container.place.pid, saved["offloads"])

    def close(self) -> None:
        """Let go of sessions. Idempotent."""
        self.node.close()


def _failure(step: Callable[[Mapping[str, Any]], None], saved: Mapping[str, Any]) -> LabError | None:
    """What goes wrong in a step of restoring; the others are taken all the same."""
    try:
        step(saved)
    except LabError as error:
        return error
    return None


def _variables(dialect: str) -> dict[str, str]:
    """By path: variables of the kernel that nodes of a dialect have, as in labs that are deployed."""
    kind = kinds.table().get(dialect)
    table = {} if kind is None else kind.kind.sysctls
    given = {name.replace(".", "/"): " ".join(str(value).split()) for name, value in table.items()}
    return given | (_OF_ROUTERS if dialect == FRR else _OF_HOSTS)
