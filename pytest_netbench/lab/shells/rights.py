"""With which rights agents' read-only programs run on a host: those of a user who may change nothing."""

from __future__ import annotations

import shlex
from typing import NamedTuple

from pytest_netbench.lab.shells.shell import Shell
from pytest_netbench.platforms.access import SandboxLimits

_NOBODY = "--reuid=65534 --regid=65534 --clear-groups"
_NO_CAPABILITIES = "--inh-caps=-all --bounding-set=-all --no-new-privs"
_AS_ROOT = f"setpriv {_NOBODY} {_NO_CAPABILITIES}"
_AS_USER = "setpriv --no-new-privs"
_SU = "su -s /bin/sh nobody -c"
_LOOK = f"""
if {{root}} true; then echo setpriv
elif [ "$(id -u)" != 0 ] && {_AS_USER} true; then echo user
elif [ "$(id -u)" = 0 ] && {_SU} true; then echo su
fi </dev/null 2>/dev/null
id -u frr 2>/dev/null || echo -
""".format(root=_AS_ROOT)


class Rights(NamedTuple):
    """What a host has to take rights away.

    Attributes:
        means: ``setpriv``, ``user`` (it is no user with rights that logs in), ``su``, or nothing.
        has_frr_user: Whether there is the user who may use the sockets of FRR's daemons.
    """

    means: str
    has_frr_user: bool

    @property
    def enforces_read_only(self) -> bool:
        """Whether a read-only program has no rights."""
        return self.means != ""

    def command(self, command: str, limits: SandboxLimits) -> str:
        """The command line that runs a shell command without rights."""
        limited = (
            f"ulimit -v {limits.memory_bytes // 1024} 2>/dev/null\n"
            f"ulimit -u {limits.processes} 2>/dev/null || ulimit -p {limits.processes} 2>/dev/null\n{command}"
        )
        return self.as_user(limited)

    def as_user(self, command: str) -> str:
        """The same without limits."""
        quoted = shlex.quote(command)
        if self.means == "su":
            return f"exec {_SU} {quoted}"
        prefix = {"setpriv": _AS_ROOT, "user": _AS_USER}.get(self.means, "")
        return f"cd /; exec {prefix} /bin/sh -c {quoted}"

    def as_frr(self, command: str) -> str:
        """The command line that runs a command as the user of FRR's sockets, without capabilities."""
        if self.means == "setpriv" and self.has_frr_user:
            return f"exec setpriv --reuid=frr --regid=frr --init-groups {_NO_CAPABILITIES} {command}"
        return f"exec {command}"


def of(shell: Shell) -> Rights:
    """Ask a host what it has.

    Raises:
        LabError: It does not answer.
    """
    said = shell.run(_LOOK).stdout.split()
    return Rights(said[0] if len(said) > 1 else "", said[-1:] not in ([], ["-"]))
