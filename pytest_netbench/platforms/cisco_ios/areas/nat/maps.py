"""Route maps that select packets for translation, as chains of nftables."""

from __future__ import annotations

from collections.abc import Sequence

from pytest_netbench.platforms.cisco_ios.areas.acl import match as acl
from pytest_netbench.platforms.cisco_ios.compile.context import Context
from pytest_netbench.platforms.cisco_ios.compile.state import Chain, merged
from pytest_netbench.platforms.cisco_ios.config.tree import Entry

_MOST_CLAUSES = 8
"""The kernel allows sixteen nested chains; a clause is one, each of its lists beyond the first another."""
_MATCHES = frozenset({"match interface", "match ip address"})


def chosen(context: Context, name: str, *, chain: str, give: str) -> str:
    """Add a chain, to jump to, that packets permitted by a route map leave by ``goto give``; return its name.

    Others return. The first matching entry decides.
    """
    entries = [entry for entry in context.config.all("route-map") if entry["map"] == name]
    depth = 0
    start = here = Chain("inet", chain)
    context.state.nft.chain(here)
    for entry in sorted(entries, key=lambda one: int(one["seq"])):
        lists = [str(one) for line in entry.body.all("match ip address") for one in line.many("list")]
        depth += max(1, len(lists))
        if depth > _MOST_CLAUSES:
            context.unsupported(entry, f"translation tests at most {_MOST_CLAUSES} entries and lists of a route map")
            break
        onward = Chain("inet", f"{chain}_{entry['seq']}")
        context.state.nft.chain(onward)
        _clause(context, here, entry, lists, verdict=f"goto {give}" if entry.has("permit") else "return", onward=onward)
        here = onward
    return start.name


def _clause(context: Context, here: Chain, entry: Entry, lists: Sequence[str], *, verdict: str, onward: Chain) -> None:
    """Add the rules of an entry to ``here``; packets that it does not match go on to the chain ``onward``."""
    add = context.state.nft.rule
    for line in entry.body:
        if line.name.startswith("match ") and line.name not in _MATCHES:
            context.unsupported(line, "translation matches only access lists and interfaces")
            add(here, f"goto {onward.name}")
            return
    ports = [str(one) for line in entry.body.all("match interface") for one in line.many("interface")]
    if ports:
        add(here, f"oifname != {merged(_kernel(context, one) for one in ports)} goto {onward.name}")
    for at, name in enumerate(lists):
        later = Chain("inet", f"{onward.name}_or{at}") if at + 1 < len(lists) else onward
        context.state.nft.chain(later)
        add(here, f"goto {acl.chain(context, name, permit=verdict, deny=f'goto {later.name}', missing=verdict)}")
        here = later
    if not lists:
        add(here, verdict)


def _kernel(context: Context, name: str) -> str:
    found = context.interface(name)
    return found.kernel if found else name
