"""Starting a router: its daemons, then its startup config."""

from __future__ import annotations

import re
from collections.abc import Iterable

from pytest_netbench.errors import LabError
from pytest_netbench.model.trial import RefusedLine
from pytest_netbench.platforms.capabilities import HostedNode, Settling
from pytest_netbench.platforms.frr import answers, daemons, installation, loading, vtysh
from pytest_netbench.platforms.frr.config import ConfigSession
from pytest_netbench.platforms.frr.processes import note_options, restart_router, start_router

_LOAD_TIMEOUT_S = 60.0
_FILE = "/run/frr/boot.conf"
# Requests name an address of the interface, as on a router: other network OSes ignore a sender of another subnet.
_SYSCTLS = ("sysctl -w net.ipv4.conf.all.arp_announce=2", "sysctl -w net.ipv4.conf.default.arp_announce=2")
_OPENS_BLOCK = re.compile(
    r"^\s*(interface|router|route-map|vrf|pbr-map|bfd$|key (chain )?\S|address-family|nexthop-group|segment-routing"
    r"|mpls ldp|rpki|l2vpn|line vty|peer \S+|profile \S|vni )",
)
# what a person types around a config and a device would not keep
_FRAMING = ("end", "enable", "configure terminal", "write memory", "write")


def boot(node: HostedNode, startup_config: str) -> list[RefusedLine]:
    """Start the daemons that the config needs and load it; return the lines that were refused.

    Raises:
        LabError: The config needs a daemon that is not installed.
    """
    lines = [line.rstrip() for line in startup_config.splitlines()]
    available = installation.of(node).names
    needed = daemons.needed_by(lines)
    if lacking := sorted(needed - set(available)):
        raise LabError(f"{node.name}: the startup config needs {', '.join(lacking)}, which this FRR does not have")
    note_options(node, daemons.options_for(lines))
    node.write_file(vtysh.CONF, vtysh.conf(_hostname(lines)))
    if isinstance(node, Settling):
        node.settle(_SYSCTLS)
    start_router(node, needed)
    started = needed | set(daemons.always(available))
    # Through mgmtd several daemons share a config, and vtysh knows which do.
    return load_by_vtysh(node, lines) if "mgmtd" in started else loading.load(node, lines, started)


def neutral(lines: Iterable[str]) -> list[str]:
    """The lines with those made into comments that would leave config mode: ``end``, an ``exit`` outside any block."""
    depth, kept = 0, []
    for line in lines:
        words = line.strip().lower()
        if words == "exit" or words.startswith("exit-"):
            kept.append(line if depth else "!")
            depth = max(depth - 1, 0)
        elif words and any(vtysh.abbreviates(words, framing, least=3) for framing in _FRAMING):
            kept.append("!")
        else:
            depth = _depth(line, depth)
            kept.append(line)
    return kept


def _depth(line: str, depth: int) -> int:
    if not _OPENS_BLOCK.match(line):
        return depth
    return depth + 1 if line[0].isspace() or line.lstrip().startswith("address-family") else 1


def load_by_vtysh(node: HostedNode, lines: list[str]) -> list[RefusedLine]:
    """Load a config by ``vtysh -f``; if a line is refused, type the lines one by one and return those that were."""
    text = "\n".join([*neutral(lines), ""])
    if not text.strip("! \n"):
        return []
    node.write_file(_FILE, text, mode=0o600)
    done = node.run(["vtysh", "-f", _FILE], timeout_s=_LOAD_TIMEOUT_S)
    node.write_file(_FILE, "")  # nothing of it stays for an agent to find
    rejection = answers.first_rejection(done.stdout, done.stderr)
    if rejection is not None or answers.is_error(done.stdout):
        return _type(node, lines)
    if done.returncode != 0 or done.timed_out:
        raise LabError(
            f"{node.name}: vtysh did not take the startup config (exit status {done.returncode}): "
            f"{(done.stdout + done.stderr).strip() or 'no output'}"
        )
    return []


def _hostname(lines: Iterable[str]) -> str | None:
    names = [words[1] for line in lines if len(words := line.split()) == 2 and words[0] == "hostname"]
    return names[-1] if names else None


def _type(node: HostedNode, lines: list[str]) -> list[RefusedLine]:
    """Enter the lines one by one to find the refused ones: ``vtysh -f`` does not name all, or the right ones."""
    restart_router(node)  # a daemon does not refuse the same line twice
    return type_lines(node, lines)


def type_lines(node: HostedNode, lines: Iterable[str]) -> list[RefusedLine]:
    """Type the lines of a config one by one; return those that were refused."""
    session = ConfigSession(node)
    refused = []
    for number, line in enumerate(neutral(lines), start=1):
        if line.strip() in {"", "!"}:
            continue
        status, message = session.enter(line)
        if status == "error":
            refused.append(RefusedLine(node=node.name, line_number=number, line=line.strip(), message=message))
    session.finish()
    return refused
