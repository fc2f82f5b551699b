"""The generator ``diagnose``: a healthy network cannot be told from a faulty one by what an agent is shown."""

from __future__ import annotations

import re
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from scipy.stats import chi2
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import cross_val_score

from pytest_netbench.agents.nop import Nop
from pytest_netbench.errors import UsageError
from pytest_netbench.generators.default_faults import (
    DIAGNOSED,
    OF_BURSTS,
    OF_DHCP,
    OF_LB,
    OF_P4,
    OF_QOS,
    OF_RPKI,
    OF_SWITCHES,
    OF_VPN,
    SERVED,
)
from pytest_netbench.generators.diagnose import DiagnoseGenerator
from pytest_netbench.generators.diagnose_parameters import DiagnoseParameters
from pytest_netbench.generators.faulty_networks import SIZES
from pytest_netbench.generators.health import HEALTHY
from pytest_netbench.generators.series import read_series
from pytest_netbench.model.diagnosis import Diagnose, diagnose_of
from pytest_netbench.model.task import Task
from pytest_netbench.trial.limits import brief_for, terms_for

GENERATOR = DiagnoseGenerator()
USUAL = DiagnoseParameters()


def critical(freedom: int) -> float:
    """The upper 0.1 % point of the chi-square distribution."""
    return float(chi2.isf(0.001, freedom))


def drawn(count: int, *, seed: int = 3, **parameters: Any) -> list[Task]:
    chosen = DiagnoseParameters(**parameters)
    return [GENERATOR.draw(chosen, seed=seed, index=index) for index in range(count)]


def told(task: Task) -> str:
    return brief_for(task, terms_for(task, Nop().info)).model_dump_json()


@pytest.mark.parametrize(("share", "expected"), [(0.3, 3), (0.0, 0), (1.0, 10), (0.5, 5)])
def test_the_share_of_healthy_networks_holds_in_each_ten_draws(share: float, expected: int) -> None:
    healthy = [not diagnose_of(task).faults for task in drawn(40, healthy=share, shapes=("line",))]
    assert [sum(healthy[start : start + 10]) for start in range(0, 40, 10)] == [expected] * 4


def test_healthy_networks_are_not_always_at_the_same_places() -> None:
    places = {index % 10 for index, task in enumerate(drawn(60, shapes=("line",))) if not diagnose_of(task).faults}
    assert len(places) >= 6


def test_a_healthy_network_is_drawn_like_a_faulty_one() -> None:
    """The same draw with another share differs in its faults, and in what follows from them, and in nothing else."""
    for faulty, healthy in zip(drawn(20, healthy=0.0), drawn(20, healthy=1.0), strict=True):
        assert diagnose_of(faulty).faults
        assert not diagnose_of(healthy).faults
        assert diagnose_of(faulty).model_copy(update={"faults": ()}) == diagnose_of(healthy)


@pytest.mark.parametrize("reports", ["none", "operator"])
def test_the_brief_is_the_same_whether_something_is_wrong_or_not(reports: str) -> None:
    faulty, healthy = (drawn(20, healthy=share, reports=reports) for share in (0.0, 1.0))
    for one, other in zip(faulty, healthy, strict=True):
        assert told(one) == told(other)
    assert ("An operator reports:" in told(faulty[0])) == (reports == "operator")


@pytest.mark.parametrize("reports", ["none", "operator"])
def test_a_classifier_over_briefs_is_no_better_than_chance(reports: str) -> None:
    tasks = drawn(200, healthy=0.5, shapes=("line", "ring"), size="1", reports=reports)
    labels = [bool(diagnose_of(task).faults) for task in tasks]
    words = TfidfVectorizer(token_pattern=r"[^\s,()\"\\\\]+", ngram_range=(1, 2)).fit_transform(map(told, tasks))
    right = cross_val_score(LogisticRegression(max_iter=1000, C=10.0), words, labels, cv=10).mean()
    # 99.9 % of the guesses by chance are below
    assert right < 0.5 + 3.1 * (0.25 / len(tasks)) ** 0.5


def test_reports_are_about_hosts_of_the_network_and_mostly_near_the_fault() -> None:
    tasks = drawn(60, healthy=0.0, level="1", shapes=("line", "tree"), size="2", reports="operator")
    near = 0
    for task in tasks:
        payload = diagnose_of(task)
        report, node = str(payload.report), payload.faults[0].parameters["node"]
        hosts = {name for group in payload.flows for name in group.targets}
        named = [host for host in hosts if re.search(rf"\b{host}\b", report)]
        assert len(named) == 2
        links = [{end.node for end in link.endpoints} for link in payload.topology.links]
        near += any(host == node or any({host, node} <= link for link in links) for host in named)
    assert near > 20


@pytest.mark.parametrize("given", ["detection", "localization"])
def test_what_is_given_is_told_and_nothing_more(given: str) -> None:
    for task in drawn(10, given=given, level="1-2"):
        payload = diagnose_of(task)
        assert payload.faults
        assert "Something is wrong in this network." in told(task)
        assert "It may be healthy." not in told(task)
        named = [one.resources[0] in told(task) for one in payload.causes]
        assert named == [given == "localization"] * len(named)
        assert not [name for name in DIAGNOSED if name in told(task)]


