"""docs/reference/episodes.md names what there is, and the rewards are those of the code."""

from __future__ import annotations

import inspect
import re
from dataclasses import fields

import pytest

from pytest_netbench.episodes import Episode, NetArenaReward, Observation, Turn
from tests.support.doc_examples import ROOT

PAGE = (ROOT / "docs/reference/episodes.md").read_text(encoding="utf-8")


def section(title: str) -> str:
    (text,) = re.findall(rf"^## {re.escape(title)}\n(.*?)(?=^## |\Z)", PAGE, re.MULTILINE | re.DOTALL)
    return text


def rows(title: str) -> list[str]:
    """What the first cells of the section's tables name, without parameters."""
    cells = re.findall(r"^\| (`.+?) \|", section(title), re.MULTILINE)
    return [name for cell in cells for name in re.findall(r"`(\w+)", cell)]


@pytest.mark.parametrize(
    ("title", "names"),
    [
        ("The turn", [field.name for field in fields(Turn)]),
        ("Observations", list(Observation.model_fields)),
        (
            "`Episode`",
            [
                *list(inspect.signature(Episode).parameters),
                "reset",
                "observe",
                "act",
                "done",
                "task",
                "record",
                "close",
            ],
        ),
    ],
)
def test_every_field_and_member_is_documented_and_no_other(title, names):
    assert rows(title) == names


def test_every_public_member_of_an_episode_is_documented():
    assert {name for name in vars(Episode) if not name.startswith("_")} <= set(rows("`Episode`"))


def test_the_default_rewards_are_those_of_the_code():
    documented = re.findall(r"^\| ([+-]\d+) \| `(\w+)`", section("The default reward"), re.MULTILINE)
    assert {name: float(value) for value, name in documented} == {
        field.name: getattr(NetArenaReward(), field.name) for field in fields(NetArenaReward)
    }


def test_the_environments_are_documented():
    pytest.importorskip("gymnasium")
    from pytest_netbench import gymnasium as ours

    assert re.findall(r"^\| `(pytest_netbench/\S+)` \|", section("Gymnasium"), re.MULTILINE) == [ours.REPAIR, ours.PLAN]
    assert f"{ours.LONGEST_OBSERVATION:,} characters" in " ".join(section("Gymnasium").split())
