"""The network of a Linux host that exists already: read, cleared of what a task would meet, and put back."""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from typing import Final, Protocol

from pytest_netbench.errors import LabError
from pytest_netbench.lab.attaching.linux_changes import commands, differences, lost
from pytest_netbench.lab.attaching.linux_facts import LINK_LOCAL, LOOPBACK, READS, SYSCTLS, facts, leased
from pytest_netbench.platforms.access import Exec, NodeFacts
from pytest_netbench.platforms.linux import sysctls

_PASSES: Final = 6
_EACH_S: Final = 5.0
"""Seconds that each of several programs has; a host that hangs is given up then."""
_SHOWN: Final = 10
_NOT_FORWARDING: Final = {"net/ipv4/ip_forward": "0", "net/ipv6/conf/all/forwarding": "0"}
_OF_INTERFACE: Final = re.compile(r"^(net/ipv[46]/conf/)(.+)(/[^/]+)$")
_DEVICE: Final = re.compile(r" dev (\S+)")


class _Host(NodeFacts, Exec, Protocol):
    """A node that runs programs."""


class LinuxState:
    """The network of one host: links, addresses, routes, rules, neighbors, kernel settings, nftables, shaping.

    Programs that run there, and its files, are not part of it; neither are routes of routing daemons, and addresses
    that a DHCP client or a router gave.

    Args:
        node: The host, with the rights of root.
        interfaces: Those that a task uses; others are only put back.
        management: The interface by which it is reached, which is left alone.
        variables: Further kernel settings, by path below ``/proc/sys``.
        settling_s: What programs of the host do to its network meanwhile is taken back for so many wall seconds.
    """

    def __init__(
        self,
        node: _Host,
        interfaces: Sequence[str],
        management: str | None = None,
        *,
        variables: Iterable[str] = (),
        settling_s: float = 0.0,
    ) -> None:
        self._node = node
        self._reads = [(*argv, *variables) if at == SYSCTLS else argv for at, argv in enumerate(READS)]
        self._settling_s = settling_s
        self._interfaces = tuple(interfaces)
        self._management = management

    def running(self) -> str:
        """The network as it is now, one fact a line.

        Raises:
            LabError: It cannot be read.
        """
        return "".join(f"{line}\n" for line in facts(self._answers(), self._management))

    def clear(self) -> None:
        """Make the interfaces of the task those of a host that nobody has configured.

        Raises:
            LabError: That is not possible, or could not be put back later.
        """
        answers = self._answers()
        self._check(answers)
        fresh = self._fresh(answers[7])
        self.reach(lambda now: _cleared(now, self._interfaces, fresh), "could not be removed")

    def restore(self, saved: str) -> None:
        """Make the network what it was.

        Args:
            saved: What ``running`` returned.

        Raises:
            LabError: It is not; the text has the lines.
        """
        self.reach(lambda _: saved.splitlines(), "differ from what was saved")

    def _answers(self) -> list[str]:
        done = self._node.run_many(self._reads, timeout_s=_EACH_S)
        for argv, one in zip(self._reads, done, strict=True):
            if one.timed_out or one.returncode:
                raise LabError(
                    f"{self._node.name}: cannot read its network: {' '.join(argv[:4])}: {one.stderr.strip()}"
                )
        return [one.stdout for one in done]

    def _check(self, answers: Sequence[str]) -> None:
        """Refuse what could not be put back.

        Raises:
            LabError: There is such a thing.
        """
        name = self._node.name
        if clients := leased(answers[0], self._interfaces):
            raise LabError(
                f"{name}: {', '.join(clients)} has an address of a DHCP server: end the client of this interface"
            )
        shaped = [line.split()[1] for line in facts(answers, self._management) if line.startswith("qdisc ")]
        if shaping := [one for one in dict.fromkeys(shaped) if one in self._interfaces]:
            raise LabError(
                f"{name}: {', '.join(shaping)} has queueing disciplines, which could not be put back: remove them"
            )
        if answers[8].strip():
            done = self._node.run(["nft", "-c", "-f", "-"], input=f"flush ruleset\n{answers[8]}")
            if done.returncode:
                raise LabError(f"{name}: its nftables rules could not be put back: {done.stderr.strip()[:300]}")

    def _fresh(self, now: str) -> dict[str, str]:
        """The settings of a kernel that nobody has configured; of one that does not tell, those that matter most."""
        done = self._node.run(sysctls.fresh_command())
        return sysctls.parse(done.stdout) if done.returncode == 0 else {**sysctls.parse(now), **_NOT_FORWARDING}

    def reach(self, target: Callable[[Sequence[str]], Sequence[str]], wrong: str) -> None:
        """Make the network another one.

        Args:
            target: What it should be, from what it is; both as facts.
            wrong: What the message of an error says of the facts that differ.

        Raises:
            LabError: It is not; the text has the lines.
        """
        last: list[str] | None = None
        ends_at, passes, has_bounced = time.monotonic() + self._settling_s, 0, False
        # on a busy machine each pass takes long: some are always made
        while passes < _PASSES or time.monotonic() < ends_at:
            passes += 1
            now = facts(self._answers(), self._management)
            wanted = target(now)
            left = differences(now, wanted)
            if not left:
                if has_bounced or not lost(now, wanted):
                    return
                has_bounced = True  # an interface loses its routes: the next pass adds them
            if left == last and not self._settling_s:
                break
            last = left
            self._apply(now, wanted)
        shown = (last or [])[:_SHOWN]
        more = [f"and {len(last) - _SHOWN} more"] if last and len(last) > _SHOWN else []
        raise LabError("\n".join([f"{self._node.name}: facts {wrong}:", *shown, *more]))

    def _apply(self, now: Sequence[str], wanted: Sequence[str]) -> None:
        """What is refused is seen by the next look."""
        todo = commands(now, wanted)
        for one in todo:
            if one.input is not None:
                self._node.run(one.argv, input=one.input)
        self._node.run_many([one.argv for one in todo if one.input is None], timeout_s=_EACH_S)


