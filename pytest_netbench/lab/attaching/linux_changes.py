"""The commands that make the network of a Linux host another one, both as lines of ``linux_facts``. Pure."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from pytest_netbench.lab.attaching.linux_facts import LINK_LOCAL
from pytest_netbench.platforms.linux.nft import ruleset_lines

_MADE_AGAIN: Final = frozenset({"bridge", "dummy", "vlan", "vrf", "macvlan"})
_FORWARDING: Final = ("net/ipv4/ip_forward", "net/ipv6/conf/all/forwarding")
"""Writing these changes others."""


@dataclass(frozen=True)
class Command:
    """A program, and what it reads."""

    argv: tuple[str, ...]
    input: str | None = None


def differences(now: Sequence[str], wanted: Sequence[str]) -> list[str]:
    """Return what is too much (``- …``) and what is missing (``+ …``), without what the kernel does by itself."""
    before, after = _firm(now), _firm(wanted)
    found = [f"- {line}" for line in before if line not in after] + [
        f"+ {line}" for line in after if line not in before
    ]
    return found or ["~ the order of addresses or of nftables rules"] * (_ordered(before) != _ordered(after))


def lost(now: Sequence[str], wanted: Sequence[str]) -> list[str]:
    """Return the interfaces without the address that the kernel gives them, if they had it."""
    return [line.split()[1] for line in wanted if line.endswith(f" {LINK_LOCAL}") and line not in now]


def commands(now: Sequence[str], wanted: Sequence[str]) -> list[Command]:
    """Return the commands that bring a host nearer to what is wanted; a second look tells what else is to be done."""
    return [
        *_nft(now, wanted),
        *map(_ip, _links(now, wanted)),
        *_sysctls(now, wanted),
        *map(_ip, _addresses(now, wanted)),
        *map(_ip, _listed(now, wanted)),
        *_qdiscs(now, wanted),
    ]


def _firm(lines: Sequence[str]) -> list[str]:
    kept = [line for line in lines if not line.startswith("nft") and not line.endswith(f" {LINK_LOCAL}")]
    return [*kept, *(f"nft {line}" for line in ruleset_lines(_ruleset(lines)))]


def _ordered(lines: Sequence[str]) -> list[str]:
    order = sorted((line for line in lines if line.startswith("address ")), key=lambda line: line.split()[1])
    return [*order, *(line for line in lines if line.startswith("nft "))]


def _ip(words: str) -> Command:
    return Command(("ip", *words.split()))


def _of(lines: Sequence[str], kind: str) -> list[str]:
    return [line.removeprefix(f"{kind} ") for line in lines if line.startswith(f"{kind} ")]


def _nft(now: Sequence[str], wanted: Sequence[str]) -> Iterator[Command]:
    rules = _ruleset(wanted)
    if ruleset_lines(rules) != ruleset_lines(_ruleset(now)):
        yield Command(("nft", "-f", "-"), f"flush ruleset\n{rules}")


def _ruleset(lines: Sequence[str]) -> str:
    return "".join(f"{line[4:]}\n" for line in lines if line.startswith("nft"))


def _links(now: Sequence[str], wanted: Sequence[str]) -> Iterator[str]:
    before, after = _by_name(now), _by_name(wanted)
    for name in before.keys() - after.keys():
        yield f"link delete {name}"
    for name, words in after.items():
        have = before.get(name)
        if have is None:
            if words[-1] not in _MADE_AGAIN and not _MADE_AGAIN & set(words):
                continue
            kind = words.index("type")
            under = words[words.index("link") : words.index("link") + 2] if "link" in words else []
            yield " ".join(["link add", *under, f"name {name}", *words[kind:]])
        if have != words:
            yield from _settings(name, have or [], words)


def _by_name(lines: Sequence[str]) -> dict[str, list[str]]:
    return {words[0]: words[1:] for words in map(str.split, _of(lines, "link"))}


def _settings(name: str, have: Sequence[str], words: Sequence[str]) -> Iterator[str]:
    old, new = _pairs(have), _pairs(words)
    if old.get("address") != new.get("address") and "address" in new:
        yield f"link set dev {name} down"  # many kinds refuse another address while they are up
        yield f"link set dev {name} address {new['address']}"
    if old.get("mtu") != new["mtu"]:
        yield f"link set dev {name} mtu {new['mtu']}"
    if old.get("master") != new.get("master"):
        yield f"link set dev {name} master {new['master']}" if "master" in new else f"link set dev {name} nomaster"
    yield f"link set dev {name} {words[0]}"


def _pairs(words: Sequence[str]) -> Mapping[str, str]:
    return {key: words[at + 1] for at, key in enumerate(words[:-1]) if key in {"mtu", "master", "address"}}


def _sysctls(now: Sequence[str], wanted: Sequence[str]) -> Iterator[Command]:
    before = set(_of(now, "sysctl"))
    changed = [line for line in _of(wanted, "sysctl") if line not in before]
    for line in sorted(changed, key=lambda line: (not line.startswith(_FORWARDING), "/all/" not in line)):
        path, _, value = line.partition("=")
        yield Command(("sh", "-c", 'echo "$1" >"$0"', f"/proc/sys/{path}", value))


def _addresses(now: Sequence[str], wanted: Sequence[str]) -> Iterator[str]:
    """An interface whose addresses differ gets all of them anew: the first one of a subnet is special."""
    before, after = _by_interface(now), _by_interface(wanted)
    there = _by_name(wanted)
    for name in dict.fromkeys([*before, *after]):
        have, want = before.get(name, []), after.get(name, [])
        lost = LINK_LOCAL in want and LINK_LOCAL not in have
        if name not in there or (not lost and [*_given(have)] == [*_given(want)]):
            continue
        for one in _given(have):
            yield f"address delete {_bare(one)} dev {name}"
        if lost and there[name][0] == "up":
            yield f"link set dev {name} down"
            yield f"link set dev {name} up"
        given = list(_given(want))
        # the kernel lists the addresses of IPv6 from the last that was added to the first
        for one in [*(one for one in given if not _is_six(one)), *reversed([one for one in given if _is_six(one)])]:
            yield f"address add {one} dev {name}"


def _given(addresses: Sequence[str]) -> Iterator[str]:
    return (one for one in addresses if one != LINK_LOCAL)


def _bare(address: str) -> str:
    words = address.split()
    return " ".join(words[:3] if words[1:2] == ["peer"] else words[:1])


def _is_six(address: str) -> bool:
    return ":" in address.split(maxsplit=1)[0]


def _by_interface(lines: Sequence[str]) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for line in _of(lines, "address"):
        name, _, rest = line.partition(" ")
        found.setdefault(name, []).append(rest)
    return found


def _listed(now: Sequence[str], wanted: Sequence[str]) -> Iterator[str]:
    """Rules, routes and neighbors: what is too much goes, then comes what is missing."""
    for kind in ("rule", "route", "neighbor"):
        before, after = _of(now, kind), _of(wanted, kind)
        for verb, lines in (
            ("delete", [one for one in before if one not in after]),
            ("add", [one for one in after if one not in before]),
        ):
            for one in lines:
                if kind == "neighbor":
                    yield f"neighbor {'replace' if verb == 'add' else verb} {one}" + " nud permanent" * (verb == "add")
                else:
                    family, _, rest = one.partition(" ")
                    yield f"{family} {kind} {verb} {rest}"


def _qdiscs(now: Sequence[str], wanted: Sequence[str]) -> Iterator[Command]:
    """Shaping that was not there goes; there are no words to make one again that was."""
    kept = {line.split()[0] for line in _of(wanted, "qdisc")}
    for name in dict.fromkeys(line.split()[0] for line in _of(now, "qdisc")):
        if name not in kept:
            yield from (Command(("tc", "qdisc", "delete", "dev", name, where)) for where in ("root", "ingress"))
