"""Mistakes of a task that loads: found in its texts, without a device. ``netbench validate`` reports them.

A task that loads can be run; what is found here makes it say something other than its author meant.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field

from pytest_netbench.dialects.base import Mistake, Proofreads, match_values_of
from pytest_netbench.dialects.match_values import Attachment
from pytest_netbench.documents.problems import Place, hint
from pytest_netbench.model.configure import Configure
from pytest_netbench.model.payload import Networked
from pytest_netbench.model.task import Task
from pytest_netbench.model.topology import Endpoint, Link
from pytest_netbench.taskfile.names import dialect_of, full_name
from pytest_netbench.taskfile.places import TRUTH, Places


def strange_links(network: Networked) -> Iterator[tuple[int, str]]:
    """The index of each link whose startup addresses do not fit, and why.

    Links to nodes without a startup address, e.g. switches, are not judged.
    """
    attached = {node.name: _attachments(network, node.name) for node in network.topology.nodes}
    for index, link in enumerate(network.topology.links):
        ends = [(end, at) for end in link.endpoints if (at := attached[end.node].get(_full(network, end)))]
        for position, (one, here) in enumerate(ends):
            for other, there in ends[position + 1 :]:
                if (message := _strange(link, one, here, other, there)) is not None:
                    yield index, message


def _strange(link: Link, one: Endpoint, here: list[Attachment], other: Endpoint, there: list[Attachment]) -> str | None:
    same = {at.address for at in here} & {at.address for at in there}
    if same:
        return f"link {str(link)!r}: {one.node} and {other.node} both have the address {min(map(str, same))}"
    for version in (4, 6):
        ours = [at.subnet for at in here if at.address.version == version and at.subnet.first != at.subnet.last]
        theirs = [at.subnet for at in there if at.address.version == version and at.subnet.first != at.subnet.last]
        if ours and theirs and not set(ours) & set(theirs):
            return (
                f"link {str(link)!r}: {one.node} is in {', '.join(map(str, ours))} there, and {other.node} in"
                f" {', '.join(map(str, theirs))}"
            )
    return None


def _attachments(network: Networked, node: str) -> dict[str, list[Attachment]]:
    """By full name of an interface: its addresses at startup."""
    platform = network.platform_of(node)
    values = match_values_of(dialect_of(platform), network.startup_configs.get(node, ""))
    if values is None:
        return {}
    found: dict[str, list[Attachment]] = {}
    for at in values.attachments:
        with suppress(ValueError):
            found.setdefault(full_name(platform, at.interface), []).append(at)
    return found


def _full(network: Networked, end: Endpoint) -> str:
    return full_name(network.platform_of(end.node), end.interface)


def spelled_otherwise(network: Networked) -> dict[tuple[int, str], str]:
    """By link and node: what is wrong with an interface that the link abbreviates.

    An abbreviation is an error if the node's configurations do not write it in the same way: whoever reads the link
    does not find its interface there.
    """
    found = {}
    for index, link in enumerate(network.topology.links):
        for end in link.endpoints:
            platform = network.platform_of(end.node)
            full = full_name(platform, end.interface)
            text = _configs(network, end.node)
            if full == end.interface or not _interfaces(text) or _names(text, end.interface):
                continue
            if _names(text, full):
                message = (
                    f"link {str(link)!r}: the configuration of {end.node} calls this interface {full!r}; write it so"
                )
            else:
                near = hint(full, _interfaces(text))
                message = (
                    f"link {str(link)!r}: {end.interface!r} is interface {full!r} of platform {platform!r}, which the"
                    f" configuration of {end.node} does not name.{near}"
                )
            found[index, end.node] = message
    return found


def _configs(network: Networked, node: str) -> str:
    truth = network.ground_truth_configs.get(node, ()) if isinstance(network, Configure) else ()
    return "\n".join([network.startup_configs.get(node, ""), *truth])


def _names(text: str, interface: str) -> bool:
    return re.search(rf"(?<![\w/.]){re.escape(interface)}(?![\w/])", text, re.IGNORECASE) is not None


def _interfaces(text: str) -> list[str]:
    return list(dict.fromkeys(re.findall(r"(?im)^\s*interface\s+(\S+)", text)))


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
