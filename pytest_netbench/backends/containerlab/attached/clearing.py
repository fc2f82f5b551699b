"""The facts of a node in whose network a task begins, and those that could not be put back. Pure."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from typing import Final

from pytest_netbench.errors import RequirementMissing
from pytest_netbench.lab.attaching.linux_facts import LINK_LOCAL, LOOPBACK

_RULES: Final = (
    "rule -4 pref 0 from all lookup local",
    "rule -4 pref 32766 from all lookup main",
    "rule -4 pref 32767 from all lookup default",
    "rule -6 pref 0 from all lookup local",
    "rule -6 pref 32766 from all lookup main",
)
_QUIET_QUEUES: Final = ("pfifo_fast", "fq_codel")
_FOREIGN: Final = re.compile(r"\bxt (?:match|target)\b|# xt_")


def cleared(now: Sequence[str], own: Collection[str], fresh: Mapping[str, str]) -> list[str]:
    """The interfaces of a task up and empty, all others down, no rules.

    Args:
        now: The facts.
        own: Kernel names of the interfaces that the task has.
        fresh: By path: kernel settings of a network that nobody has configured, with those that its nodes have.
    """
    found = [*_RULES]
    for line in now:
        kind, _, rest = line.partition(" ")
        if kind == "link":
            found.append(_link(rest.split(), own))
        elif kind == "sysctl":
            path, _, value = rest.partition("=")
            found.append(f"sysctl {path}={_usual(path, value, fresh)}")
        elif kind == "address" and (line.endswith(f" {LINK_LOCAL}") or line.startswith(LOOPBACK)):
            found.append(line)
    return found


def refuse(name: str, facts: Sequence[str], own: Collection[str]) -> None:
    """Refuse what could not be put back.

    Raises:
        RequirementMissing: An interface of the task has a queue that somebody made, or there is a rule of iptables that
            nft cannot write.
    """
    for line in facts:
        kind, *words = line.split()
        if kind == "nft" and _FOREIGN.search(line):
            raise RequirementMissing(f"{name}: it has rules of iptables that nft cannot write, and put back")
        if kind == "qdisc" and words[0] in own and words[2] not in _QUIET_QUEUES:
            raise RequirementMissing(
                f"{name}: {words[0]} has a queue of kind {words[2]}, which could not be put back",
                f"remove it: `tc qdisc delete dev {words[0]} root` there, or containerlab's `tools netem reset`",
            )


def _link(words: Sequence[str], own: Collection[str]) -> str:
    name, *state = words
    if name == "lo":
        return " ".join(["link lo up", *state[1:]])
    rest = [*state[1:]]
    if "master" in rest:
        at = rest.index("master")
        del rest[at : at + 2]
    if name in own:
        rest[rest.index("mtu") + 1] = "1500"
    return " ".join(["link", name, "up" if name in own else "down", *rest])


def _usual(path: str, value: str, known: Mapping[str, str]) -> str:
    """The value of a setting; that of an interface is the default, and forwarding is the same at all of them."""
    *before, _, name = path.split("/")
    if path.startswith("net/ipv4/conf/") and name == "forwarding":
        return known.get("net/ipv4/ip_forward", value)
    return known.get(path, known.get("/".join((*before, "default", name)), value))
