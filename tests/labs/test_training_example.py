"""The example of docs/how-to/train-a-policy.md: what it sees, that it learns, and that it runs on real labs."""

from __future__ import annotations

import importlib.util
import re
import sys
from types import ModuleType

import numpy as np
import pytest

pytest.importorskip("gymnasium", reason="gymnasium is not installed; fix: make setup-gate")

from pytest_netbench import Episode, parts
from pytest_netbench.lab.request import request_of
from tests.support.doc_examples import ROOT
from tests.support.repairs import repair_task

DOWN = repair_task(("interface-down", {"interface": "eth0"}))
SEEN = """\
h1x1 -> h1x2 X X r0
h1x2 -> h1x1 X h2x2 r0
h2x1 -> X X h2x2 X
h2x2 -> X X h2x1 X
r0 -> h1x1 h1x2 X X
h1x1 does not reach h2x1 tcp port 80
"""


@pytest.fixture
def example() -> ModuleType:
    spec = importlib.util.spec_from_file_location("train_repairs", ROOT / "docs/examples/train_repairs.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_the_symptom_says_which_pings_fail(example: ModuleType) -> None:
    assert example.symptom(SEEN) == ("all", "none", "some", "tcp")
    right = re.sub("X", "h0", SEEN).rpartition("h1x1 does")[0]
    assert example.symptom(right) == ("none", "none", "none", "")


def test_what_is_rewarded_is_preferred_afterwards_and_what_is_punished_is_not(example: ModuleType) -> None:
    policy, seen, untried = example.Policy(), ("all",), np.zeros(len(example.ACTIONS))
    before = policy.chances(seen, untried)
    assert np.allclose(before, 1 / len(example.ACTIONS))
    for _ in range(10):
        policy.learn([(seen, untried, 2)], [1.0])
        policy.learn([(seen, untried, 3)], [-1.0])
    after = policy.chances(seen, untried)
    assert after[2] > 0.5
    assert after[3] < before[3]
    assert policy.chances(("none",), untried)[2] == before[2]


def test_the_first_repair_of_the_example_mends_a_real_network(example: ModuleType) -> None:
    _this_machine_can()
    with Episode("repair-routing:level=1,labels=DI,subnets=2,hosts=2,seed=7", reward=example.reward) as episode:
        first = str(episode.reset())
        answer, reward, _, turn = episode.act(example.ACTIONS[0])
        assert (turn.solved, reward) == (True, 0.95)
        assert "all" in example.symptom(first)
        assert example.symptom(str(answer)) == ("none", "none", "none", "")


def test_the_example_trains_and_compares_on_real_labs(
    example: ModuleType, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    _this_machine_can()
    monkeypatch.setattr(example, "AT_ONCE", 2)
    monkeypatch.setattr(sys, "argv", ["train_repairs.py", "--episodes", "1", "--held-out", "1"])
    example.main()
    shown = capsys.readouterr().out.splitlines()
    assert re.fullmatch(r"trained on 2 tasks; passed [012] of them meanwhile", shown[0])
    assert re.fullmatch(r"2 held-out tasks: random passes [01]\.[05]0, the policy [01]\.[05]0", shown[1])


def _this_machine_can() -> None:
    lack = parts.load("backends", "netns")().lacks(request_of(DOWN))
    if lack is not None:
        pytest.skip(f"{lack[0]}; fix: {lack[1]}")
