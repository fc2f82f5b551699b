"""Conversion of a task file's mapping to the model's mapping. ``checks`` checks the meaning."""

from __future__ import annotations

from collections.abc import Callable, Collection
from typing import Any, Final

from pytest_netbench.documents.problems import Problems, Where, unknown
from pytest_netbench.model.configure import Configure, Intent, SubIntent, unmanaged_truth
from pytest_netbench.model.payload import Networked, Payload
from pytest_netbench.model.solutions import GroundTruth, Origin
from pytest_netbench.model.task import DEFAULT_FAMILY, Budget, flat_model, payload_model
from pytest_netbench.taskfile.draft import is_draft
from pytest_netbench.taskfile.events import events_form
from pytest_netbench.taskfile.fields import kind_of, known_fields, list_of, mapping_of, one_or_many
from pytest_netbench.taskfile.names import known_families, known_platforms
from pytest_netbench.taskfile.places import COMMENTS
from pytest_netbench.taskfile.ready import ready_form
from pytest_netbench.taskfile.reference import reference_form
from pytest_netbench.taskfile.testcases import testcase_forms
from pytest_netbench.taskfile.topology import topology_form

CONFIGS: Final = "ground_truth_configs"
REASONING: Final = "ground_truth_reasoning"
FURTHER: Final = "further_ground_truths"

ReadConfigs = Callable[[Any, Where], dict[str, list[str]]]
"""Reads commands by node."""


def spread(form: dict[str, Any], read_configs: ReadConfigs, problems: Problems) -> None:
    """Spread a list of ground truths over the fields of the model: the first is the one that the oracle applies.

    Args:
        form: The file's mapping; a list in ``ground_truth_configs`` is replaced in place.
        read_configs: Reads the commands of one ground truth.
        problems: Takes what cannot be understood.
    """
    given = form[CONFIGS]
    form[CONFIGS] = {}
    if not given:
        problems.add((CONFIGS,), "the list of ground truths is empty; give one, or leave the field out")
        return
    truths = truths_of(given, (CONFIGS,), read_configs, problems)
    if FURTHER in form:
        problems.add((FURTHER,), f"further ground truths are given twice: here, and in the list {CONFIGS!r}")
    first, *further = truths
    if REASONING in form and first.get("reasoning"):
        problems.add((REASONING,), f"the reasoning of the first ground truth is given twice: here, and in {CONFIGS!r}")
    form[CONFIGS] = first.get("configs", {})
    form.setdefault(REASONING, first.get("reasoning", ""))
    form["ground_truth_origin"] = {name: first[name] for name in Origin.model_fields if name in first}
    form[FURTHER] = further


def truths_of(value: Any, where: Where, read_configs: ReadConfigs, problems: Problems) -> list[dict[str, Any]]:
    """The mappings of a list of ground truths."""
    listed = list_of(value, where, problems, "ground truths")
    return [_truth(one, (*where, index), read_configs, problems) for index, one in enumerate(listed)]


def _truth(value: Any, where: Where, read_configs: ReadConfigs, problems: Problems) -> dict[str, Any]:
    raw = mapping_of(value, where, problems, "a ground truth") or {}
    truth = known_fields(raw, GroundTruth, where, problems, what="ground truth")
    for name in ("solution_id", "configs"):
        if raw and name not in raw:
            problems.add(where, f"ground truth {int(where[-1]) + 1} lacks {name!r}")
    for name in ("solution_id", "reasoning"):
        if name in truth and not isinstance(truth[name], str):
            problems.add((*where, name), f"{name} is a text, not {kind_of(truth[name])}")
    if "configs" in truth:
        truth["configs"] = read_configs(truth["configs"], (*where, "configs"))
    return truth


DRAFT_PLATFORM: Final = "cisco_ios"
Reader = Callable[[Any, Where, Problems], Any]


def payload_of(raw: dict[str, Any], problems: Problems) -> type[Payload] | None:
    """The payload that the file's family defines; ``None`` and a problem if the family is not known.

    Raises:
        UsageError: The family is installed and cannot be used.
    """
    family = raw.get("family", DEFAULT_FAMILY)
    if isinstance(family, str) and family in known_families():
        return payload_model(family)
    problems.add(("family",), unknown("family", str(family), known_families()))
    return None


