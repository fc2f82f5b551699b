"""Former public names work for this release, and say what takes their place."""

from __future__ import annotations

import importlib
import sys
from pathlib import Path

import pytest

from pytest_netbench.agents.run_budget import RunBudget
from pytest_netbench.ani.family_methods import FamilyMethod
from pytest_netbench.dialects.base import match_values_of
from pytest_netbench.dialects.match_values import MatchValues
from pytest_netbench.trial.spec import Draw, TrialSpec


@pytest.mark.parametrize(
    ("module", "name", "now"),
    [
        ("pytest_netbench.agents.purse", "Purse", RunBudget),
        ("pytest_netbench.ani.own", "OwnMethod", FamilyMethod),
    ],
)
def test_a_former_module_warns_and_has_the_class_of_today(module: str, name: str, now: type) -> None:
    sys.modules.pop(module, None)
    with pytest.warns(DeprecationWarning, match=rf"{module} is now {now.__module__}, and goes with 0\.3"):
        former = importlib.import_module(module)
    assert getattr(former, name) is now


def test_a_spec_takes_and_shows_its_budget_by_the_former_name(tmp_path: Path) -> None:
    budget = RunBudget(path=tmp_path / "spent", most_tokens=7)
    draw = Draw(generator="repair-network", seed=1, index=0)
    with pytest.warns(DeprecationWarning, match="purse: is now run_budget, and goes with 0.3"):
        spec = TrialSpec(draw=draw, agent="nop", purse=budget)  # type: ignore[call-arg]
    assert spec.run_budget == budget
    with pytest.warns(DeprecationWarning, match="TrialSpec.purse: is now run_budget"):
        assert spec.purse == budget


def test_a_dialect_that_has_landmarks_is_asked_for_them() -> None:
    found = MatchValues()

    class Former:
        def landmarks(self, config: str) -> MatchValues:
            return found

    with pytest.warns(DeprecationWarning, match="Former.landmarks is now match_values"):
        assert match_values_of(Former(), "") is found


def test_a_dialect_that_knows_no_values_has_none() -> None:
    assert match_values_of(object(), "interface eth0") is None
