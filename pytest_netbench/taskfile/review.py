"""Mistakes of a task that loads: found in its texts, without a device. ``netbench validate`` reports them.

A task that loads can be run; what is found here makes it say something other than its author meant.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from pytest_netbench.dialects.base import Mistake, Proofreads
from pytest_netbench.documents.problems import Place
from pytest_netbench.model.configure import Configure
from pytest_netbench.model.payload import Networked
from pytest_netbench.model.task import Task
from pytest_netbench.taskfile.names import dialect_of
from pytest_netbench.taskfile.places import TRUTH, Places
from pytest_netbench.taskfile.spellings import spelled_otherwise
from pytest_netbench.taskfile.wiring import strange_links

NO_TESTCASES = "the task has no testcase, so every answer would pass; add at least one below 'testcases'"


@dataclass(frozen=True, kw_only=True, order=True)
class Finding:
    """One mistake. A warning may be meant.

    ``about`` is the line of a configuration that it is about: source, node and number, as ``trial`` names refused ones.
    """

    place: Place
    message: str
    is_warning: bool = False
    about: tuple[object, ...] = field(default=(), compare=False)

    def __str__(self) -> str:
        line, column = self.place
        return f"{line}:{column}: {'warning: ' if self.is_warning else ''}{self.message}"


def lacks_testcases(task: Task) -> bool:
    """Whether nothing would be judged."""
    return type(task.payload) is Configure and not task.payload.testcases


def review(task: Task, places: Places, *, is_draft: bool = False) -> list[Finding]:
    """The mistakes of a task, in the order of the file.

    Args:
        task: The task.
        places: Finds its lines in its file.
        is_draft: Whether the file keeps to the draft's format, whose example abbreviates interfaces.
    """
    found = []
    if lacks_testcases(task):
        found.append(Finding(place=places.of(("testcases",)), message=NO_TESTCASES))
    if isinstance(task.payload, Networked):
        other = {} if is_draft else spelled_otherwise(task.payload)
        found += [
            Finding(place=places.of(("topology", "links", index)), message=message)
            for (index, _), message in other.items()
        ]
        mixed = {node for _, node in other}
        found += _in_configs(task.payload, places, without=mixed)
        found += [
            Finding(place=places.of(("topology", "links", index)), message=message, is_warning=True)
            for index, message in strange_links(task.payload)
        ]
    return sorted(found)


def _in_configs(network: Networked, places: Places, *, without: set[str]) -> Iterator[Finding]:
    """Mistakes in startup configs and ground truth; ``without`` has nodes whose interfaces were spoken of."""
    truths = network.ground_truth_configs if isinstance(network, Configure) else {}
    for node in network.topology.nodes:
        startup = network.startup_configs.get(node.name, "").split("\n")
        truth = truths.get(node.name, ())
        for mistake in _mistakes(network, node.name, startup, ()):
            if node.name not in without or "interface" not in mistake.message:
                place = places.startup(node.name, mistake.line + 1, mistake.offset)
                about: tuple[object, ...] = (None, node.name, mistake.line + 1)
                yield Finding(place=place, message=f"{node.name}: {mistake.message}", about=about)
        for mistake in _mistakes(network, node.name, truth, startup):
            if node.name not in without or "interface" not in mistake.message:
                place = places.command((TRUTH, node.name), mistake.line, mistake.offset)
                about = ((TRUTH,), node.name, mistake.line)
                yield Finding(place=place, message=f"{node.name}: {mistake.message}", about=about)


def _mistakes(network: Networked, node: str, lines: Sequence[str], before: Sequence[str]) -> list[Mistake]:
    dialect: object = dialect_of(network.platform_of(node))
    if not isinstance(dialect, Proofreads):
        return []
    return dialect.mistakes(lines, ports=network.topology.interfaces(node), before=before)
