"""``access-class`` and ``transport input``: access to the virtual terminal lines by source and protocol."""

from __future__ import annotations

from pytest_netbench.platforms.cisco_ios.areas.acl.match import chain
from pytest_netbench.platforms.cisco_ios.compile.context import Context
from pytest_netbench.platforms.cisco_ios.compile.state import CONTROL, Chain
from pytest_netbench.platforms.cisco_ios.config.tree import Section
from pytest_netbench.platforms.cisco_ios.grammar.command import Command

_LINES = Chain("inet", "vty_lines")
_REFUSED = Chain("inet", "vty_refused")
_PORTS = {"ssh": 22, "telnet": 23}
_FACTORY = {"login", "transport input none"}


def compile_lines(context: Context) -> None:
    """Refuse new sessions that no line accepts.

    A new session uses the first line, so the rules of that line apply.
    """
    lines = [(entry, body) for entry, body in context.config.sections("line") if entry["kind"] == "vty"]
    if not lines:
        return
    _, body = min(lines, key=lambda line: int(line[0]["first"]))
    rules = [f"tcp dport {port} goto {_REFUSED.name}" for port in _closed(body)]
    for words, family in (("access-class in", 4), ("ipv6 access-class", 6)):
        said = body.get(words)
        if said is not None:
            protocol = "ipv4" if family == 4 else "ipv6"
            name = chain(
                context,
                str(said.get("list") or said.get("acl")),
                family=family,
                permit="return",
                deny=f"goto {_REFUSED.name}",
                missing="return",
                log=True,
            )
            rules.append(f"meta nfproto {protocol} jump {name}")
    if not rules:
        return
    for rule in rules:
        context.state.nft.rule(_LINES, rule)
    context.state.nft.rule(_REFUSED, "meta l4proto tcp reject with tcp reset")
    context.state.nft.rule(CONTROL, f"tcp flags & (syn | ack) == syn tcp dport {{ 22, 23 }} jump {_LINES.name}")


def _closed(body: Section) -> list[int]:
    """Return the ports of protocols that the lines refuse.

    Lines without configuration accept every protocol that the node offers.
    """
    said = body.get("transport input")
    if said is None or said.has("all"):
        return []
    taken = {str(word) for word in said.many("protocol")}
    if "all" in taken or {line.text for line in body} == _FACTORY:
        return []
    return [port for word, port in _PORTS.items() if word not in taken]


COMMANDS = (
    Command(
        pattern="access-class {list:list} in [ vrf-also ]",
        mode="line",
        name="access-class in",
        help="Filter connections based on an IP access list",
    ),
    Command(
        pattern="access-class {list:list} out",
        mode="line",
        name="access-class out",
        marked="there is no telnet or SSH client",
    ),
)
