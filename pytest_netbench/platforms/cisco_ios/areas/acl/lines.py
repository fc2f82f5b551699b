"""``access-class`` and ``transport input``: access to the virtual terminal lines by source and protocol."""

from __future__ import annotations

from dataclasses import dataclass

from pytest_netbench.platforms.cisco_ios.areas.acl.match import chain
from pytest_netbench.platforms.cisco_ios.compile.context import Context
from pytest_netbench.platforms.cisco_ios.compile.state import CONTROL, Chain
from pytest_netbench.platforms.cisco_ios.config.tree import Section
from pytest_netbench.platforms.cisco_ios.grammar.tables import setting, table

_LINES = "vty_lines"
_REFUSED = Chain("inet", "vty_refused")
_PORTS = {"ssh": 22, "telnet": 23}
_FACTORY = {"login", "transport input none"}


@dataclass(frozen=True)
class _Rules:
    """What a line accepts: all protocols but those of some ports, from the sources of its access lists."""

    closed: tuple[int, ...]
    lists: tuple[tuple[int, str], ...]

    @property
    def refuses(self) -> bool:
        """Whether there is a session that the line does not accept."""
        return bool(self.closed or self.lists)


def compile_lines(context: Context) -> None:
    """Refuse new sessions that no line accepts.

    A session uses the first free line that accepts it. Here all lines are free, so it is refused if none accepts it.
    """
    lines = [(entry, body) for entry, body in context.config.sections("line") if entry["kind"] == "vty"]
    bodies = [body for _, body in sorted(lines, key=lambda line: int(line[0]["first"]))]
    if all(_is_factory(body) for body in bodies):
        return
    different = list(dict.fromkeys(_rules(body) for body in bodies))
    if not all(rules.refuses for rules in different):
        return
    for at, rules in enumerate(different):
        _line(context, _chain(at), rules, refusing=_chain(at + 1) if at + 1 < len(different) else _REFUSED)
    context.state.nft.rule(_REFUSED, "meta l4proto tcp reject with tcp reset")
    context.state.nft.rule(CONTROL, f"tcp flags & (syn | ack) == syn tcp dport {{ 22, 23 }} jump {_LINES}")


def _chain(at: int) -> Chain:
    return Chain("inet", _LINES if at == 0 else f"{_LINES}_{at}")


def _line(context: Context, own: Chain, rules: _Rules, *, refusing: Chain) -> None:
    """Add the chain of lines with the same rules; what they do not accept goes to the chain ``refusing``."""
    for port in rules.closed:
        context.state.nft.rule(own, f"tcp dport {port} goto {refusing.name}")
    for family, listed in rules.lists:
        deny = f"goto {refusing.name}"
        name = chain(context, listed, family=family, permit="return", deny=deny, missing="return", log=True)
        context.state.nft.rule(own, f"meta nfproto {'ipv4' if family == 4 else 'ipv6'} jump {name}")


def _is_factory(body: Section) -> bool:
    return {line.text for line in body} == _FACTORY


def _rules(body: Section) -> _Rules:
    lists = []
    for words, family in (("access-class in", 4), ("ipv6 access-class", 6)):
        said = body.get(words)
        if said is not None:
            lists.append((family, str(said.get("list") or said.get("acl"))))
    return _Rules(tuple(_closed(body)), tuple(lists))


def _closed(body: Section) -> list[int]:
    """Return the ports of protocols that a line refuses.

    Lines without configuration accept every protocol that the node offers.
    """
    said = body.get("transport input")
    if said is None or said.has("all"):
        return []
    taken = {str(word) for word in said.many("protocol")}
    return [] if "all" in taken else [port for word, port in _PORTS.items() if word not in taken]


COMMANDS = table(
    ("access-class {list:list} in [ vrf-also ]", "Filter connections based on an IP access list"),
    setting("access-class {list:list} out", marked="there is no telnet or SSH client"),
    mode="line",
)
