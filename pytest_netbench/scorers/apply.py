"""Applies scorers by name to a record. An error of a scorer is reported in its score; the trial remains valid."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from typing import Any, Literal

from pytest_netbench import parts
from pytest_netbench.catching import Caught
from pytest_netbench.model.score import Score
from pytest_netbench.model.trial import TrialRecord
from pytest_netbench.scorers.protocol import Scorer

Place = Literal["worker", "controller"]


def load_scorers(names: Sequence[str]) -> dict[str, Scorer]:
    """One scorer of each name; keep them to keep what they have loaded (an embedding model).

    Raises:
        UsageError: There is no such scorer.
    """
    return {name: load_scorer(name) for name in names}


def load_scorer(name: str) -> Scorer:
    """The scorer called ``name``.

    Raises:
        UsageError: There is no such scorer.
    """
    scorer: Scorer = parts.load("scorers", name)()
    return scorer


def apply_scorers(
    record: TrialRecord, names: Sequence[str], *, where: Place, scorers: Mapping[str, Scorer] | None = None
) -> tuple[Score, ...]:
    """Scores of ``record`` by those of ``names`` that run in this place, in the order of ``names``.

    Args:
        record: What is scored.
        names: Scorers by their part names.
        where: ``"controller"`` applies the scorers that run once per run, ``"worker"`` all others.
        scorers: Scorers that are loaded already, by name.

    Raises:
        UsageError: There is no such scorer.
    """
    known = dict(scorers or {})
    known |= load_scorers([name for name in names if name not in known])
    return tuple(
        score_of(known[name], record) for name in names if known[name].on_controller == (where == "controller")
    )


def score_of(scorer: Scorer, record: TrialRecord) -> Score:
    """Return the score of ``record`` by ``scorer``; not measured, with the error, if it raises.

    ``evidence["error"]`` is set then, and only then.
    """
    with Caught(Exception) as caught:  # the trial was measured; only this number is lost, and says so
        return _plain(scorer.score(record))
    words = f"{type(caught.error).__name__}: {caught.error}"
    return Score(
        metric=scorer.name,
        value=None,
        explanation=f"not measured: scorer {scorer.name!r} failed: {words}",
        scorer=f"{scorer.name}/{scorer.version}",
        evidence={"error": words},
    )


def _plain(score: Score) -> Score:
    """``score`` in JSON types: one numpy number in it would end a distributed run.

    Raises:
        ValueError: Its value is no number, or its evidence cannot be said in JSON.
    """
    value = None if score.value is None else float(score.value)
    if value is not None and not math.isfinite(value):
        raise ValueError(f"its value is {value}")
    evidence = json.loads(json.dumps(score.evidence, default=_item, allow_nan=False))
    return score.model_copy(update={"value": value, "evidence": evidence})


def _item(value: Any) -> Any:
    """A numpy scalar or array as the plain value it holds."""
    if hasattr(value, "tolist"):
        return value.tolist()
    raise TypeError(f"{type(value).__name__} in the evidence cannot be said in JSON")
