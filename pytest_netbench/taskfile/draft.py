"""The draft's own testcases, completed: its §4.1 form names neither device nor prefix, its §4.3 form has no name."""

from __future__ import annotations

import ipaddress
import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from pytest_netbench.documents.problems import Problems, Where, known, unknown
from pytest_netbench.taskfile.fields import mapping_of

TASK_FIELDS: Final = frozenset(
    {
        "task_name",
        "intents",
        "topology",
        "startup_configs",
        "ground_truth_configs",
        "ground_truth_reasoning",
        "testcases",
    }
)
RESULT_FIELDS: Final = ("prefix", "protocol", "next_hop", "metric", "distance")
ROUTE_FIELDS: Final = ("name", "device", "expected_result", "role", "intent", "within", "stays")
_META: Final = re.compile(r"[\\^$*+?{}\[\]|()]")
_ROUTE: Final = re.compile(
    r"ip route (?P<net>\S+?)(?:/(?P<length>\d+)| (?P<mask>\d+\.\d+\.\d+\.\d+)) (?P<hop>\S+)(?P<rest>.*)"
)


@dataclass(frozen=True, kw_only=True)
class StaticRoute:
    """A static route of the ground truth. ``command`` is its line, ``distance`` its administrative distance."""

    command: str
    prefix: str
    next_hop: str
    distance: int


def is_draft(raw: Mapping[str, Any]) -> bool:
    """Whether a JSON file keeps to the draft: no field, node, link or testcase of ours."""
    topology = raw.get("topology")
    inside = [*_items(topology, "nodes"), *_items(topology, "links")]
    return (
        raw.keys() <= TASK_FIELDS
        and all(isinstance(one, str) for one in inside)
        and not any(isinstance(one, dict) and "kind" in one for one in _items(raw, "testcases"))
    )


def show_form(raw: dict[str, Any]) -> dict[str, Any]:
    """The §4.3 form ``{device, commands, expected_output}`` as a ``show`` testcase."""
    commands = raw.get("commands")
    words = [str(one) for one in commands] if isinstance(commands, list) else [str(commands)]
    name = f"{raw.get('device')}: {'; '.join(words)}"
    return {"name": name, **raw, "kind": "show", "expected_output": draft_pattern(raw.get("expected_output"))}


def draft_pattern(text: Any) -> Any:
    """A pattern for an ``expected_output`` of the draft.

    The draft calls it a regular expression but prints ``S 2.2.2.0/30 [1/0] via 192.168.1.2``, which does not match
    itself as one. A text that contains special characters of expressions also matches literally, with any spacing.
    """
    if not isinstance(text, str) or not text.strip():
        return text
    if _META.search(text) is None:
        return text
    literal = r"[ \t]+".join(re.escape(word) for word in text.split())
    return f"(?:{text})|(?:{literal})"


def route_form(
    raw: dict[str, Any], where: Where, problems: Problems, *, nodes: Collection[str], truth: Mapping[str, Sequence[str]]
) -> dict[str, Any] | None:
    """The §4.1 form ``{name, expected_result: {protocol, next_hop}}`` as a ``route`` testcase.

    The device is the first node that the name mentions; the prefix that of the device's ground-truth static route with
    this next hop. A floating backup is not in the forwarding table while the primary is, so it becomes a ``config``
    testcase of its line.
    """
    for key in raw.keys() - set(ROUTE_FIELDS):
        problems.add((*where, key), unknown("field of a testcase with 'expected_result'", key, ROUTE_FIELDS))
    expected = mapping_of(raw["expected_result"], (*where, "expected_result"), problems, "expected_result")
    if expected is None:
        return None
    for key in expected.keys() - set(RESULT_FIELDS):
        problems.add((*where, "expected_result", key), unknown("field of expected_result", key, RESULT_FIELDS))
    device = raw.get("device") or _mentioned(str(raw.get("name", "")), nodes)
    if device is None:
        problems.add(
            where,
            f"testcase {raw.get('name')!r} names no node, so its device is unknown;"
            f" add 'device:' with the node it is about ({known(nodes)})",
        )
        return None
    result = {key: value for key, value in raw.items() if key != "expected_result"} | {"device": device}
    if "prefix" in expected:
        return result | _route(expected, expected["prefix"])
    route = _meant(raw, str(device), where, problems, truth.get(str(device), ()))
    if route is None:
        return None
    if _is_backup(route, static_routes(truth.get(str(device), ()))):
        return result | {"kind": "config", "line": _line(route)}
    return result | _route(expected, route.prefix)


def static_routes(commands: Sequence[str]) -> list[StaticRoute]:
    """The IPv4 static routes among ``commands``, in IOS's or in FRR's form."""
    found = []
    for command in commands:
        match = _ROUTE.match(command.strip())
        if match is None:
            continue
        try:
            network = ipaddress.IPv4Network(f"{match['net']}/{match['length'] or match['mask']}", strict=False)
        except ValueError:
            continue
        distance = re.match(r" (\d+)\b", match["rest"])
        found.append(
            StaticRoute(
                command=command.strip(),
                prefix=str(network),
                next_hop=match["hop"],
                distance=int(distance[1]) if distance and len(distance[1]) < 4 else 1,
            )
        )
    return found


def _meant(
    raw: dict[str, Any], device: str, where: Where, problems: Problems, commands: Sequence[str]
) -> StaticRoute | None:
    hop = raw["expected_result"].get("next_hop")
    fitting = [route for route in static_routes(commands) if route.next_hop == hop]
    prefixes = sorted({route.prefix for route in fitting})
    if len(prefixes) == 1:
        return fitting[0]
    found = (
        f"{len(prefixes)} ground-truth static routes of {device!r} go to {hop}: {', '.join(prefixes)}"
        if prefixes
        else f"no ground-truth static route of {device!r} has next hop {hop}"
    )
    problems.add(
        (*where, "expected_result"),
        f"testcase {raw.get('name')!r}: which prefix is meant? {found}; add 'prefix:' to expected_result",
    )
    return None


def _route(expected: dict[str, Any], prefix: Any) -> dict[str, Any]:
    result = {"kind": "route", "prefix": prefix}
    if "next_hop" in expected:
        result["next_hops"] = [expected["next_hop"]]
    return result | {key: expected[key] for key in ("protocol", "metric", "distance") if key in expected}


def _line(route: StaticRoute) -> str:
    """A pattern for the line of ``route``, which may also name the interface: before the next hop (IOS) or after it."""
    before, after = route.command.split(f" {route.next_hop}", 1)
    return rf"{re.escape(before)}(?: [A-Z]\S+)? {re.escape(route.next_hop)}(?: [a-z]\S*\d)?{re.escape(after)}"


def _is_backup(route: StaticRoute, routes: list[StaticRoute]) -> bool:
    return any(other.prefix == route.prefix and other.distance < route.distance for other in routes)


def _mentioned(name: str, nodes: Collection[str]) -> str | None:
    places = [
        (match.start(), -len(node), node)
        for node in nodes
        if (match := re.search(rf"(?<![\w.-]){re.escape(node)}(?![\w-])", name, re.IGNORECASE))
    ]
    return min(places)[2] if places else None


def _items(raw: Any, key: str) -> list[Any]:
    value = raw.get(key) if isinstance(raw, Mapping) else None
    return value if isinstance(value, list) else []
