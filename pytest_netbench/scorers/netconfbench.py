"""The scores as NetConfBench, the IETF draft, defines them (§3.1): the task's ground truths are the only references.

Its revision -02 has several ground truths, of which the nearest counts.
"""

from __future__ import annotations

from collections.abc import Mapping

from pytest_netbench.dialects.base import Dialect
from pytest_netbench.model.score import Score
from pytest_netbench.model.trial import TrialRecord
from pytest_netbench.scorers.command import figures_of
from pytest_netbench.scorers.comparison import Comparer, lack
from pytest_netbench.scorers.embedder import Embedder, SentenceEmbedder, lacking
from pytest_netbench.scorers.references import ground_truths, reasonings, references
from pytest_netbench.scorers.similarity import similarity
from pytest_netbench.scorers.values import not_measured


class DraftCommandScorer:
    """Harmonic mean of precision and recall of the changed lines.

    Args:
        dialects: Dialects by name, instead of those found by entry point.
    """

    name = "netconfbench.command"
    version = 1
    on_controller = False

    def __init__(self, *, dialects: Mapping[str, Dialect] | None = None) -> None:
        self._dialects = dialects

    def score(self, record: TrialRecord) -> Score:
        if (missing := lack(record)) is not None:
            return not_measured(self.name, self.version, f"not measured: {missing}")
        comparer, own = Comparer(record, dialects=self._dialects), ground_truths(record)
        compared = [comparer.with_reference(one) for one in references(record) if one.name in own]
        found = max(compared, key=lambda one: figures_of(one).f1)
        figures = figures_of(found)
        return Score(
            metric=self.name,
            value=figures.f1,
            explanation=found.words(),
            scorer=f"{self.name}/{self.version}",
            evidence={
                "precision": figures.precision,
                "recall": figures.recall,
                **({"nearest": found.reference} if len(compared) > 1 else {}),
                **found.evidence(),
            },
        )


class DraftReasoningScorer:
    """Cosine of the embeddings of the agent's reasoning and of the ground truth's, clipped to 0…1.

    Args:
        embedder: Embeds the texts. By default the model is loaded into this process.
    """

    name = "netconfbench.reasoning"
    version = 1
    on_controller = True

    def __init__(self, *, embedder: Embedder | None = None) -> None:
        self._embedder = embedder or SentenceEmbedder()

    def prepare(self) -> None:
        """Prepare the embedder, if its packages are installed."""
        if not lacking():
            self._embedder.prepare()

    def score(self, record: TrialRecord) -> Score:
        own = ground_truths(record)
        texts = {name: text for name, text in reasonings(record).items() if name in own}
        found = similarity(record.submission.reasoning, texts, self._embedder)
        measured = {name: one for name, one in found.evidence.items() if name not in {"nearest", "references"}}
        return Score(
            metric=self.name,
            value=found.value,
            explanation=found.why,
            scorer=f"{self.name}/{self.version}",
            evidence=measured,
        )
