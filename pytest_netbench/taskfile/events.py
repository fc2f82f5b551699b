"""The events of a task file: their short forms, and checks of what they name."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from typing import Any, Final

from pytest_netbench.documents.problems import Problems, Where, known, unknown
from pytest_netbench.model.events import (
    ACTIONS,
    DAEMONS,
    EVENT_NAME,
    Action,
    ChangeLink,
    DaemonOf,
    Fail,
    LinkChange,
    Reboot,
    Recover,
    Start,
    Stop,
    Typed,
    interface_of,
    node_of,
)
from pytest_netbench.model.payload import Networked
from pytest_netbench.model.testcase import LossTestcase, Testcase
from pytest_netbench.model.topology import Endpoint
from pytest_netbench.taskfile.fields import known_fields, list_of, mapping_of
from pytest_netbench.taskfile.names import full_name

_AT_INTERFACE: Final = ("cut", "restore")
_OF_DAEMON: Final = ("stop", "start")
_EXAMPLES: Final = {
    "cut": '"R1 eth1"',
    "restore": '"R1 eth1"',
    "stop": '"R1 ospfd"',
    "start": '"R1 ospfd"',
    "reboot": "R1",
    "fail": "R1",
    "recover": "R1",
    "link": '{at: "R1 eth1", delay: 20ms}',
    "enter": "{node: R1, commands: [ip route 10.9.0.0/16 Null0], undo: [no ip route 10.9.0.0/16 Null0]}",
}


def events_form(value: Any, where: Where, problems: Problems) -> dict[str, Any]:
    """The model's mapping of ``events``: a name to a list of actions; one action is a list of one.

    Args:
        value: What the file says.
        where: Its place.
        problems: Takes what cannot be understood.
    """
    result = {}
    for name, actions in (mapping_of(value, where, problems, "events (name to actions)") or {}).items():
        at = (*where, name)
        if re.fullmatch(EVENT_NAME, str(name)) is None:
            problems.add(at, f"{name!r} is no name of an event: lower-case letters, digits and '-', e.g. 'exit-lost'")
            continue
        given = [actions] if isinstance(actions, dict) else list_of(actions, at, problems, f"event {name!r}")
        if actions == []:
            problems.add(at, f"event {name!r} has no action; an action is one of {known(ACTIONS)}")
        result[name] = [_action(one, (*at, index), problems) for index, one in enumerate(given)]
    return result


def _action(value: Any, where: Where, problems: Problems) -> dict[str, Any]:
    raw = mapping_of(value, where, problems, "an action such as 'cut: \"R1 eth1\"'")
    if raw is None:
        return {}
    if len(raw) != 1:
        problems.add(
            where, f"an action has one word, not {len(raw)}: write each as an item of its own ({known(ACTIONS)})"
        )
        return {}
    ((word, target),) = raw.items()
    if word not in ACTIONS:
        problems.add((*where, word), unknown("action", str(word), ACTIONS))
        return {}
    return {word: _target(word, target, (*where, word), problems)}


def _target(word: str, target: Any, where: Where, problems: Problems) -> Any:
    if word == "link":
        return _link(target, where, problems)
    if word == "enter":
        return _typed(target, where, problems)
    if word in _AT_INTERFACE:
        return _pair(target, Endpoint, word, where, problems)
    if word in _OF_DAEMON:
        return _pair(target, DaemonOf, word, where, problems)
    if not isinstance(target, str):
        problems.add(where, f"{word} names a node, e.g. {word}: {_EXAMPLES[word]}")
    return target


def _pair(value: Any, model: type[Endpoint | DaemonOf], word: str, where: Where, problems: Problems) -> dict[str, Any]:
    """A node and something of it: ``R1 eth1``, or a mapping."""
    if isinstance(value, dict):
        return known_fields(value, model, where, problems, what=word)
    words = value.split() if isinstance(value, str) else []
    first, second = model.model_fields
    if len(words) < 2:
        problems.add(
            where, f"{word} names a node and {_article(second)}, e.g. {word}: {_EXAMPLES[word]}, not {value!r}"
        )
        return {}
    return {first: words[0], second: "".join(words[1:])}


def _article(noun: str) -> str:
    return f"{'an' if noun[0] in 'aeiou' else 'a'} {noun}"


def _link(value: Any, where: Where, problems: Problems) -> dict[str, Any]:
    raw = mapping_of(value, where, problems, f"link, e.g. link: {_EXAMPLES['link']},")
    if raw is None:
        return {}
    form = known_fields(raw, LinkChange, where, problems, what="link")
    if "at" in form:
        form["at"] = _pair(form["at"], Endpoint, "cut", (*where, "at"), problems)
    return form


def _typed(value: Any, where: Where, problems: Problems) -> dict[str, Any]:
    raw = mapping_of(value, where, problems, f"enter, e.g. enter: {_EXAMPLES['enter']},")
    if raw is None:
        return {}
    form = known_fields(raw, Typed, where, problems, what="enter")
    for name in ("commands", "undo"):
        if isinstance(text := form.get(name), str):
            form[name] = [line.rstrip() for line in text.splitlines() if line.strip()]
    return form


def check_events(network: Networked, problems: Problems) -> None:
    """Add to ``problems`` what the events name and the task does not have, and events that no testcase uses."""
    used = {testcase.under for testcase in getattr(network, "testcases", ())}
    for name, actions in network.events.items():
        for index, action in enumerate(actions):
            _check_action(network, action, ("events", name, index), problems)
        if name not in used:
            problems.add(
                ("events", name), f"event {name!r} is never used: give a testcase 'under: {name}', or remove the event"
            )


def check_under(network: Networked, testcases: Sequence[Testcase], list_name: str, problems: Problems) -> None:
    """Add to ``problems`` testcases that name an event that there is not, or none where one is needed."""
    for index, testcase in enumerate(testcases):
        where = (list_name, index)
        said = f"testcase {testcase.name!r}: "
        if testcase.under is None:
            if isinstance(testcase, LossTestcase):
                problems.add((*where, "kind"), f"{said}loss is measured during an event; give 'under: EVENT'")
        elif list_name == "health_checks":
            problems.add((*where, "under"), f"{said}a health check observes the undisturbed network; remove 'under'")
        elif testcase.under not in network.events:
            problems.add((*where, "under"), said + unknown("event", testcase.under, network.events))


def _check_action(network: Networked, action: Action, where: Where, problems: Problems) -> None:
    (word,) = type(action).model_fields
    at = (*where, word)
    node = node_of(action)
    nodes = [one.name for one in network.topology.nodes]
    if node not in nodes:
        problems.add(at, f"{word}: {unknown('node', node, nodes)}")
        return
    if (message := _complaint(network, action, node)) is not None:
        problems.add(at, f"{word}: {message}")


def _complaint(network: Networked, action: Action, node: str) -> str | None:
    interface = interface_of(action)
    if interface is not None and not _has_link(network, node, interface):
        return unknown(f"interface of {node} with a link", interface, network.topology.interfaces(node))
    if isinstance(action, Fail | Recover) and not network.topology.interfaces(node):
        return f"{node} has no cable"
    if isinstance(action, Stop | Start):
        return _without_daemon(network.platform_of(node), action.stop if isinstance(action, Stop) else action.start)
    if isinstance(action, Reboot) and network.platform_of(node) == "linux":
        return "a node of platform 'linux' cannot get its configuration back afterwards; use 'fail' and 'recover'"
    if isinstance(action, ChangeLink) and action.link.model_fields_set <= {"at"}:
        return "nothing changes; give delay, jitter, loss or rate"
    return None


def _has_link(network: Networked, node: str, interface: str) -> bool:
    platform = network.platform_of(node)
    try:
        return full_name(platform, interface) in {full_name(platform, one) for one in network.topology.interfaces(node)}
    except (ValueError, ImportError, AttributeError):
        return False


def _without_daemon(platform: str, named: DaemonOf) -> str | None:
    daemons: Collection[str] | None = DAEMONS.get(platform)
    if daemons is None or named.daemon in daemons:
        return None
    if not daemons:
        return f"a node of platform {platform!r} has no daemons that can be stopped"
    return unknown("daemon", named.daemon, daemons)
