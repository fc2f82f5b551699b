"""S_reasoning: embedding similarity of the agent's reasoning to the ground truth's (draft §3.1), and ROUGE-L."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from pytest_netbench.model.score import Score
from pytest_netbench.model.trial import TrialRecord
from pytest_netbench.scorers.embedder import Embedder, SentenceEmbedder, lacking

EMBEDDER = "all-MiniLM-L6-v2"

_REMEDY = "pip install 'pytest-netbench[reasoning]'"


class ReasoningScorer:
    """Cosine of two embeddings, clipped to 0…1.

    Args:
        embedder: Embeds the texts. By default the model is loaded into this process.
    """

    name = "reasoning"
    version = 1
    on_controller = True

    def __init__(self, *, embedder: Embedder | None = None) -> None:
        self._embedder = embedder or SentenceEmbedder()

    def prepare(self) -> None:
        """Prepare the embedder, if its packages are installed."""
        if not lacking():
            self._embedder.prepare()

    def score(self, record: TrialRecord) -> Score:
        given, truth = record.submission.reasoning, record.task.ground_truth_reasoning
        if given is None:
            return self._said(None, "not measured: the agent gives no reasoning")
        if not truth.strip():
            return self._said(None, "not measured: the task has no ground_truth_reasoning")
        if not given.strip():
            return self._said(0.0, "the agent's reasoning is empty")
        if _same(given, truth):
            return self._said(1.0, "the same text as the ground truth's, so no embedding was computed", rouge_l=1.0)
        missing = lacking()
        if missing:
            what = " and ".join(package.replace("_", "-") for package in missing)
            return self._said(None, f"not measured: {what} not installed ({_REMEDY})")
        cosine = _cosine(*self._embedder.embed([given, truth]))
        return self._said(
            round(min(max(cosine, 0.0), 1.0), 6),
            f"cosine of {EMBEDDER} embeddings of both texts, clipped to 0…1",
            rouge_l=round(self._embedder.rouge_l(given, truth), 6),
            cosine=round(cosine, 6),
            embedder=EMBEDDER,
        )

    def _said(self, value: float | None, why: str, **evidence: Any) -> Score:
        label = f"{self.name}/{self.version}"
        return Score(metric=self.name, value=value, explanation=why, scorer=label, evidence=evidence)


def _same(one: str, other: str) -> bool:
    return one.split() == other.split()


def _cosine(one: Sequence[float], other: Sequence[float]) -> float:
    dot = math.fsum(a * b for a, b in zip(one, other, strict=True))
    return dot / (math.sqrt(math.fsum(a * a for a in one)) * math.sqrt(math.fsum(b * b for b in other)))
