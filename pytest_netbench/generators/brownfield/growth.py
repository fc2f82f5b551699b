"""Growth: a drawn network whose routers and switches get the leftovers of years, and what is planned among them.

What is added changes no flow. It depends on the network and the faults that were drawn, and not on whether they are
injected: a healthy network, whose faults are left out, is the same.
"""

from __future__ import annotations

import random
import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from types import ModuleType
from typing import Any, Final, Literal, NamedTuple

from pytest_netbench.faults.reasoning import known
from pytest_netbench.generators.brownfield import frr, ios
from pytest_netbench.generators.brownfield.common import Lines
from pytest_netbench.generators.brownfield.design import Planned, design_of
from pytest_netbench.generators.brownfield.ground import Ground, retired_blocks
from pytest_netbench.model.faulty import InjectedFault
from pytest_netbench.model.network import DrawnNetwork, Subnet

ConfigName = Literal["lean", "brown"]
FEWEST_LINES: Final = 300
MOST_LINES: Final = 1_450
"""Of a device; what it had is among them."""
_LANGUAGES: Final[Mapping[str, ModuleType]] = {"cisco_ios": ios, "frr": frr}
_PROCESS: Final = re.compile(r"^router bgp (\d+)$", re.MULTILINE)
_SESSIONS: Final = 0.5
_FILTERS: Final = 0.3
_LIMITS: Final = 0.15
_DESCRIPTIONS: Final = 0.6
_UNWANTED: Final = (69, 111, 135, 137, 138, 139, 445, 593, 1434)
"""UDP ports that nothing in a drawn network uses."""


class Grown(NamedTuple):
    """A network after years, and the document by which what is found there can be judged."""

    network: DrawnNetwork
    design: str | None


class Touched(NamedTuple):
    """What faults that were drawn change.

    Attributes:
        places: Things as faults name them, e.g. ``r1 eth0``.
        words: By node: all words of the commands that inject them.
    """

    places: Collection[str]
    words: Mapping[str, Collection[str]]


def touched_by(faults: Sequence[InjectedFault]) -> Touched:
    """What faults change."""
    words: dict[str, set[str]] = {}
    fault: Any
    parameters: Any
    for fault, parameters in map(known, faults):
        given = {parameters.node: fault.change(parameters).inject}
        for node, lines in (*given.items(), *fault.recover(parameters).items()):
            words.setdefault(node, set()).update(word for line in lines for word in line.split())
    return Touched(frozenset(place for one in faults for place in one.touches), words)


def overgrown(network: DrawnNetwork, touched: Touched, source: random.Random) -> Grown:
    """Return a network with leftovers in the configuration of each router and switch of FRR or IOS."""
    retired = retired_blocks(network, source)
    configs, planned = dict(network.startup_configs), []
    for node in network.topology.nodes:
        language = _LANGUAGES.get(network.platform_of(node.name))
        if language is None or not network.is_managed(node.name):
            continue
        config = configs[node.name]
        ground = Ground(source, retired, {*config.split(), *touched.words.get(node.name, ())})
        lines: Lines = []
        for exception, more in _planned(network, node.name, language, touched.places, ground):
            planned.append(exception)
            lines += more
        lines += _leftovers(language, config, ground, len(lines))
        configs[node.name] = _joined(config, lines)
    grown = network.model_copy(update={"startup_configs": configs})
    return Grown(grown, design_of(network, retired, planned, source))


def _planned(
    network: DrawnNetwork, node: str, language: ModuleType, touched: Collection[str], ground: Ground
) -> Iterator[tuple[Planned, Lines]]:
    """What is there on purpose: for the document, and as lines."""
    some, config = ground.source, network.startup_configs[node]
    process = _PROCESS.search(config)
    if process is not None and some.random() < _SESSIONS:
        address, lines = language.session(int(process[1]), ground)
        sentence = f"{node}: the BGP neighbor {address} is shut down until its owner has moved."
        heading = "BGP neighbors that are shut down until their owners have moved"
        yield Planned(sentence, heading, f"{node} {address}"), lines
    if language is not ios or node not in network.routers:
        return
    for interface in _ends(network.transits, node):
        is_free = f"{node} {interface}" not in touched and not _is_filtered(config, interface)
        if some.random() < _FILTERS and is_free:
            ports, name = tuple(sorted(some.sample(_UNWANTED, some.randint(2, 5)))), ground.name()
            way = some.choice(("in", "out"))
            denied = f"denies UDP to ports {_listed(ports)}, and nothing else"
            yield (
                Planned(
                    f"{node}: the access list {name} of {interface} ({way}) {denied}.",
                    "Access lists that deny UDP to these ports, and nothing else",
                    f"{node} {name} of {interface} ({way}) {_listed(ports)}",
                ),
                ios.filtering(name, interface, way, ports, ground.note()),
            )
    for interface in _ends(network.lans, node) if not network.markings else ():
        if some.random() < _LIMITS and f"{node} {interface}" not in touched:
            ports = tuple(sorted(some.sample(_UNWANTED, some.randint(1, 3))))
            yield (
                Planned(
                    f"{node}: its site limits UDP to ports {_listed(ports)} at {interface}, and marks nothing.",
                    "Sites that limit UDP to these ports, and mark nothing",
                    f"{node} {interface} {_listed(ports)}",
                ),
                ios.limiting(ground.name(), interface, ports, ground.note()),
            )


def _ends(subnets: Iterable[Subnet], node: str) -> Iterator[str]:
    """The interfaces of a node in some subnets."""
    for subnet in subnets:
        yield from (end.interface for end in subnet.attachments if end.node == node)


def _is_filtered(config: str, interface: str) -> bool:
    section = config.partition(f"interface {interface}\n")[2].partition("\n!")[0]
    return "ip access-group" in section or "ip nat" in section


def _leftovers(language: ModuleType, config: str, ground: Ground, had: int) -> Lines:
    """Lines that nothing uses, until the device has as many lines as are drawn for it."""
    some = ground.source
    lines = [line for several in language.once(config, ground) for line in several]
    lines += [line for several in _descriptions(language, config, ground) for line in several]
    kinds = list(language.kinds(config))
    target = int(FEWEST_LINES * (MOST_LINES / FEWEST_LINES) ** some.random()) - len(config.splitlines()) - had
    while len(lines) < target:
        lines += some.choice(kinds)(ground)
    return lines


def _descriptions(language: ModuleType, config: str, ground: Ground) -> Iterator[Lines]:
    """Descriptions of interfaces, in the styles of those who wrote them."""
    some = ground.source
    for found in re.finditer(r"^interface (\S+)\n description (.+)$", config, re.MULTILINE):
        if some.random() < _DESCRIPTIONS:
            interface, end = found.groups()
            words = (
                f"to {end}",
                f"*** {end} ***",
                f"{end.upper()} {ground.note()}",
                f"{ground.note()}",
                f"Link {end} / {ground.note()}",
            )
            yield language.described(interface, some.choice(words))


def _joined(config: str, lines: Lines) -> str:
    """A configuration with further lines, before its end if it says where that is."""
    text = "".join(f"{line}\n" for line in lines)
    end = "end\n"
    return f"{config.removesuffix(end)}{text}{end}" if config.endswith(f"\n{end}") else config + text


def _listed(ports: Collection[int]) -> str:
    return ", ".join(map(str, ports))
