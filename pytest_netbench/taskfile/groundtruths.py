"""Several ground truths of a task, in the form of the draft's revision -02: a list with ids and reasoning."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

from pytest_netbench.documents.problems import Problems, Where
from pytest_netbench.model.solutions import GroundTruth, Origin
from pytest_netbench.taskfile.fields import kind_of, known_fields, list_of, mapping_of

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