def test_the_brief_names_no_fault_type_before_the_diagnosis_is_fixed() -> None:
    for task in drawn(10):
        assert not [name for name in DIAGNOSED if name in told(task)]


def test_all_nodes_can_be_looked_at_and_none_changed() -> None:
    for task in drawn(10):
        controls = set(diagnose_of(task).topology.controls.values())
        assert "managed" not in controls
        assert "observed" in controls


def test_each_fault_is_drawn_equally_often() -> None:
    counts = Counter(one.fault for task in drawn(2000, healthy=0.0, level="1") for one in diagnose_of(task).faults[:1])
    expected = 2000 / len(DIAGNOSED)
    assert sum((counts[name] - expected) ** 2 / expected for name in DIAGNOSED) < critical(len(DIAGNOSED) - 1)


def test_each_end_of_each_link_is_the_target_equally_often() -> None:
    """In another benchmark, 78 % of the faults hit the node that is named first."""
    tasks = drawn(
        2000,
        healthy=0.0,
        level="1",
        faults=("ospf-timers-wrong",),
        shapes=("tree",),
        routings=("ospf",),
        platforms=("frr",),
        size="2",
        hosts="1",
        names="plain",
        services=(),
    )
    counts = Counter(diagnose_of(task).causes[0].resources[0] for task in tasks)
    expected = 2000 / len(counts)
    assert len(counts) == 12, "both ends of the six links among seven routers"
    assert sum((count - expected) ** 2 / expected for count in counts.values()) < critical(11)


def test_a_fault_that_is_not_offered_is_refused() -> None:
    payload = diagnose_of(drawn(1, healthy=0.0)[0])
    with pytest.raises(ValueError, match="is missing, which is injected"):
        Diagnose.model_validate(
            payload.model_dump(by_alias=True)
            | {"fault_types": ("no-such-fault",)}
            | {"fault_types": tuple(name for name in DIAGNOSED if name != payload.faults[0].fault)}
        )
    with pytest.raises(ValueError, match="fault_types: "):
        Diagnose.model_validate(payload.model_dump(by_alias=True) | {"fault_types": ("no-such-fault",)})


def test_what_is_named_by_a_cause_can_be_chosen() -> None:
    for task in drawn(60, healthy=0.0, level="1-3"):
        payload = diagnose_of(task)
        for cause in payload.causes:
            assert set(cause.resources) <= set(payload.resources)
            assert cause.fault_type in payload.fault_types


def test_the_label_says_that_a_network_is_healthy() -> None:
    labels = {task.drawn.label for task in drawn(10) if task.drawn is not None and not diagnose_of(task).faults}
    assert labels == {HEALTHY}


@pytest.mark.parametrize(
    ("words", "same"),
    [
        ("scenario=dc_clos,size=s,faults=1,n=60,seed=3", "shapes=clos,size=1,level=1,n=60,seed=3"),
        ("scenario=small+isp,size=S-M,faults=1-3", "shapes=line+isp,size=1-2,level=1-3"),
        ("faults=link-down+link-slow", "faults=link-slow+link-down"),
    ],
)
def test_the_words_of_nika_mean_the_same(words: str, same: str) -> None:
    written, meant = read_series(f"diagnose:{words}"), read_series(f"diagnose:{same}")
    assert set(written.parameters.faults) == set(meant.parameters.faults)
    assert written.parameters.model_dump(exclude={"faults"}) == meant.parameters.model_dump(exclude={"faults"})
    assert (written.count, written.seed) == (meant.count, meant.seed)


@pytest.mark.parametrize(
    ("words", "problem"),
    [
        ("faults=1,level=2", "faults=1 and level=2 both say how many faults there are"),
        ("scenario=small,shapes=ring", "'shapes' is given twice"),
        ("scenario=moon", "moon"),
        ("size=xl", "size"),
        ("scenari=small", "did you mean 'scenario'"),
    ],
)
def test_words_that_do_not_fit_are_an_error(words: str, problem: str) -> None:
    with pytest.raises(UsageError, match=problem):
        read_series(f"diagnose:{words}")


def test_the_matrix_has_a_row_for_each_fault_and_a_column_for_each_shape() -> None:
    page = (Path(__file__).parents[3] / "docs/reference/fault-matrix.md").read_text()
    head, _, *rows = [line.strip("| ").split(" | ") for line in page.splitlines() if line.startswith("|")]
    assert head == ["fault", *sorted(SIZES)]
    assert [row[0].strip("`") for row in rows] == [
        *DIAGNOSED,
        *SERVED,
        *OF_DHCP,
        *OF_LB,
        *OF_VPN,
        *OF_QOS,
        *OF_RPKI,
        *OF_BURSTS,
        *OF_SWITCHES,
        *OF_P4,
    ]
    assert all(len(row) == len(head) for row in rows)
