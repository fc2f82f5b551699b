"""What a trial is compared with: the ground truth and the other recorded right solutions, by name."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from pytest_netbench.model.configure import Configure
from pytest_netbench.model.trial import TrialRecord

GROUND_TRUTH = "ground truth"
"""The name of the task's own solution. It comes first, so it counts where others are equally near."""


@dataclass(frozen=True, kw_only=True)
class Reference:
    """The running configs that a right solution leaves, by node."""

    name: str
    configs: Mapping[str, str]


def shown(name: str) -> str:
    """Return how explanations name a right solution."""
    return name if name == GROUND_TRUTH else f"right solution {name!r}"


def references(record: TrialRecord) -> Iterator[Reference]:
    """Yield the ground truth, then the other recorded right solutions by their names. None without a ground truth."""
    if record.truth_configs is None:
        return
    yield Reference(name=GROUND_TRUTH, configs=record.truth_configs)
    for name, changed in sorted(record.right_configs.items()):
        yield Reference(name=name, configs={**record.truth_configs, **changed})


def ground_truths(record: TrialRecord) -> frozenset[str]:
    """The names of the task's own solutions: the ground truth, and further ones in its file."""
    payload = record.task.payload
    further = payload.further_ground_truths if isinstance(payload, Configure) else ()
    return frozenset({GROUND_TRUTH, *(one.solution_id for one in further)})


def reasonings(record: TrialRecord) -> dict[str, str]:
    """Return the reasoning of right solutions by name, the ground truth's first; only those that have a text."""
    named = {GROUND_TRUTH: record.task.ground_truth_reasoning, **dict(sorted(record.right_reasoning.items()))}
    return {name: text for name, text in named.items() if text.strip()}