def task_form(raw: dict[str, Any], payload: type[Payload], problems: Problems, *, json: bool) -> dict[str, Any]:
    """The flat model's mapping of a file's mapping.

    A field of a payload with the same type as in ``Networked`` or ``Configure`` may be written in the same short
    forms, in any family.

    Args:
        raw: The file.
        payload: What the file's family adds to the fields that all tasks have.
        problems: Takes what cannot be understood.
        json: Whether the file is JSON: one that keeps to the draft is about the draft's devices.
    """
    form = known_fields(raw, flat_model(payload), (), problems, what="task")
    if json and is_draft(raw):
        form["platform"] = DRAFT_PLATFORM
    platform = form.get("platform") if issubclass(payload, Networked) else None
    if isinstance(platform, str) and platform not in known_platforms():
        problems.add(("platform",), unknown("platform", platform, known_platforms()))
    nodes: dict[str, None] = {}
    if "topology" in form and issubclass(payload, Networked):
        form["topology"] = topology_form(form["topology"], ("topology",), problems)
        given = form["topology"].get("nodes", [])
        nodes = {name: None for node in given if isinstance(name := node.get("name"), str)}
    readers: dict[str, Callable[[Any, Where], Any]] = {
        "intents": lambda value, where: _intents(value, where, problems),
        "ready": lambda value, where: ready_form(value, where, problems, nodes),
        "events": lambda value, where: events_form(value, where, problems),
        "reference": lambda value, where: reference_form(value, where, problems, nodes),
        "budget": lambda value, where: _budget(value, where, problems),
        "startup_configs": lambda value, where: _per_node(value, where, problems, nodes, _config),
        "ground_truth_configs": lambda value, where: _per_node(value, where, problems, nodes, _commands),
        "further_ground_truths": lambda value, where: truths_of(
            value, where, lambda configs, at: _per_node(configs, at, problems, nodes, _commands), problems
        ),
        "accepted_survivors": lambda value, where: _per_node(value, where, problems, nodes, _as_it_is),
        "tags": lambda value, _: one_or_many(value),
        "requirements": lambda value, _: one_or_many(value),
    }
    short = _with_short_forms(payload)
    if "ground_truth_configs" in short and isinstance(form.get("ground_truth_configs"), list):
        spread(form, readers["ground_truth_configs"], problems)
        del readers["ground_truth_configs"], readers["further_ground_truths"]  # both are read
    for name in readers.keys() & form.keys() & {*short, "budget", "tags", "requirements"}:
        form[name] = readers[name](form[name], (name,))
    truth = form.get("ground_truth_configs", {})
    if "ground_truth_configs" in short:
        _check_control(form, problems)
    for name in {"testcases", "health_checks"} & form.keys() & short:
        form[name] = testcase_forms(form[name], (name,), problems, nodes=nodes, truth=truth)
    return form


def _check_control(form: dict[str, Any], problems: Problems) -> None:
    """Refuse ground truth for nodes that no agent can configure."""
    truth, further = form.get("ground_truth_configs", {}), form.get("further_ground_truths", ())
    for node in form.get("topology", {}).get("nodes", ()):
        name, control = node.get("name"), node.get("control")
        if not isinstance(name, str) or control not in ("observed", "foreign"):
            continue
        if truth.get(name):
            problems.add(("ground_truth_configs", name), unmanaged_truth(name, control))
        if any(one.get("configs", {}).get(name) for one in further):
            problems.add(("ground_truth_configs",), unmanaged_truth(name, control))


def _with_short_forms(payload: type[Payload]) -> set[str]:
    """Return the fields of ``payload`` with the same type in ``Configure``; files may use its short forms for them."""
    known = Configure.model_fields
    return {
        name
        for name, field in payload.model_fields.items()
        if name in known and field.annotation == known[name].annotation
    }


def _budget(value: Any, where: Where, problems: Problems) -> dict[str, Any]:
    raw = mapping_of(value, where, problems, "budget") or {}
    return known_fields(raw, Budget, where, problems, what="budget")


def _intents(value: Any, where: Where, problems: Problems) -> list[dict[str, Any]]:
    result: list[dict[str, Any]] = []
    for index, item in enumerate(list_of(one_or_many(value), where, problems, "intents")):
        at = (*where, index)
        raw = {"text": item} if isinstance(item, str) else mapping_of(item, at, problems, "an intent that is no text")
        if raw is None:
            result.append({})
            continue
        intent = known_fields(raw, Intent, at, problems, what="intent")
        if isinstance(intent.get("text"), str):
            intent["text"] = intent["text"].strip()
        if "sub_intents" in intent:
            intent["sub_intents"] = _sub_intents(intent["sub_intents"], (*at, "sub_intents"), problems)
        result.append(intent)
    return result


def _sub_intents(value: Any, where: Where, problems: Problems) -> list[dict[str, Any]]:
    if isinstance(value, dict):
        return [{"node": node, "text": text} for node, text in value.items()]
    result = []
    for index, item in enumerate(list_of(value, where, problems, "sub_intents")):
        at = (*where, index)
        raw = mapping_of(item, at, problems, "a sub-intent") or {}
        if len(raw) == 1 and not raw.keys() & SubIntent.model_fields.keys():
            node, text = next(iter(raw.items()))
            raw = {"node": node, "text": text}
        result.append(known_fields(raw, SubIntent, at, problems, what="sub-intent"))
    return result


def _per_node(value: Any, where: Where, problems: Problems, nodes: Collection[str], read: Reader) -> dict[str, Any]:
    raw = mapping_of(value, where, problems, f"{where[0]} (node to text)") or {}
    for node in raw:
        if nodes and node not in nodes:
            problems.add((*where, node), f"{where[0]}: {unknown('node', node, nodes)}")
    return {node: read(text, (*where, node), problems) for node, text in raw.items()}


def _as_it_is(value: Any, _where: Where, _problems: Problems) -> Any:
    return value


def _config(value: Any, where: Where, problems: Problems) -> str:
    if value is None:
        return ""
    if isinstance(value, list) and all(isinstance(line, str) for line in value):
        return "\n".join(value) + "\n"
    if not isinstance(value, str):
        problems.add(where, f"a startup config is a text or a list of lines, not {kind_of(value)}")
        return ""
    return value


def _commands(value: Any, where: Where, problems: Problems) -> list[str]:
    """One command per line of a text or item of a list; comment lines of a text are for its reader."""
    if value is None:
        return []
    if isinstance(value, str):
        lines = [line.rstrip() for line in value.split("\n")]
        return [line for line in lines if line and not line.lstrip().startswith(COMMENTS)]
    commands = []
    for index, line in enumerate(list_of(value, where, problems, "ground-truth commands")):
        if isinstance(line, str) and line.strip():
            commands.append(line.rstrip())
        else:
            problems.add((*where, index), f"a ground-truth command is a text, not {kind_of(line) if line else 'empty'}")
    return commands
