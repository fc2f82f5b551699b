"""A third party's network OS whose configs have braces, ``set`` and ``delete``, and one commit for all commands.

A config, whose behaviour is that of a node of ``memory_lab``::

    interfaces { e0 { address 10.0.0.1/24; mtu 1400; input WEB; } }
    filters { filter WEB { deny tcp 80 any; } }
    routes { 10.9.0.0/16 via 10.0.2.10; }
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from ipaddress import ip_interface, ip_network
from pathlib import Path
from typing import Final

from pytest_netbench.dialects.base import ManualSection
from pytest_netbench.dialects.syntax import Commit, Edit, Tree
from pytest_netbench.dialects.syntax import Path as Place
from pytest_netbench.model.trial import CommandStatus, RefusedLine
from pytest_netbench.platforms.batches import Refusal, statuses_of_batch
from tests.support.memory_lab import CHAIN, MemoryDriver, MemoryLab, MemoryNode

ENTRY_POINTS = """\
[pytest_netbench.dialects]
braces = tests.support.braces:BracesDialect
[pytest_netbench.drivers]
braces = tests.support.braces:BracesDriver
"""
BLOCKS: Final[Mapping[str, tuple[int, ...]]] = {"interfaces": (1, 1), "filters": (1, 2), "routes": (1,)}
"""By the first word, how many words each block has that is around a statement."""
STATEMENTS: Final = {
    "interfaces": r"(?:address|mtu|input) \S+",
    "filters": r"(?:deny|permit) \S+ \S+ \S+",
    "routes": r"\S+ via \S+",
}
SINGLE: Final = ("mtu", "input")
"""Statements of which an interface has one at most."""
_TOKEN = re.compile(r"/\*.*?\*/|[{};]|[^{};]+?(?=/\*|[{};]|$)", re.DOTALL)


def install(site: Path) -> Path:
    """Make ``site`` a folder that provides the parts ``braces`` once it is on ``sys.path``."""
    info = site / "braces_labs-1.0.dist-info"
    info.mkdir(parents=True)
    (info / "entry_points.txt").write_text(ENTRY_POINTS)
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: braces-labs\nVersion: 1.0\n")
    return site


class Braces:
    """Implements ``dialects.syntax.Syntax``."""

    commit: Commit = "batch"

    def parse(self, text: str) -> tuple[Tree, ...]:
        return _block([token for found in _TOKEN.findall(text) if (token := found.strip()) and token[:2] != "/*"])

    def render(self, tree: Sequence[Tree]) -> str:
        return "".join(f"{line}\n" for line in _rendered(tree, ()))

    def paths(self, text: str) -> Sequence[Place]:
        return tuple(_walk(self.parse(text), ()))

    def edits(self, commands: Sequence[str]) -> Sequence[Edit]:
        words = (command.split() for command in commands)
        return tuple(Edit(place_of(rest), removes=verb == "delete") for verb, *rest in words)

    def negate(self, path: Place) -> tuple[str, ...]:
        return (f"delete {' '.join(path)}",)


def place_of(words: Sequence[str]) -> Place:
    """The place that the words behind ``set`` and ``delete`` name."""
    left, place = list(words), []
    for count in BLOCKS.get(words[0], ()):
        if left:
            place.append(" ".join(left[:count]))
            del left[:count]
    return (*place, " ".join(left)) if left else tuple(place)


def _block(tokens: list[str]) -> tuple[Tree, ...]:
    """The lines up to the brace that closes the block; the tokens are used up."""
    found: list[Tree] = []
    while tokens and (token := tokens.pop(0)) != "}":
        if token != ";":
            opens = tokens[:1] == ["{"]
            del tokens[: int(opens)]
            found.append((" ".join(token.split()), _block(tokens) if opens else ()))
    return tuple(found)


def _rendered(tree: Sequence[Tree], above: Place) -> Iterator[str]:
    indent = "    " * len(above)
    for line, children in tree:
        if len(above) < len(BLOCKS.get((*above, line)[0], ())):
            yield f"{indent}{line} {{"
            yield from _rendered(children, (*above, line))
            yield f"{indent}}}"
        else:
            yield f"{indent}{line};"


def _walk(tree: Sequence[Tree], above: Place) -> Iterator[Place]:
    for line, children in tree:
        yield (*above, line)
        yield from _walk(children, (*above, line))


class BracesDialect:
    """Implements ``dialects.base.Dialect``."""

    name = "braces"
    hint = "Configuration commands are `set` and `delete`."
    syntax = Braces()

    def interface(self, name: str) -> str:
        return name

    def normalise(self, line: str) -> str | None:
        return " ".join(line.split()) or None

    def rearrange(self, tree: Sequence[Tree]) -> tuple[Tree, ...]:
        return tuple(tree)

    def free_names(self) -> Sequence[tuple[str, str]]:
        return (("filter", r"^filter (\S+)$"), ("filter", r"^input (\S+)$"))

    def ordered_block(self, parents: tuple[str, ...], line: str) -> str | None:
        return parents[-1] if parents[:1] == ("filters",) and len(parents) == 2 else None

    def manual(self) -> Sequence[ManualSection]:
        return ()


class Refused(Exception):
    """A candidate config that the device does not commit."""


class BracesDriver(MemoryDriver):
    """Operates memory nodes by configs with braces; ``apply`` commits all commands or none."""

    name = "braces"
    dialect = "braces"

    def boot(self, node: MemoryNode, startup_config: str) -> list[RefusedLine]:
        node.platform = "braces"
        self._commit(node, Braces().parse(startup_config))
        return []

    def running_config(self, node: MemoryNode) -> str:
        node.lab.tick()
        return Braces().render(node.memory["config"])

    def apply(self, node: MemoryNode, commands: Sequence[str]) -> list[CommandStatus]:
        return statuses_of_batch(node.name, commands, self._try(node, commands))

    def _try(self, node: MemoryNode, commands: Sequence[str]) -> Refusal | None:
        candidate = node.memory["config"]
        for index, command in enumerate(commands):
            try:
                candidate = edited(candidate, command, ports=node.interfaces)
            except Refused as error:
                return Refusal(message=str(error), index=index)
        try:
            self._commit(node, candidate)
        except Refused as error:
            return Refusal(message=str(error))
        return None

    def _commit(self, node: MemoryNode, tree: tuple[Tree, ...]) -> None:
        lines = list(compiled(tree))
        node.memory["config"], node.lines = tree, lines


def edited(tree: tuple[Tree, ...], command: str, *, ports: Sequence[str]) -> tuple[Tree, ...]:
    """The config after one command.

    Raises:
        Refused: It is no command, or what it names is not there.
    """
    verb, _, rest = command.partition(" ")
    if verb not in {"set", "delete"} or not rest.strip():
        raise Refused(f"unknown command: {verb}")
    (edit,) = Braces().edits([command])
    if edit.removes:
        return _without(tree, edit.path)
    top, *blocks = edit.path
    if len(blocks) != len(BLOCKS.get(top, ())) or not re.fullmatch(STATEMENTS[top], blocks[-1]):
        raise Refused(f"syntax error: {rest.strip()}")
    if top == "interfaces" and blocks[0] not in ports:
        raise Refused(f"no such interface: {blocks[0]}")
    _check(edit.path)
    return _with(tree, edit.path)


def _check(path: Place) -> None:
    words = path[-1].split()
    try:
        if words[0] == "address":
            ip_interface(words[1])
        elif path[0] == "routes":
            ip_network(words[0])
    except ValueError as error:
        raise Refused(f"invalid value: {error}") from error


def _with(tree: tuple[Tree, ...], path: Place) -> tuple[Tree, ...]:
    line, *rest = path
    if not rest:
        word = line.split()[0]
        kept = (one for one in tree if one[0] != line and not (word in SINGLE and one[0].split()[0] == word))
        return (*kept, (line, ()))
    known = dict(tree)
    known[line] = _with(known.get(line, ()), tuple(rest))
    return tuple(known.items())


def _without(tree: tuple[Tree, ...], path: Place) -> tuple[Tree, ...]:
    line, *rest = path
    if not rest:
        kept = tuple(one for one in tree if not f"{one[0]} ".startswith(f"{line} "))
        if kept == tree:
            raise Refused(f"nothing to delete: {line}")
        return kept
    known = dict(tree)
    if line not in known:
        raise Refused(f"nothing to delete: {line}")
    known[line] = _without(known[line], tuple(rest))
    return tuple((one, children) for one, children in known.items() if children)


def compiled(tree: Sequence[Tree]) -> Iterator[str]:
    """The lines of a memory node that does what a config says.

    Raises:
        Refused: The config contradicts itself.
    """
    config = {line: dict(children) for line, children in tree}
    filters = {line.split()[1]: [one for one, _ in rules] for line, rules in config.get("filters", {}).items()}
    for interface, statements in config.get("interfaces", {}).items():
        for statement, _ in statements:
            word, value = statement.split()
            if word == "address":
                yield f"address {interface} {ip_interface(value).ip}"
            elif word == "input" and value not in filters:
                raise Refused(f"commit failed: filter {value} is used and not defined")
            elif word == "input":
                yield from (rule for rule in filters[value] if rule.startswith("deny "))
    yield from (f"route {line}" for line in config.get("routes", {}))


CONFIGS: Final = {
    "branch": "interfaces { e0 { address 10.0.1.10/24; } }",
    "edge": (
        "interfaces { e0 { address 10.0.1.1/24; } e1 { address 10.0.2.1/24; } } routes { 10.9.0.0/16 via 10.0.2.10; }"
    ),
    "web": "interfaces { e0 { address 10.0.2.10/24; } }",
}


def braces_lab() -> MemoryLab:
    """branch - edge - web, all of which have configs with braces."""
    driver = BracesDriver()
    lab = MemoryLab(CHAIN, {}, driver=driver)
    for name, text in CONFIGS.items():
        driver.boot(lab.nodes[name], text)
    return lab
