"""``show class-map`` and ``show policy-map``, with counters."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace

from pytest_netbench.dialects.cisco_ios.markings import DSCP
from pytest_netbench.platforms.cisco_ios.apply import nft
from pytest_netbench.platforms.cisco_ios.areas.qos.compile import Attachment, attachments, bursts, classes, counter_name
from pytest_netbench.platforms.cisco_ios.areas.qos.queues import Queues
from pytest_netbench.platforms.cisco_ios.areas.qos.shares import guarantees, percent_base, shape_of
from pytest_netbench.platforms.cisco_ios.config.tree import Entry, Section
from pytest_netbench.platforms.cisco_ios.device.exec import Exec
from pytest_netbench.platforms.cisco_ios.grammar.command import Match
from pytest_netbench.platforms.cisco_ios.grammar.tables import show

_DEFAULT = "class-default"
_QUEUE = re.compile(
    r"^class htb 1:(?P<minor>[0-9a-f]+) .*\n Sent (?P<bytes>\d+) bytes (?P<packets>\d+) pkt \(dropped"
    r" (?P<drops>\d+),.*\n"
    r" backlog \d+\S* (?P<qlen>\d+)p",
    re.MULTILINE,
)
_OPERATIONS = ("input", "output")
_QUEUED = ("priority", "bandwidth", "shape average", "queue-limit")


def _class_map(at: Exec, match: Match) -> str:
    parts = [" Class Map match-any class-default (id 0)\n   Match any \n"] if "name" not in match.args else []
    for number, (entry, body) in enumerate(at.config.sections("class-map"), start=1):
        if match.get("name", entry["name"]) == entry["name"]:
            lines = [f" Class Map {_kind(entry)} {entry['name']} (id {number})"]
            lines += [f"   {described(line)}" for line in body if line.name.startswith("match")] or ["   Match none "]
            parts.append("\n".join(lines) + "\n")
    return "\n".join(parts)


def _kind(entry: Entry) -> str:
    return "match-any" if entry.has("match-any") else "match-all"


def described(line: Entry) -> str:
    """Return a ``match`` line in the words of ``show``."""
    text = line.text.removeprefix("match ")
    negated = "not " if line.has("not") else ""
    text = text.removeprefix("not ").replace("ip dscp", "ip dscp ").replace("  ", " ")
    if line.name == "match dscp":
        values = "  ".join(f"{value} ({DSCP[value]})" if value in DSCP else value for value in line.many("dscp"))
        text = f"{'ip ' if line.has('ip') else ''}dscp {values}"
    elif line.name == "match precedence":
        text = f"{'ip ' if line.has('ip') else ''}precedence {'  '.join(line.many('prec'))} "
    return f"Match: {negated}{text}".rstrip() if line.name != "match any" else f"Match: {negated}any "


def _policy_map(at: Exec, match: Match) -> str:
    parts = []
    for entry, _ in at.config.sections("policy-map"):
        if match.get("name", entry["name"]) == entry["name"]:
            lines = [f"  Policy Map {entry['name']}"]
            for name, body in classes(at.config, entry["name"]):
                if name != _DEFAULT or body.parent is not None:
                    lines.append(f"    Class {name}")
                    lines += [f"      {words}" for line in body for words in _brief(line)]
            parts.append("\n".join(lines) + "\n")
    return "\n".join(parts)


def _brief(line: Entry) -> list[str]:
    if line.name == "police":
        normal, _ = bursts(line)
        rates = f" police cir {line['cir']} bc {normal}" + (
            f" pir {line['pir']} be {bursts(line)[1]}" if "pir" in line.match.args else ""
        )
        return [rates, *(f"   {child.text} " for child in line.body)]
    if line.name == "shape average":
        return [
            "Average Rate Traffic Shaping",
            f"cir {line['bps']} (bps)" if "bps" in line.match.args else f"cir {line['percent']}%",
        ]
    return [line.text]


def _interface(at: Exec, match: Match) -> str:
    figures = _Figures(at)
    parts = []
    for one in attachments(at.device.context()):
        if one.where is None or match.get("interface", one.where.name) != one.where.name:
            continue
        if any(match.has(word) and one.direction != word for word in _OPERATIONS):
            continue
        parts.append("\n".join([f" {one.where.name} ", "", *_attached(at, one, figures), ""]))
    return "\n".join(parts)


def _control_plane(at: Exec, _match: Match) -> str:
    figures = _Figures(at)
    found = [one for one in attachments(at.device.context()) if one.where is None and not one.host]
    return "\n".join("\n".join([" Control Plane ", "", *_attached(at, one, figures), ""]) for one in found)


class _Figures:
    """Counters of classes and queues."""

    def __init__(self, at: Exec) -> None:
        self._counters = nft.counters(at.node)
        self._node = at.node
        self._queues: dict[str, dict[int, dict[str, int]]] = {}

    def count(self, one: Attachment, numbers: list[int], what: str = "") -> tuple[int, int]:
        """Return (packets, bytes)."""
        return self._counters.get(("inet", counter_name(one.prefix, numbers, what)), (0, 0))

    def queue(self, kernel: str, minor: int) -> Mapping[str, int]:
        """Return the counters of ``tc`` for an HTB class: bytes, packets, drops, qlen."""
        if kernel not in self._queues:
            self._queues[kernel] = queues(self._node.run(["tc", "-s", "class", "show", "dev", kernel]).stdout)
        return self._queues[kernel].get(minor, {})


def queues(text: str) -> dict[int, dict[str, int]]:
    """Return counters by class number from ``tc -s class show``, which has no JSON output for HTB."""
    found: dict[int, dict[str, int]] = {}
    for match in _QUEUE.finditer(text):
        figures = {name: int(value) for name, value in match.groupdict().items() if name != "minor"}
        found[int(match["minor"], 16)] = figures
    return found


def _attached(at: Exec, one: Attachment, figures: _Figures) -> Iterator[str]:
    yield f"  Service-policy {one.direction}: {one.policy}"
    yield ""
    context = at.device.context()
    queues = Queues(context, one.where, one.policy) if one.where is not None and one.direction == "output" else None
    rate = percent_base(context, one.where) if one.where is not None else 0
    yield from _Printer(at.config, one, figures, queues).policy(one.policy, _Place((), (), "    ", rate))


@dataclass(frozen=True)
class _Place:
    """A position in nested policies: the classes above by name and number, the indentation, the shared rate."""

    path: tuple[str, ...]
    numbers: tuple[int, ...]
    indent: str
    rate: int


@dataclass(frozen=True)
class _Printer:
    """Prints one attached policy."""

    config: Section
    one: Attachment
    figures: _Figures
    queues: Queues | None

    def policy(self, policy: str, at: _Place) -> Iterator[str]:
        known = classes(self.config, policy)
        shares = guarantees(dict(known), at.rate, at.rate) if self.queues is not None and at.rate else {}
        for number, (name, body) in enumerate(known):
            here = replace(at, path=(*at.path, name), numbers=(*at.numbers, number))
            yield from (f"{at.indent}{words}" for words in self._head(name, list(here.numbers)))
            yield from (f"{at.indent}  {words}" for words in self._queue(here, body, shares.get(name, 0)))
            for line in body:
                yield from (
                    f"{at.indent}  {words}" for words in _feature(line, self.one, self.figures, list(here.numbers))
                )
            child = body.get("service-policy")
            if child is not None:
                yield from ("", f"{at.indent}  Service-policy : {child['policy']}", "")
                inner = replace(here, indent=f"{at.indent}    ", rate=shape_of(body, at.rate) or at.rate)
                yield from self.policy(str(child["policy"]), inner)
            yield ""

    def _head(self, name: str, numbers: list[int]) -> Iterator[str]:
        packets, size = self.figures.count(self.one, numbers)
        entry = self.config.get("class-map", name=name)
        yield f"Class-map: {name} ({'match-any' if entry is None else _kind(entry)})  "
        yield f"  {packets} packets, {size} bytes"
        yield "  5 minute offered rate 0000 bps, drop rate 0000 bps"
        for line in entry.body if entry else ():
            if line.name.startswith("match"):
                yield f"  {described(line)}"
        if name == _DEFAULT:
            yield "  Match: any "

    def _queue(self, at: _Place, body: Section, share: int) -> Iterator[str]:
        minor = self.queues.minor(at.path) if self.queues is not None else None
        if minor is None or self.one.where is None or not any(body.has(name) for name in _QUEUED):
            return
        stats = self.figures.queue(self.one.where.kernel, minor)
        limit = body.get("queue-limit")
        yield "Queueing"
        yield f"queue limit {limit['packets'] if limit else 64} packets"
        yield f"(queue depth/total drops/no-buffer drops) {stats.get('qlen', 0)}/{stats.get('drops', 0)}/0"
        yield f"(pkts output/bytes output) {stats.get('packets', 0)}/{stats.get('bytes', 0)}"
        if body.has("priority"):
            yield (
                f"Priority: {share // 1000} kbps, burst bytes {max(1500, share // 40)}, b/w exceed drops:"
                f" {stats.get('drops', 0)}"
            )
        line = body.get("bandwidth")
        if line is not None:
            yield f"{line.text} kbps" if "kbit" in line.match.args else f"{line.text} ({share // 1000} kbps)"
        shaped = shape_of(body, at.rate)
        if shaped:
            yield f"shape (average) cir {shaped}, bc {shaped // 250}, be {shaped // 250}"
            yield f"target shape rate {shaped}"


def _feature(line: Entry, one: Attachment, figures: _Figures, numbers: list[int]) -> Iterator[str]:
    if line.name in {"police", "police rate"}:
        yield "police:"
        if line.name == "police":
            normal, excess = bursts(line)
            yield f"    cir {line['cir']} bps, bc {normal} bytes" + (
                f", pir {line['pir']} bps, be {excess} bytes" if "pir" in line.match.args else ""
            )
        else:
            yield f"    rate {line['pps']} pps"
        for which in ("conform", "exceed", "violate"):
            action = line.body.get(f"{which}-action")
            if action is not None or (which == "violate" and "pir" in line.match.args):
                packets, size = figures.count(one, numbers, which)
                yield f"  {which}ed {packets} packets, {size} bytes; actions:".replace("violateed", "violated")
                yield f"    {action.text.split(' ', 1)[1] if action else 'drop'} "
        yield "  conformed 0000 bps, exceeded 0000 bps"
    elif line.name.startswith("set "):
        packets, _ = figures.count(one, numbers)
        yield "QoS Set"
        yield f"  {line.text.removeprefix('set ')}"
        yield f"    Packets marked {packets}"


COMMANDS = (
    show("class-map [ {name:policyname} ]", _class_map, "Show QoS Class Map"),
    show("policy-map [ {name:policyname} ]", _policy_map, "Show QoS Policy Map"),
    show(
        "policy-map interface [ {interface:interface} ] [ input | output ]",
        _interface,
        "Show statistics of policies on interfaces",
    ),
    show("policy-map control-plane [ all ]", _control_plane, "Show the control plane's policy"),
)
