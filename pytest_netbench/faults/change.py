"""What a fault changes, and all that follows from it: how it is injected, seen, explained, proved and repaired."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import groupby, pairwise
from typing import Any, Concatenate, Generic, Literal, ParamSpec, Self, TypeVar

from pytest_netbench.dialects.state_checks import StateCheck
from pytest_netbench.dialects.syntax import syntax_of
from pytest_netbench.errors import FaultHasNoEffect
from pytest_netbench.faults.evidence import asking
from pytest_netbench.faults.evidence.network import Observable
from pytest_netbench.faults.evidence.observation import EXEC, Matches, Observation, unlike
from pytest_netbench.faults.syntax import below
from pytest_netbench.lab.protocols import Lab
from pytest_netbench.model.base import Model
from pytest_netbench.model.network import DrawnNetwork
from pytest_netbench.platforms import capabilities
from pytest_netbench.platforms.driver import AppliesUnseen, ListsNeighbors, ListsRoutes


class OnNode(Model):
    """Parameters of a fault of one node."""

    node: str


class OnDevice(OnNode):
    """Parameters of a fault of one device. ``platform`` is the language of its commands."""

    platform: str

    @classmethod
    def of(cls, network: DrawnNetwork, node: str, **others: Any) -> Self:
        """Parameters of a node of a network."""
        return cls(node=node, platform=network.platform_of(node), **others)

    def without(self, *path: str) -> tuple[str, ...]:
        """Commands that remove a line of the config, below the lines before it."""
        return syntax_of(self.platform).negate(path)


class OnPort(OnDevice):
    """Parameters of a fault of one interface of a device."""

    interface: str


def of_port(parameters: OnPort) -> frozenset[str]:
    """What a fault of an interface touches."""
    return frozenset({f"{parameters.node} {parameters.interface}"})


def on_port(parameters: OnPort, *lines: str) -> tuple[str, ...]:
    """Lines of a config below that of an interface."""
    return below(f"interface {parameters.interface}", *lines)


P = TypeVar("P", bound=OnNode)
Commands = Mapping[str, tuple[str, ...]]
"""By node: commands in the language of its platform, in order."""
Act = Callable[[Lab], object]
Check = Callable[[Lab], Iterable[str]]
"""What of a lab shows that a fault has not taken effect, one phrase each."""
Symptom = Callable[[Observable], Iterable[Observation]]
"""What an agent can observe in a network, the most telling first."""
Language = Literal["config", "shell"]
_Where = TypeVar("_Where")
_Found = TypeVar("_Found")
_Given = ParamSpec("_Given")


def given(
    function: Callable[Concatenate[_Where, _Given], _Found], *args: _Given.args, **words: _Given.kwargs
) -> Callable[[_Where], _Found]:
    """Return what is left of a function when all but its first argument is given: a check or a symptom."""
    return lambda where: function(where, *args, **words)


def shows(node: str, name: str, because: str, /, **words: object) -> Symptom:
    """Return the symptom that a command of a node shows that it is in a state (``asking.state``)."""
    return lambda network: asking.state(network, node, name, because, **words)


def common(symptom: Symptom) -> Symptom:
    """Return a symptom that other faults have, too (``asking.shared``)."""
    return lambda network: asking.shared(symptom(network))


@dataclass(frozen=True, kw_only=True)
class Change:
    """What a fault with certain parameters changes on its node, and what shows it.

    Commands of a config are as the dialect of the node writes them; a removal is of all lines that begin alike.
    ``do COMMAND`` is an exec command and leaves nothing in the config.

    Attributes:
        inject: Commands that inject it.
        found: Further ones that only the lab can tell.
        act: What injects it that no command does.
        undo: What takes it away where no command on a node does.
        repair: Commands that repair it, after which the node is as before.
        shown: What the running config is checked against, where it does not have the words of the commands.
        signs: Shell commands whose output shows it.
        checks: What else of the lab shows that it has not taken effect.
        symptoms: What an agent can observe beside the config and the signs.
        wrong: Sentences that say what is wrong, where those of its kind say too little.
        detail: Sentences behind those of its kind, in the place of its commands.
        elsewhere: By node: what is changed there, too.
    """

    inject: tuple[str, ...] = ()
    found: Callable[[Lab], tuple[str, ...]] | None = None
    act: Act | None = None
    undo: Act | None = None
    repair: tuple[str, ...] = ()
    shown: tuple[str, ...] | None = None
    signs: tuple[StateCheck, ...] = ()
    checks: tuple[Check, ...] = ()
    symptoms: tuple[Symptom, ...] = ()
    wrong: str | None = None
    detail: str | None = None
    elsewhere: Mapping[str, Change] = field(default_factory=dict)

    @property
    def config(self) -> tuple[str, ...]:
        """What the running config is checked against."""
        return self.inject if self.shown is None else self.shown


class ByChange(Generic[P]):
    """Whatever has a ``change`` for its parameters: injects, observes, repairs, explains and proves itself by it."""

    name: str
    about: str
    language: Language
    change: Callable[[Any], Change]

    def inject(self, parameters: P, lab: Lab) -> None:
        """Make the change. It leaves nothing in the node but what is wrong."""
        for node, change in self._changes(parameters):
            if change.act is not None:
                change.act(lab)
            commands = (*change.inject, *(() if change.found is None else change.found(lab)))
            apply = _by_shell if self.language == "shell" else by_config
            for problem in apply(node, commands, lab):
                raise FaultHasNoEffect(self.name, f"{node} refused {problem}")

    def observe(self, parameters: P, lab: Lab) -> None:
        """See once that it has taken effect."""
        for node, change in self._changes(parameters):
            for problem in self._missing(node, change, lab):
                raise FaultHasNoEffect(self.name, f"{node}: {problem}")

    def recover(self, parameters: P) -> Commands:
        """By node: what repairs it."""
        changes = self._changes(parameters)
        return {node: change.repair for node, change in changes if change.repair or node == parameters.node}

    def explain(self, parameters: P) -> str:
        """Sentences that say what is wrong, and what shows it."""
        change = self.change(parameters)
        if change.signs:
            return f"{change.wrong or self.about} On {parameters.node}, `{change.signs[0].command}` shows it."
        if change.detail is not None:
            return f"{change.wrong or self.about} {change.detail}"
        assert isinstance(parameters, OnDevice), self.name
        lines = [f"`{line}`" for line in _lasting(change.inject, parameters)]
        return f"{self.about} On {parameters.node}, the configuration is as after {', '.join(lines)}."

    def evidence(self, parameters: P, network: Observable) -> Iterator[Observation]:
        """Observations that prove it, the most telling first."""
        change = self.change(parameters)
        lines = [line for line in self._shown(change) if not line.startswith(EXEC)]
        if lines:
            yield from asking.config(network, parameters.node, lines, self.about)
        for sign in change.signs:
            yield Observation(
                method="execute-cmd",
                params={"device": parameters.node, "command": sign.command},
                shows=Matches(pattern=sign.pattern),
                because=self.about,
            )
        for symptom in change.symptoms:
            yield from symptom(network)

    def _changes(self, parameters: P) -> Iterator[tuple[str, Change]]:
        change = self.change(parameters)
        yield parameters.node, change
        yield from change.elsewhere.items()

    def _shown(self, change: Change) -> tuple[str, ...]:
        return () if self.language == "shell" else change.config

    def _missing(self, node: str, change: Change, lab: Lab) -> Iterator[str]:
        if lines := self._shown(change):
            driver = lab.driver(node)
            yield from unlike(driver.running_config(lab.nodes[node]), lines, syntax_of(driver.dialect))
        for sign in change.signs:
            yield from _unseen(node, sign, lab)
        for check in change.checks:
            yield from check(lab)


def by_config(node: str, commands: Sequence[str], lab: Lab) -> Iterator[str]:
    """Enter commands of a config, and return a phrase for each that the node refuses."""
    driver = lab.driver(node)
    apply = driver.apply_unseen if isinstance(driver, AppliesUnseen) else driver.apply
    # what a batch of configuration does is there when it ends, and only then can an exec command build on it
    for is_exec, several in groupby(commands, key=lambda line: line.startswith(EXEC)):
        for status in apply(lab.nodes[node], [line.removeprefix(EXEC) if is_exec else line for line in several]):
            if status.status == "error":
                yield f"{status.command.strip()!r}: {status.message.strip() or 'no message'}"


def _by_shell(node: str, commands: Sequence[str], lab: Lab) -> Iterator[str]:
    """Like ``by_config``, by the shell of the node."""
    for command in commands:
        done = lab.nodes[node].capability(capabilities.EXEC).run(["/bin/sh", "-c", command])
        if done.returncode != 0:
            yield f"{command!r}: {(done.stderr or done.stdout).strip() or f'exit status {done.returncode}'}"


def _unseen(node: str, sign: StateCheck, lab: Lab) -> Iterator[str]:
    done = lab.nodes[node].capability(capabilities.EXEC).run(["/bin/sh", "-c", sign.command])
    if done.returncode != 0 or not re.search(sign.pattern, done.stdout, re.MULTILINE):
        shown = " / ".join((done.stdout or done.stderr).split("\n")).strip() or "nothing"
        yield f"{sign.command!r} shows {shown}, expected a match of {sign.pattern!r}"


def _lasting(commands: Sequence[str], device: OnDevice) -> Iterator[str]:
    """Configuration commands, without the pairs that only type a line again to keep the order of lines."""
    lines = [line.strip() for line in commands if not line.startswith(EXEC)]
    retyped = {number for number, (one, other) in enumerate(pairwise(lines)) if (one,) == device.without(other)}
    return (line for number, line in enumerate(lines) if not {number, number - 1} & retyped)


def neighbor_up(lab: Lab, node: str, protocol: str, address: str) -> Iterator[str]:
    """Return a phrase if a neighbor of a routing protocol is up; none if the platform lists no neighbors."""
    driver = lab.driver(node)
    if isinstance(driver, ListsNeighbors):
        for one in driver.neighbors(lab.nodes[node]):
            if (one.protocol, one.address) == (protocol, address) and one.is_up:
                yield f"{protocol} neighbor {address} of {node} is still {one.state}"


def has_route(lab: Lab, node: str, prefix: str, protocol: str, *, next_hop: str | None = None) -> Iterator[str]:
    """Return a phrase if a node has a route to exactly ``prefix`` by a protocol, and by a next hop if one is given."""
    for route in lab.driver(node).routes(lab.nodes[node], prefix):
        if route.protocol == protocol and (next_hop is None or next_hop in route.next_hops):
            yield f"{node} still has a route to {prefix} by {protocol}"


def routes_out(lab: Lab, node: str, interface: str, protocol: str) -> Iterator[str]:
    """Return a phrase for each route of a protocol out of an interface; none if the platform lists no routes."""
    driver = lab.driver(node)
    if isinstance(driver, ListsRoutes):
        for route in driver.table(lab.nodes[node]):
            if route.protocol == protocol and interface in route.interfaces:
                yield f"{node} still has a route to {route.prefix} by {protocol} out of {interface}"
