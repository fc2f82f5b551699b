"""The embedder in a process of its own: same vectors, nothing left behind, errors that say what happened."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from pytest_netbench.errors import InfrastructureError
from pytest_netbench.model.trial import Submission
from pytest_netbench.plugin.trials.embedder import ProcessEmbedder
from pytest_netbench.scorers.apply import score_of
from pytest_netbench.scorers.embedder import SentenceEmbedder
from pytest_netbench.scorers.reasoning import ReasoningScorer
from tests.support.reasoning_extra import needs_reasoning_extra
from tests.support.records import record

PATIENCE_S = 60
TEXTS = [
    "The router needs a default route.",
    "Voice is marked at the edge. It gets a priority queue!\nThe others share what is left. " * 30,
    "é 網路 10.0.0.0/8\u2028\r\nline",
    "…",
]


@pytest.fixture
def embedder():
    made = ProcessEmbedder()
    yield made
    made.close()


@pytest.fixture(scope="module")
def loaded():
    made = ProcessEmbedder()
    yield made
    made.close()


def is_alive(pid: int) -> bool:
    """Whether the process runs; a zombie does not."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except FileNotFoundError:
        return False


def await_end(pid: int) -> None:
    deadline = time.monotonic() + PATIENCE_S
    while is_alive(pid):
        assert time.monotonic() < deadline, f"process {pid} is still there"
        time.sleep(0.02)


@needs_reasoning_extra
def test_vectors_and_scores_are_exactly_those_of_the_embedder_in_this_process(loaded):
    here = SentenceEmbedder()
    assert loaded.embed(TEXTS) == here.embed(TEXTS)
    assert loaded.rouge_l("a b c d", "a c x") == here.rouge_l("a b c d", "a c x") > 0
    for text in TEXTS:
        of = record(submission=Submission(reasoning=text))
        assert ReasoningScorer(embedder=loaded).score(of) == ReasoningScorer(embedder=here).score(of)


@needs_reasoning_extra
def test_a_text_that_cannot_be_embedded_costs_one_answer(loaded):
    with pytest.raises(InfrastructureError, match="the embedding process failed: "):
        loaded.embed(["\ud800"])
    assert len(loaded.embed(["a route"])[0]) == 384


def test_closing_ends_the_process_while_it_loads(embedder):
    embedder.prepare()
    pid = embedder.pid
    started = time.monotonic()
    embedder.close()
    assert time.monotonic() - started < 5
    assert not is_alive(pid)
    embedder.close()
    embedder.prepare()
    assert embedder.pid == pid
    with pytest.raises(InfrastructureError, match="the embedding process was closed"):
        embedder.embed(["a route"])


def test_closing_starts_nothing(embedder):
    embedder.close()
    assert embedder.pid is None


@pytest.mark.parametrize("ready", [pytest.param(True, marks=needs_reasoning_extra), False])
def test_nothing_is_left_if_the_owner_is_killed(ready):
    code = (
        "import time\n"
        "from pytest_netbench.plugin.trials.embedder import ProcessEmbedder\n"
        "embedder = ProcessEmbedder()\n"
        f"embedder.prepare()\nif {ready}: embedder.wait()\n"
        "print(embedder.pid, flush=True)\n"
        "time.sleep(600)\n"
    )
    with subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True) as owner:
        pid = int(owner.stdout.readline())
        assert is_alive(pid)
        owner.kill()
    await_end(pid)


def test_a_process_that_died_is_reported_with_what_it_said_and_is_no_score(embedder, monkeypatch):
    monkeypatch.setattr("pytest_netbench.plugin.trials.embedder._MODULE", "pytest_netbench.no_such_module")
    with pytest.raises(
        InfrastructureError, match=r"ended with status 1: .*No module named pytest_netbench\.no_such_module"
    ):
        embedder.embed(["a route"])
    found = score_of(ReasoningScorer(embedder=embedder), record(submission=Submission(reasoning="something")))
    assert found.value is None
    assert found.explanation.startswith("not measured: ")


@needs_reasoning_extra
def test_a_process_that_is_killed_between_two_requests_is_reported(embedder):
    embedder.wait()
    os.kill(embedder.pid, signal.SIGKILL)
    await_end(embedder.pid)
    with pytest.raises(InfrastructureError, match="ended with status -9: "):
        embedder.embed(["a route"])
