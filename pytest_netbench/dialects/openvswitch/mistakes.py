"""Mistakes in commands of an Open vSwitch node: those of Linux, and ports of its bridge that it does not have."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from pytest_netbench.dialects.base import Mistake
from pytest_netbench.dialects.linux import mistakes as linux
from pytest_netbench.documents.problems import unknown

_PORT: Final = re.compile(r"\bovs-vsctl\b.*\badd-port (\S+) (\S+)(.*)")


def mistakes(lines: Sequence[str], *, ports: Sequence[str], before: Sequence[str] = ()) -> list[Mistake]:
    """Mistakes in lines of a startup config, or in commands; see ``Proofreads``."""
    known = dict.fromkeys(ports)
    found = []
    for number, line in enumerate(lines):
        added = _PORT.search(line)
        if added is not None and added[2] not in known and "type=" not in added[3]:
            message = unknown("interface with a link", added[2], known)
            found.append(Mistake(line=number, offset=added.start(2), message=message))
    bridges = [f"ip link add {name}" for name in re.findall(r"\badd-(?:br|port) (\S+)", "\n".join((*before, *lines)))]
    return [*found, *linux.mistakes(lines, ports=ports, before=("ip link add br0", *bridges, *before))]
