"""Draws the skin of a task: new names, addresses and numbers, in the order of the old ones."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from itertools import count
from random import Random
from typing import Final

from pytest_netbench import parts
from pytest_netbench.dialects.base import Dialect
from pytest_netbench.generators.randomness import random_of
from pytest_netbench.generators.variants.clusters import cluster_skin
from pytest_netbench.generators.variants.documents import texts
from pytest_netbench.generators.variants.plan import draw_addresses
from pytest_netbench.generators.variants.tokens import mentions
from pytest_netbench.generators.variants.vocabulary import KEPT_NAMES, ORDINARY, WORDS
from pytest_netbench.model.payload import Networked
from pytest_netbench.model.task import Task
from pytest_netbench.model.variant import Skin

AS_RANGES: Final = ((64496, 64511), (64512, 65534), (65536, 65551), (4200000000, 4294967294))
"""AS numbers that carry no meaning: for documentation (RFC 5398), and for private use (RFC 6996)."""
VLANS: Final = range(2, 1002)
"""VLAN numbers that carry no meaning."""
_ASN: Final = re.compile(r"(?:\bAS|router bgp|remote-as|local-as|prepend) (\d+)")
_EIGRP: Final = re.compile(r"\brouter eigrp (\d+)")
_VLAN: Final = re.compile(r"(?:^|\n)\s*(?:vlan|encapsulation dot1Q|switchport access vlan) (\d+)", re.IGNORECASE)
_SLOT: Final = re.compile(r"^[A-Za-z]+(\d+)/")
_ETHERNET: Final = re.compile(r"^eth(\d+)")
_LOOPBACK: Final = re.compile(r"\bLoopback ?(\d+)")
_SECRET: Final = re.compile(
    r"\b(?:md5|authentication-key|key-string|password|secret)(?: [0-9])? ([A-Za-z][\w-]{5,})$", re.MULTILINE
)
_NAME: Final = re.compile(r"[A-Z][A-Z0-9-]+[A-Z0-9]")


def draw_skin(task: Task, seed: int) -> Skin:
    """The skin of ``task`` and ``seed``; equal for equal tasks on every machine."""
    rng = random_of(f"variant/{task.slug}", seed=seed, index=0)
    network = task.network
    if network.resource == "cluster":
        return cluster_skin(task, rng)
    every = [text for text, _ in texts(task.model_dump(mode="json", by_alias=True))]
    configs = list(_configs(network))
    joined = "\n".join(every)
    words = iter(rng.sample([word for word in WORDS if word not in joined.lower()], _MOST_WORDS))
    flips, documentation = draw_addresses((one for text in every for one in mentions(text)), rng)
    interfaces = [name for node in network.topology.nodes for name in network.topology.interfaces(node.name)]
    asns = [int(number) for number in _ASN.findall(joined)]
    return Skin(
        nodes=_nodes([node.name for node in network.topology.nodes], words),
        ordinary=tuple(sorted(ORDINARY & {node.name for node in network.topology.nodes})),
        names=_in_order(_names(network, configs), words, str.upper),
        secrets=_secrets(configs, words, rng),
        flips=flips,
        documentation=documentation,
        asns=closed({n: m for low, high in AS_RANGES for n, m in _drawn(asns, range(low, high + 1), rng).items()}),
        eigrp=closed(_drawn(map(int, _EIGRP.findall(joined)), range(1, 65536), rng)),
        vlans=closed(_drawn((int(n) for _, text in configs for n in _VLAN.findall(text)), VLANS, rng)),
        slots=_shifted(_numbers(_SLOT, interfaces), rng.randrange(1, 7)),
        ports=_shifted(_numbers(_ETHERNET, interfaces), rng.randrange(1, 7)),
        loopbacks=_shifted({int(n) for n in _LOOPBACK.findall(joined)}, rng.randrange(1, 90)),
    )


_MOST_WORDS: Final = 80


def _configs(network: Networked) -> Iterator[tuple[str, str]]:
    """Node and text of its startup config and of its ground truth."""
    truth: Mapping[str, Iterable[str]] = getattr(network, "ground_truth_configs", {})
    for node in network.topology.nodes:
        yield node.name, network.startup_configs.get(node.name, "")
        yield node.name, "\n".join(truth.get(node.name, ()))


def _nodes(names: Iterable[str], words: Iterator[str]) -> dict[str, str]:
    """New names of nodes. A name in lower case keeps its noun, which tells what kind of computer it is."""
    capital = sorted(name for name in names if name[0].isupper())
    others = sorted(name for name in names if not name[0].isupper())
    return {
        **_in_order(capital, words, str.capitalize),
        **{name: f"{word}-{name}" for name, word in _in_order(others, words, str).items()},
    }


def _in_order(names: Iterable[str], words: Iterator[str], form: Callable[[str], str]) -> dict[str, str]:
    ordered = sorted(set(names))
    return dict(zip(ordered, sorted(form(next(words)) for _ in ordered), strict=True))


def _names(network: Networked, configs: Iterable[tuple[str, str]]) -> set[str]:
    """Names of objects, written in capitals, that a person may choose freely."""
    found: set[str] = set()
    dialects: dict[str, Dialect] = {name: parts.load("dialects", name)() for name in network.platforms}
    for node, text in configs:
        dialect = dialects[network.platform_of(node)]
        lines = [line for raw in text.splitlines() if (line := dialect.normalise(raw)) is not None]
        for kind, pattern in dialect.free_names():
            if kind != "description" and not kind.endswith("sequence"):
                found |= {match[1] for line in lines for match in re.finditer(pattern, line)}
    return {name for name in found if _NAME.fullmatch(name)} - KEPT_NAMES


def _secrets(configs: Iterable[tuple[str, str]], words: Iterator[str], rng: Random) -> dict[str, str]:
    """New passwords and keys, with the same kind of signs at their ends."""
    found = sorted({secret for _, text in configs for secret in _SECRET.findall(text)})
    return {secret: _like(secret, next(words), rng) for secret in found}


def _like(secret: str, word: str, rng: Random) -> str:
    ending = re.search(r"[\d-]*$", secret)
    digits = "" if ending is None else re.sub(r"\d", lambda _: str(rng.randrange(10)), ending[0])
    return (word.capitalize() if secret[0].isupper() else word) + digits


def _drawn(numbers: Iterable[int], allowed: range, rng: Random) -> dict[int, int]:
    """New numbers, in the order of the old ones, none of which is an old one."""
    ordered = sorted({number for number in numbers if number in allowed})
    if len(allowed) < 2 * len(ordered):
        return {}
    new: set[int] = set()
    while len(new) < len(ordered):
        candidate = allowed[int(rng.random() * len(allowed))]
        new |= {candidate} - set(ordered)
    return dict(zip(ordered, sorted(new), strict=True))


def _numbers(pattern: re.Pattern[str], texts_: Iterable[str]) -> set[int]:
    return {int(match[1]) for text in texts_ if (match := pattern.match(text)) is not None}


def _shifted(numbers: Iterable[int], step: int) -> dict[int, int]:
    return closed({number: number + step for number in numbers})


def closed(mapping: Mapping[int, int]) -> dict[int, int]:
    """The permutation that has this injective mapping in it: what a number drives out goes where there is room."""
    whole = dict(mapping)
    back = {new: old for old, new in mapping.items()}
    for new in sorted(back.keys() - mapping.keys()):
        start = next(n for n in _chain(new, back) if n not in back)
        if start != new:
            whole[new] = start
    return whole


def _chain(number: int, back: Mapping[int, int]) -> Iterator[int]:
    for _ in count():
        yield number
        if number not in back:
            return
        number = back[number]
