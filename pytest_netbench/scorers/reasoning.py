"""S_reasoning: embedding similarity of the agent's reasoning to the nearest of the right solutions', and ROUGE-L."""

from __future__ import annotations

from pytest_netbench.model.score import Score
from pytest_netbench.model.trial import TrialRecord
from pytest_netbench.scorers.embedder import Embedder, SentenceEmbedder, lacking
from pytest_netbench.scorers.references import reasonings
from pytest_netbench.scorers.similarity import similarity


class ReasoningScorer:
    """Cosine of two embeddings, clipped to 0…1. Of the recorded right solutions the nearest counts.

    Args:
        embedder: Embeds the texts. By default the model is loaded into this process.
    """

    name = "reasoning"
    version = 2
    on_controller = True

    def __init__(self, *, embedder: Embedder | None = None) -> None:
        self._embedder = embedder or SentenceEmbedder()

    def prepare(self) -> None:
        """Prepare the embedder, if its packages are installed."""
        if not lacking():
            self._embedder.prepare()

    def score(self, record: TrialRecord) -> Score:
        found = similarity(record.submission.reasoning, reasonings(record), self._embedder)
        return Score(
            metric=self.name,
            value=found.value,
            explanation=found.why,
            scorer=f"{self.name}/{self.version}",
            evidence=dict(found.evidence),
        )
