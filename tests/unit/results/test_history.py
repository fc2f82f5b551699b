"""The verdicts that a search for failures knows."""

from __future__ import annotations

from typing import Any

import pytest

from pytest_netbench.errors import UsageError
from pytest_netbench.model.drawn import Drawn
from pytest_netbench.model.trial import AgentInfo, TrialResult
from pytest_netbench.results.history import History, history
from pytest_netbench.results.store import ResultsDir

PARAMETERS = {"level": "1"}


@pytest.fixture
def folder(tmp_path):
    """A results directory to which results can be added."""

    def add(
        index: int, status: str, *, seed: int = 7, agent: str = "mine", level: str = "1", drawn: bool = True
    ) -> None:
        parameters = {"level": level}
        draw = Drawn(generator="some", parameters=parameters, seed=seed, index=index, label="X", level=1)
        result = TrialResult.model_validate(
            {
                "node_id": f"{agent}-{level}-{draw.id}",
                "task_name": "t",
                "task_digest": "0",
                "domain": "d",
                "family": "plan",
                "agent": AgentInfo(id=agent, strategy="own"),
                "trial": 1,
                "drawn": draw if drawn else None,
                "regions": {"label": ("X",)},
                "status": status,
                "started_at": "2026-01-01T00:00:00.000+00:00",
            }
        )
        ResultsDir.create(tmp_path).append(result, None, worker="main")

    return add


def found(path: Any, **changes: Any) -> History:
    return history(path, **{"agent": "mine", "generator": "some", "parameters": PARAMETERS, "seed": 7, **changes})


def test_verdicts_are_those_of_the_agent_at_these_parameters_from_any_seed(folder, tmp_path):
    folder(0, "passed")
    folder(4, "failed")
    folder(2, "failed", seed=8)
    folder(9, "error")
    folder(5, "failed", agent="other")
    folder(30, "failed", level="2")
    folder(31, "failed", drawn=False)
    known = found(tmp_path)
    assert sorted(failed for _, failed in known.verdicts) == [False, True, True]
    assert {regions["label"] for regions, _ in known.verdicts} == {("X",)}
    assert known.start == 10
    assert found(tmp_path, seed=8).start == 3
    assert found(tmp_path, seed=9).start == 0


def test_no_verdicts_are_an_error_that_says_what_there_is(folder, tmp_path):
    with pytest.raises(UsageError, match="no such results directory; give the --netbench-results of an earlier run"):
        found(tmp_path / "none")
    with pytest.raises(UsageError, match=r"there are: no drawn tasks"):
        found(tmp_path)
    folder(0, "error")
    folder(1, "passed", agent="other")
    folder(2, "passed", level="2")
    with pytest.raises(UsageError, match=r"no trial of agent 'mine' .* \(there are: mine at some, other at some\)"):
        found(tmp_path)
