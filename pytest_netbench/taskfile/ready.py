"""The ready policy of a task file, and the short forms of it."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any, Final, get_args

from pytest_netbench.documents.problems import Problems, Where, unknown
from pytest_netbench.model.ready import NO_SESSIONS, ExpectedDown, Ready, ReadyUntil, SessionProtocol
from pytest_netbench.taskfile.fields import known_fields, list_of, mapping_of

UNTIL: Final[tuple[str, ...]] = get_args(ReadyUntil)
PROTOCOLS: Final[tuple[str, ...]] = get_args(SessionProtocol)
SESSION: Final = r"^\s*\S+\s+\S+\s+\S.*$"


def ready_form(value: Any, where: Where, problems: Problems, nodes: Collection[str]) -> dict[str, Any]:
    """The model's mapping of ``ready``: a word such as ``boot``, or a mapping.

    Args:
        value: What the file says.
        where: Its place.
        problems: Takes what cannot be understood.
        nodes: Names of the task's nodes.
    """
    if isinstance(value, str):
        value = {"until": value}
    raw = mapping_of(value, where, problems, f"ready (or one of {', '.join(UNTIL)})") or {}
    form = known_fields(raw, Ready, where, problems, what="ready")
    until = form.get("until", UNTIL[0])
    if until not in UNTIL:
        at = (*where, "until") if "until" in raw else where
        problems.add(at, f"ready: {unknown('policy', str(until), UNTIL)}")
    if "expected_down" in form:
        at = (*where, "expected_down")
        if until == "boot":
            problems.add(at, NO_SESSIONS)
        sessions = list_of(form["expected_down"], at, problems, "expected_down")
        form["expected_down"] = [_session(one, (*at, index), problems, nodes) for index, one in enumerate(sessions)]
    return form


def _session(value: Any, where: Where, problems: Problems, nodes: Collection[str]) -> dict[str, Any]:
    if isinstance(value, str):
        words = value.split(maxsplit=2)
        if len(words) != 3:
            problems.add(where, f"{value!r} is no session; write it like 'R1 bgp 10.0.0.2' (node, protocol, neighbor)")
            return {}
        value = dict(zip(("node", "protocol", "neighbor"), words, strict=True))
    raw = mapping_of(value, where, problems, "a session that is expected down") or {}
    form = known_fields(raw, ExpectedDown, where, problems, what="expected_down")
    if (node := form.get("node")) is not None and nodes and node not in nodes:
        problems.add((*where, "node"), f"expected_down: {unknown('node', str(node), nodes)}")
    if (protocol := form.get("protocol")) is not None and protocol not in PROTOCOLS:
        problems.add((*where, "protocol"), f"expected_down: {unknown('protocol', str(protocol), PROTOCOLS)}")
    return form
