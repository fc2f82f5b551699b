"""What is sent to a worker, and what comes back: plain data, which is pickled."""

from __future__ import annotations

from dataclasses import dataclass

from pytest_netbench.agents.cassettes.cassette import Cassette
from pytest_netbench.model.behaviour import Behaviour
from pytest_netbench.model.trial import Replayed, TrialResult
from pytest_netbench.results.truth import Truth
from pytest_netbench.trial.spec import TrialSpec


@dataclass(frozen=True, kw_only=True)
class Order:
    """A trial to be run elsewhere.

    Attributes:
        spec: The trial. Its store and folder of cassettes are not used: what was recorded goes with the order.
        truth: The recorded ground truth of its task, if there is one.
        reference: The recorded behaviour of its task, if there is one.
        replays: What its model answered, if the trial is a replay.
        proves: Whether the task, which is drawn, is proven first.
    """

    spec: TrialSpec
    truth: Truth | None = None
    reference: Behaviour | None = None
    replays: Cassette | None = None
    proves: bool = False


@dataclass(frozen=True, kw_only=True)
class Delivery:
    """What came of an order: one of ``result``, ``error``, ``skipped`` and ``ended_worker``.

    Attributes:
        result: Of the trial, with its record.
        error: What broke.
        trace: Its traceback where it was raised.
        skipped: Why the trial was not run: what the node lacks, or that the task could not be proven.
        ended_worker: Whether the trial ended its worker twice, the second time alone.
        cassette: What was recorded.
        replayed: What results say of replayed answers.
        started_at: As a POSIX time stamp.
        seconds: How long it took there.
    """

    result: TrialResult | None = None
    error: BaseException | None = None
    trace: str = ""
    skipped: str | None = None
    ended_worker: bool = False
    cassette: Cassette | None = None
    replayed: Replayed | None = None
    started_at: float = 0.0
    seconds: float = 0.0
