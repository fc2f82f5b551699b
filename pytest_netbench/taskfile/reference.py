"""The reference behaviour of a task file: how flows are drawn, and which differences are wanted or free."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

from pytest_netbench.documents.problems import Problems, Where, known, unknown
from pytest_netbench.model.base import Model
from pytest_netbench.model.configure import Configure
from pytest_netbench.model.payload import Networked
from pytest_netbench.model.reference import ANY, FILL_IN, NOT, Change, Free, ReferenceSettings, Selector, is_network
from pytest_netbench.taskfile.fields import known_fields, list_of, mapping_of

_LISTS = ("source", "target", "sent_by", "ports")
_FIELDS = {"source": "from", "target": "to"}
_MODEL = {shown: name for name, shown in _FIELDS.items()}


def reference_form(value: Any, where: Where, problems: Problems, nodes: Collection[str]) -> dict[str, Any]:
    """The model's mapping of ``reference``.

    Args:
        value: What the file says.
        where: Its place.
        problems: Takes what cannot be understood.
        nodes: Names of the task's nodes.
    """
    raw = mapping_of(value, where, problems, "reference") or {}
    form = known_fields(raw, ReferenceSettings, where, problems, what="reference")
    for name, model in (("changes", Change), ("free", Free)):
        if name in form:
            at = (*where, name)
            given = list_of(form[name], at, problems, name)
            form[name] = [_selector(one, model, (*at, index), problems, nodes) for index, one in enumerate(given)]
    return form


def _selector(
    value: Any, model: type[Model], where: Where, problems: Problems, nodes: Collection[str]
) -> dict[str, Any]:
    raw = mapping_of(value, where, problems, f"an entry of {where[-2]}") or {}
    form = known_fields(raw, model, where, problems, what=f"an entry of {where[-2]}")
    # the model's fields have an alias, which is what the file calls them
    form = {_MODEL.get(name, name): given for name, given in form.items()}
    if form.get("intent") == FILL_IN:
        problems.add((*where, "intent"), f"intent: write the number of the intent that asks for it, not {FILL_IN}")
    for name in _LISTS:
        if name in form and not isinstance(form[name], list):
            form[name] = [form[name]]
    for name, shown in _FIELDS.items():
        for word in form.get(name, ()):
            if nodes and not _is_end(word, nodes):
                message = f"{shown}: {word!r} is neither an address, a prefix nor a node ({known(nodes)}), nor 'any'"
                problems.add((*where, shown), message)
    for word in form.get("sent_by", ()):
        if nodes and word not in nodes:
            problems.add((*where, "sent_by"), f"sent_by: {unknown('node', str(word), nodes)}")
    node = str(form.get("routes", "")).partition(" ")[0]
    if node and nodes and node != ANY and node not in nodes:
        problems.add((*where, "routes"), f"routes: {unknown('node', node, nodes)}")
    return form


def _is_end(word: Any, nodes: Collection[str]) -> bool:
    if not isinstance(word, str):
        return False
    end = word.removeprefix(NOT)
    return word == ANY or end in nodes or is_network(end)


def check_reference(network: Networked, problems: Problems) -> None:
    """Add to ``problems`` intents and events of the reference behaviour that the task does not have."""
    count = len(network.intents) if isinstance(network, Configure) else 0
    for name, entries in (("changes", network.reference.changes), ("free", network.reference.free)):
        for index, one in enumerate(entries):
            where: Where = ("reference", name, index)
            if isinstance(one, Change) and one.intent > count:
                message = f"there is no intent {one.intent}; the task has {count}, counted from 1"
                problems.add((*where, "intent"), message)
            _check_event(one, (*where, "under"), network.events, problems)


def _check_event(one: Selector, where: Where, events: Collection[str], problems: Problems) -> None:
    if one.under is not None and one.under not in events:
        problems.add(where, unknown("event", one.under, events))