def _cleared(now: Sequence[str], interfaces: Collection[str], fresh: Mapping[str, str]) -> list[str]:
    """The facts of a host whose interfaces for a task are as new, and all others as they are."""
    found = []
    for line in now:
        kind, _, rest = line.partition(" ")
        first = rest.partition(" ")[0]
        if kind == "link" and first in interfaces:
            found.append(_plain(line))
        elif kind == "sysctl":
            path, _, value = rest.partition("=")
            found.append(f"sysctl {path}={_usual(path, value, interfaces, fresh)}")
        elif not _is_dropped(line, kind, first, interfaces):
            found.append(line)
    return found


def _is_dropped(line: str, kind: str, first: str, interfaces: Collection[str]) -> bool:
    match kind:
        case "address":
            return (first in interfaces or first == "lo") and not (
                line.endswith(f" {LINK_LOCAL}") or line.startswith(LOOPBACK)
            )
        case "route":
            devices = set(_DEVICE.findall(line))
            return not devices or bool(devices & {*interfaces, "lo"})
        case "neighbor":
            return bool(set(_DEVICE.findall(line)) & set(interfaces))
        case "qdisc":
            return first in interfaces
        case _:
            return kind == "nft"


def _plain(line: str) -> str:
    words = line.split()
    rest = words[words.index("address") :] if "address" in words else words[len(words) :]
    return " ".join([*words[:2], "up", "mtu 1500", *rest])


def _usual(path: str, value: str, interfaces: Collection[str], fresh: Mapping[str, str]) -> str:
    match = _OF_INTERFACE.match(path)
    if match is None or match[2] in {"all", "default"}:
        return fresh.get(path, value)
    return fresh.get(f"{match[1]}default{match[3]}", value) if match[2] in interfaces else value
