"""Reads what the kernel of a node has configured, and makes it something else."""

from __future__ import annotations

import re
import shlex
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, Final

from pytest_netbench.backends.containerlab.attached.state import Link, State, commands, differences
from pytest_netbench.errors import LabError, RequirementMissing
from pytest_netbench.platforms.access import Exec
from pytest_netbench.platforms.linux import sysctls
from pytest_netbench.platforms.linux.listing import entries

_END: Final = "@@netbench-end-of-answer@@"
_FAMILIES: Final = ("-4", "-6")
_BY_PEOPLE: Final = ("boot", "static", "dhcp")
_NOT_MADE: Final = ("local", "broadcast", "multicast", "anycast")
_PASSING: Final = re.compile(r" (?:linkdown|dead|pref medium|error -?\d+|expires \S+|extern_learn)(?= |$)")
_QUIET_QUEUES: Final = ("noqueue", "pfifo_fast", "fq_codel", "mq")
_FOREIGN: Final = re.compile(r"\bxt (?:match|target)\b|# xt_")
_SHOWN: Final = 12
_SETTLING_S: Final = 5.0
_PASSES: Final = 6
_READS: Final = (
    "ip -j -d address show",
    *(f"ip -o {family} route show table all" for family in _FAMILIES),
    *(f"ip {family} rule show" for family in _FAMILIES),
    "ip neigh show nud permanent",
    "nft -s list ruleset 2>/dev/null || echo none",
    "tc qdisc show 2>/dev/null; true",
)


class Kernel:
    """The kernel's configuration of one node.

    Args:
        name: For messages.
        node: Where programs are run.
        variables: Further variables of the kernel, by path below ``/proc/sys``, that are saved.
    """

    def __init__(self, name: str, node: Exec, variables: Iterable[str] = ()) -> None:
        self._name = name
        self._node = node
        paths = " ".join(shlex.quote(f"/proc/sys/{path}") for path in variables)
        self._reads = (*_READS, f"{sysctls.read_command()}; grep -s '' /dev/null {paths}; true")

    def read(self) -> State:
        """The state as it is now.

        Raises:
            LabError: It cannot be read.
        """
        return self._read()[0]

    def check(self, own: Sequence[str]) -> None:
        """Refuse what could not be put back.

        Raises:
            RequirementMissing: An interface of the task has a queue that somebody made, or there is a rule of iptables
                that nft cannot write.
        """
        state, queues = self._read()
        if any(_FOREIGN.search(line) for line in state.ruleset or ()):
            raise RequirementMissing(f"{self._name}: it has rules of iptables that nft cannot write, and put back")
        for line in queues.splitlines():
            words = line.split()
            if len(words) > 4 and words[1] not in _QUIET_QUEUES and words[4] in own:
                raise RequirementMissing(
                    f"{self._name}: {words[4]} has a queue of kind {words[1]}, which could not be put back",
                    f"remove it: `tc qdisc delete dev {words[4]} root` there, or containerlab's `tools netem reset`",
                )

    def reach(self, wanted: State) -> None:
        """Make the state what is wanted.

        Raises:
            LabError: It is not, line by line; the text has the lines.
        """
        ends_at, passes = time.monotonic() + _SETTLING_S, 0
        while True:
            now = self.read()
            if now.lines() == wanted.lines():
                return
            # on a busy machine each pass takes long: some are always made
            if passes >= _PASSES and time.monotonic() > ends_at:
                break
            self._apply(now, wanted)
            passes += 1
        left = differences(wanted.lines(), now.lines()) or ["the same lines, in another order"]
        more = [f"and {len(left) - _SHOWN} more"] if len(left) > _SHOWN else []
        raise LabError("\n".join([f"{self._name}: lines of the kernel's configuration differ:", *left[:_SHOWN], *more]))

    def _apply(self, now: State, wanted: State) -> None:
        script = commands(now, wanted)
        if script:
            self._node.run(["/bin/sh", "-c", "\n".join([*script, "true"])])
        if wanted.ruleset is not None and now.ruleset != wanted.ruleset:
            self._node.run(
                ["nft", "-f", "-"], input="".join(f"{line}\n" for line in ("flush ruleset", *wanted.ruleset))
            )

    def _read(self) -> tuple[State, str]:
        script = "\n".join(f'{{ {read}; }} || exit 1; echo "{_END}"' for read in self._reads)
        done = self._node.run(["/bin/sh", "-c", script])
        *answers, _ = done.stdout.split(f"{_END}\n") or [""]
        if done.returncode or len(answers) != len(self._reads):
            said = done.stderr.strip() or "its programs answer otherwise"
            raise LabError(f"{self._name}: what the kernel has configured cannot be read: {said}")
        links, four, six, rules_four, rules_six, neighbors, ruleset, queues, variables = answers
        listed = entries(links)
        state = State(
            links={one["ifname"]: _link(one) for one in listed},
            addresses={one["ifname"]: found for one in listed if (found := list(_addresses(one)))},
            routes=[*_routes("-4", four), *_routes("-6", six)],
            rules=[*_rules("-4", rules_four), *_rules("-6", rules_six)],
            neighbors=[_words(line.replace("PERMANENT", "")) for line in neighbors.splitlines() if "lladdr" in line],
            sysctls=sysctls.parse(variables),
            ruleset=None if ruleset.strip() == "none" else ruleset.splitlines(),
        )
        return state, queues


def _link(one: Mapping[str, Any]) -> Link:
    return Link(up="UP" in one.get("flags", ()), mtu=one["mtu"], master=one.get("master"))


def _addresses(one: Mapping[str, Any]) -> Iterator[str]:
    for found in one.get("addr_info", ()):
        # the kernel makes those itself
        if found.get("dynamic") or (found["family"] == "inet6" and found.get("scope") == "link"):
            continue
        peer = found.get("address")
        words = [found["family"]]
        words += (
            [found["local"], "peer", f"{peer}/{found['prefixlen']}"]
            if peer
            else [f"{found['local']}/{found['prefixlen']}"]
        )
        words += ["broadcast", found["broadcast"]] if "broadcast" in found else []
        words += ["scope", found["scope"]]
        words += ["label", found["label"]] if found.get("label", one["ifname"]) != one["ifname"] else []
        words += ["noprefixroute"] if found.get("noprefixroute") else []
        yield " ".join(words)


def _routes(family: str, text: str) -> Iterator[str]:
    """Routes that were put there, and not made by the kernel or by a routing daemon."""
    for line in text.replace("\\", " ").splitlines():
        words = _words(_PASSING.sub("", line)).split()
        maker = words[words.index("proto") + 1] if "proto" in words else "boot"
        if words and words[0] not in _NOT_MADE and maker in _BY_PEOPLE:
            yield " ".join((family, *words))


def _rules(family: str, text: str) -> Iterator[str]:
    for line in text.splitlines():
        yield _words(f"{family} {line}")


def _words(line: str) -> str:
    return " ".join(line.split())
