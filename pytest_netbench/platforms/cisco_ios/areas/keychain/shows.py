"""The exec commands of the area ``keychain``: show and clear."""

from __future__ import annotations

from collections.abc import Iterator

from pytest_netbench.platforms.cisco_ios.areas.keychain.grammar import LIFETIMES
from pytest_netbench.platforms.cisco_ios.compile.context import Context
from pytest_netbench.platforms.cisco_ios.config.passwords import revealed
from pytest_netbench.platforms.cisco_ios.config.tree import Entry, Section
from pytest_netbench.platforms.cisco_ios.device.exec import Exec
from pytest_netbench.platforms.cisco_ios.grammar.command import Match
from pytest_netbench.platforms.cisco_ios.grammar.tables import show


def secrets(config: Section, name: str) -> list[tuple[int, str]]:
    """Return the keys of a chain that have a text as (number, clear text), ordered by number."""
    entry = config.get("key chain", chain=name)
    keys = entry.body.all("key") if entry is not None else []
    return sorted((int(key["id"]), text) for key in keys if (text := _text(key)) is not None)


def tell(context: Context, daemon: str, name: str) -> None:
    """Configure a key chain in a daemon that supports key chains."""
    entry = context.config.get("key chain", chain=name)
    for key in entry.body.all("key") if entry is not None else ():
        text = _text(key)
        path = (f"key chain {name}", f"key {key['id']}")
        for depth in (1, 2):
            context.state.frr.add(daemon, *path[:depth])
        if text is not None:
            context.state.frr.add(daemon, *path, f"key-string {text}", key="key-string", undo="no key-string")
        for lifetime in key.body.all(*LIFETIMES):
            context.state.frr.add(daemon, *path, lifetime.text, key=lifetime.name, undo=f"no {lifetime.name}")


def _text(key: Entry) -> str | None:
    line = key.body.get("key-string")
    if line is None:
        return None
    return revealed(str(line["key"])) if line.has("7") else str(line["key"])


def _show(at: Exec, match: Match) -> str:
    chains = [entry for entry in at.config.all("key chain") if match.get("chain") in {None, entry["chain"]}]
    return "\n".join(line for chain in chains for line in _chain(chain))


def _chain(chain: Entry) -> Iterator[str]:
    yield f"Key-chain {chain['chain']}:"
    for key in sorted(chain.body.all("key"), key=lambda key: int(key["id"])):
        yield f'    key {key["id"]} -- text "{_text(key) or ""}"'
        for name in LIFETIMES:
            line = key.body.get(name)
            span = (
                "(always valid) - (always valid) [valid now]"
                if line is None
                else f"({line.text.removeprefix(name).strip()})"
            )
            yield f"        {name.replace('-', ' ')} {span}"


SHOWS = (show("key chain [ {chain:name} ]", _show, "Show keychain information", user=False),)
