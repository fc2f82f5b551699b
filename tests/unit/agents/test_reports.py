"""Reports on reachability, where flows are watched and where they are not."""

from __future__ import annotations

from pytest_netbench.agents.reports import Reports
from pytest_netbench.ani.extras import EXTRAS
from pytest_netbench.ani.interface import AgentInterface
from pytest_netbench.ani.methods import METHODS
from pytest_netbench.ani.policy import Policy
from pytest_netbench.model.extra_methods import GET_REACHABILITY
from pytest_netbench.model.task import Budget
from pytest_netbench.model.trial import Brief
from tests.support.memory_lab import DIALECTS, chain


def brief(*names: str) -> Brief:
    methods = tuple(spec for name, spec in {**METHODS, **EXTRAS}.items() if name in names)
    return Brief(task_name="t", family="configure", intents=("x",), methods=methods, budget=Budget())


def open_ani() -> AgentInterface:
    policy = Policy(extras=frozenset({GET_REACHABILITY}))
    return AgentInterface(chain(), policy=policy, budget=Budget(), dialects=DIALECTS)


def test_without_a_wish_or_without_the_method_nothing_is_asked() -> None:
    ani = open_ani()
    assert Reports(wanted=False, brief=brief(GET_REACHABILITY), ani=ani).text() == ""
    assert Reports(wanted=True, brief=brief("get-topology"), ani=ani).text() == ""
    assert ani.steps == ()


def test_a_network_whose_flows_nobody_watches_is_asked_once() -> None:
    ani = open_ani()
    reports = Reports(wanted=True, brief=brief(GET_REACHABILITY), ani=ani)
    assert [reports.text(), reports.text()] == ["", ""]
    request, note = ani.steps
    assert request.data["method"] == GET_REACHABILITY
    assert "no reports on reachability: get-reachability: nobody watches the flows" in note.data["text"]


class Watched:
    """What is told of changes, and reports."""

    def report(self) -> str:
        return "h1 -> X\n1 of 1 pings lost"

    def changing(self, *_: object, **__: object) -> None:
        raise AssertionError("nothing changes")


def test_a_report_says_what_was_measured() -> None:
    ani = open_ani()
    ani.watch(Watched())  # type: ignore[arg-type]
    text = Reports(wanted=True, brief=brief(GET_REACHABILITY), ani=ani).text()
    assert text.startswith("Who reaches whom now")
    assert "```\nh1 -> X\n1 of 1 pings lost\n```" in text
