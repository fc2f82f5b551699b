"""Rewrites tasks, solutions and records as JSON values: which fields are names, prose, or texts of devices."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, Final

from pytest_netbench.generators.variants.rewriting import Kind

Change = Callable[[str, Kind], str]

_NAME, _PROSE, _DEVICE = Kind.NAME, Kind.PROSE, Kind.DEVICE
_KEPT: Final = frozenset(
    {
        *("slug", "family", "domain", "tags", "difficulty", "requirements", "budget", "drawn", "variant", "platform"),
        *(
            "control",
            "kind",
            "protocol",
            "daemon",
            "until",
            "expected",
            "under",
            "digest",
            "proved",
            "versions",
            "kinds",
        ),
    }
)
_KINDS: Final[dict[str, Kind]] = {
    **dict.fromkeys(("node", "from", "to", "hops", "device", "listen_on", "sent_by", "routes", "prefix"), _NAME),
    **dict.fromkeys(("next_hops", "source_address", "seen_source", "neighbor", "fail", "recover", "reboot"), _NAME),
    **dict.fromkeys(("commands", "undo", "expected_output", "line", "parents", "mutant", "interface"), _DEVICE),
}
_CONFIGS: Final = (_NAME, _DEVICE)
_MAPPINGS: Final[dict[str, tuple[Any, Any]]] = {
    "startup_configs": _CONFIGS,
    "ground_truth_configs": _CONFIGS,
    "configs": _CONFIGS,
    "initial_configs": _CONFIGS,
    "accepted_survivors": (_NAME, (_DEVICE, _PROSE)),
    "right": (_PROSE, _CONFIGS),
    "right_reasoning": (_PROSE, _PROSE),
    "events": (None, None),
    "inapplicable": (None, _PROSE),
}
"""Fields whose keys are data: what the keys are, and what the values are. ``None``: keys stay, values are records."""


def rewritten(data: Any, change: Change) -> Any:
    """A task, its solutions or its recorded ground truth as JSON values, with all texts changed."""
    return _record(data, change, parent="")


def _record(value: Any, change: Change, *, parent: str) -> Any:
    if isinstance(value, list):
        return [_record(one, change, parent=parent) for one in value]
    if not isinstance(value, dict):
        return change(value, _kind(parent, "")) if isinstance(value, str) else value
    return {name: _field(name, one, change, parent) for name, one in value.items()}


def _field(name: str, value: Any, change: Change, parent: str) -> Any:
    if name in _KEPT:
        return value
    if name in _MAPPINGS and isinstance(value, dict):
        return _mapping(value, _MAPPINGS[name], change)
    if isinstance(value, str):
        return change(value, _kind(name, parent))
    return _record(value, change, parent=name)


def _kind(name: str, parent: str) -> Kind:
    return _NAME if name == "name" and parent == "nodes" else _KINDS.get(name, _PROSE)


def _mapping(value: Any, kinds: tuple[Any, Any], change: Change) -> Any:
    keys, values = kinds
    return {key if keys is None else change(key, keys): _value(one, values, change) for key, one in value.items()}


def _value(value: Any, kind: Any, change: Change) -> Any:
    if kind is None:
        return _record(value, change, parent="")
    if isinstance(value, dict):
        return _mapping(value, kind, change)
    return [change(one, kind) for one in value] if isinstance(value, list) else change(value, kind)


def rewritten_behaviour(data: dict[str, Any], change: Change) -> dict[str, Any]:
    """A recorded behaviour as JSON values, with all texts changed."""

    def name(text: str) -> str:
        return change(text, Kind.RECORD)

    return {
        **data,
        "addresses": {name(node): [name(one) for one in found] for node, found in data["addresses"].items()},
        "outcomes": [name(one) for one in data["outcomes"]],
        "tables": [
            {name(prefix): [entry[0], *(name(hop) for hop in entry[1:])] for prefix, entry in table.items()}
            for table in data["tables"]
        ],
        "routes": [{name(node): tables for node, tables in moment.items()} for moment in data["routes"]],
        "flows": [[list(_flow(fields, name)), outcomes] for fields, outcomes in data["flows"]],
        "unstable": [{**one, "what": name(one["what"]), "why": name(one["why"])} for one in data["unstable"]],
    }


def _flow(fields: list[Any], name: Callable[[str], str]) -> Iterator[Any]:
    for place, field in enumerate(fields):
        yield name(field) if isinstance(field, str) and place != _PROTOCOL else field


_PROTOCOL: Final = 5


def texts(data: Any) -> Iterator[tuple[str, Kind]]:
    """All texts of a task, its solutions or its recorded ground truth that may change, with their kinds."""
    found: list[tuple[str, Kind]] = []

    def note(text: str, kind: Kind) -> str:
        found.append((text, kind))
        return text

    rewritten(data, note)
    yield from found
