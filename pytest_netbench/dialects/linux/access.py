"""Access lists in the language of nftables."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Final

from pytest_netbench.model.services import AccessList, AccessRule

_TABLE: Final = "inet access"
_CHAIN: Final = f"{_TABLE} forward"


def list_commands(access: AccessList) -> Iterator[str]:
    """The shell commands that make an access list."""
    yield f"nft add table {_TABLE}"
    yield f"nft 'add chain {_CHAIN} {{ type filter hook forward priority filter; policy accept; }}'"
    yield from (f"nft 'add rule {_CHAIN} {rule_words(rule, access.interface)}'" for rule in access.rules)


def replacing_command(rules: Iterable[AccessRule], interface: str) -> str:
    """The shell command that replaces all rules of the access list at ``interface`` at once."""
    added = (f"add rule {_CHAIN} {rule_words(rule, interface)}" for rule in rules)
    return f"nft '{'; '.join([f'flush chain {_CHAIN}', *added])}'"


def rule_words(rule: AccessRule, interface: str) -> str:
    """A rule for packets that come in at ``interface``, as ``nft list`` prints it."""
    words = [f'iifname "{interface}"']
    for direction, prefix in (("saddr", rule.source), ("daddr", rule.target)):
        if prefix is not None:
            words.append(f"ip {direction} {prefix.removesuffix('/32')}")
    if rule.ports is not None:
        first, last = rule.ports
        words.append(f"{rule.protocol} dport {first if first == last else f'{first}-{last}'}")
    elif rule.protocol != "ip":
        words.append(f"ip protocol {rule.protocol}")
    return " ".join([*words, "accept" if rule.permit else "drop"])
