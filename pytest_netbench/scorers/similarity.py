"""The similarity of an agent's reasoning to that of right solutions: the nearest of them counts."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from pytest_netbench.scorers.embedder import Embedder, lacking
from pytest_netbench.scorers.references import shown

EMBEDDER = "all-MiniLM-L6-v2"

_REMEDY = "pip install 'pytest-netbench[reasoning]'"


@dataclass(frozen=True, kw_only=True)
class Similarity:
    """A value, 0…1, or ``None``: not measured; why; and the evidence."""

    value: float | None
    why: str
    evidence: Mapping[str, Any] = field(default_factory=dict)


def similarity(given: str | None, references: Mapping[str, str], embedder: Embedder) -> Similarity:
    """Compare a reasoning with those of right solutions.

    Args:
        given: The agent's; ``None`` if it gives none.
        references: Texts by the names of the solutions. The first counts where several are equally near.
        embedder: Embeds the texts, unless two of them are the same.
    """
    if given is None:
        return Similarity(value=None, why="not measured: the agent gives no reasoning")
    if not references:
        return Similarity(value=None, why="not measured: the task has no ground_truth_reasoning")
    if not given.strip():
        return Similarity(value=0.0, why="the agent's reasoning is empty")
    same = next((name for name, text in references.items() if text.split() == given.split()), None)
    if same is not None:
        return Similarity(
            value=1.0,
            why=f"the same text as in the {shown(same)}, so no embedding was computed",
            evidence={"nearest": same, "rouge_l": 1.0},
        )
    missing = lacking()
    if missing:
        what = " and ".join(package.replace("_", "-") for package in missing)
        return Similarity(value=None, why=f"not measured: {what} not installed ({_REMEDY})")
    return _measured(given, references, embedder)


def _measured(given: str, references: Mapping[str, str], embedder: Embedder) -> Similarity:
    own, *others = embedder.embed([given, *references.values()])
    cosines = {name: round(_cosine(own, other), 6) for name, other in zip(references, others, strict=True)}
    nearest = max(cosines, key=lambda name: cosines[name])
    which = f"; the nearest is the {shown(nearest)}" if len(references) > 1 else ""
    return Similarity(
        value=min(max(cosines[nearest], 0.0), 1.0),
        why=f"cosine of {EMBEDDER} embeddings of both texts, clipped to 0…1{which}",
        evidence={
            "nearest": nearest,
            "references": cosines,
            "cosine": cosines[nearest],
            "rouge_l": round(embedder.rouge_l(given, references[nearest]), 6),
            "embedder": EMBEDDER,
        },
    )


def _cosine(one: Sequence[float], other: Sequence[float]) -> float:
    dot = math.fsum(a * b for a, b in zip(one, other, strict=True))
    return dot / (math.sqrt(math.fsum(a * a for a in one)) * math.sqrt(math.fsum(b * b for b in other)))
