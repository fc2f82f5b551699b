"""``netbench summarize``."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from pytest_netbench.cli.main import main
from pytest_netbench.model.drawn import Drawn
from pytest_netbench.model.process import REASONS, CauseTrail, Process
from pytest_netbench.model.trial import AgentInfo
from pytest_netbench.results.store import ResultsDir
from tests.support.records import result


def drawn(index: int, scenario: str) -> Drawn:
    return Drawn(generator="diagnose", seed=1, index=index, label="X", level=1, scenario=scenario)


@pytest.fixture
def stored(tmp_path: Path) -> Path:
    folder = tmp_path / "run"
    made = ResultsDir.create(folder)
    expert = AgentInfo(id="expert", strategy="expert")
    cases = [
        ("line", "6", ("link-down",), 1.0),
        ("line", "16", ("ospf-area-wrong",), 0.5),
        ("ring", "41", (), 0.0),
        ("ring", "15", ("link-down", "no-such-fault"), 1.0),
    ]
    for number, (scenario, devices, faults, value) in enumerate(cases):
        one = result(
            {"root_cause": value, "nika.detection": 1.0},
            node_id=f"diagnose:{number}::case-{number}[expert]",
            agent=expert,
            status="passed" if value == 1.0 else "failed",
            drawn=drawn(number, scenario),
            regions={"devices": (devices,), "fault": faults, "faults": (str(len(faults)),)},
        )
        made.append(one, None, worker="main")
    made.append(
        result({}, node_id="x::broken[expert]", agent=expert, status="error", outcome=None), None, worker="main"
    )
    return folder


@pytest.mark.parametrize(
    ("axis", "groups"),
    [
        ("scenario", {"line": "1/2", "ring": "1/2", "all": "2/4"}),
        ("size", {"S (to 15)": "2/2", "M (to 40)": "0/1", "L": "0/1", "all": "2/4"}),
        ("fault-domain", {"link": "2/2", "routing": "0/1", "healthy": "0/1", "unknown": "1/1", "all": "2/4"}),
        ("faults", {"0": "0/1", "1": "1/2", "2": "1/1", "all": "2/4"}),
        ("task", {f"diagnose[s1-000{n}-X]": f"{passed}/1" for n, passed in enumerate((1, 0, 0, 1))} | {"all": "2/4"}),
    ],
)
def test_results_are_counted_by_group(stored: Path, capsys, axis: str, groups: dict[str, str]) -> None:
    assert main(["summarize", str(stored), "--by", axis]) == 0
    head, *rows, legend, last = capsys.readouterr().out.splitlines()
    assert legend == "95 %: Wilson's and Student's t interval, clustered by task"
    assert head.split()[:4] == ["agent", axis, "passed", "95"]
    assert "nika" not in head
    found = {row.removeprefix("expert  ").partition("  ")[0]: row for row in rows}
    assert set(found) == set(groups)
    for group, passed in groups.items():
        assert f" {passed} " in found[group]
    assert last == "infrastructure errors, not scored: 1"


def test_means_have_an_interval_where_values_differ(stored: Path, capsys) -> None:
    assert main(["summarize", str(stored), "--by", "scenario"]) == 0
    line = next(row for row in capsys.readouterr().out.splitlines() if " line " in row)
    assert line.split() == ["expert", "line", "1/2", "0.09-0.91", "0.75", "0.00-1.00"]


def test_an_axis_that_no_result_has_is_an_error_that_lists_them(stored: Path, capsys) -> None:
    assert main(["summarize", str(stored), "--by", "colour"]) == 2
    error = capsys.readouterr().err
    assert "--by colour: no result has it (known: devices, domain, family, fault, fault-domain," in error


def test_a_directory_that_is_not_there_is_an_error(tmp_path: Path, capsys) -> None:
    assert main(["summarize", str(tmp_path / "none")]) == 2
    assert "no such results directory" in capsys.readouterr().err


@pytest.fixture
def repeated(tmp_path: Path) -> Path:
    """Three tasks of family repair with four trials each: all, half and one of them passed."""
    folder = tmp_path / "repeated"
    made = ResultsDir.create(folder)
    for number, passed in enumerate((4, 2, 1)):
        for trial in range(1, 5):
            one = result(
                {"correctness": passed / 4},
                node_id=f"repair:{number}::case-{number}[expert]",
                agent=AgentInfo(id="expert", strategy="expert"),
                family="repair",
                trial=trial,
                status="passed" if trial <= passed else "failed",
                drawn=drawn(number, "line" if number else "ring"),
            )
            made.append(one, None, worker="main")
    return folder


def cells(out: str) -> dict[str, str]:
    """The row of all results by the names of its columns; intervals by the name before them."""
    head, *rows = out.splitlines()
    names = [part for part in head.replace("95 %", "95%").split() if part]
    row = next(row for row in rows if row.split()[1] in ("all", "routing", "qos"))
    found: dict[str, str] = {}
    for at, (name, cell) in enumerate(zip(names, row.split(), strict=True)):
        found[f"{names[at - 1]} 95%" if name == "95%" else name] = cell
    return found


@pytest.mark.parametrize(
    ("method", "interval", "of_score"),
    [
        ("wilson", "0.32-0.81", "0.38-0.79"),
        ("clopper-pearson", "0.28-0.85", "0.38-0.79"),
        ("clustered", "0.08-0.96", "0.00-1.00"),
        ("bootstrap", "0.25-1.00", "0.25-1.00"),
    ],
)
def test_each_kind_of_interval(repeated: Path, capsys, method: str, interval: str, of_score: str) -> None:
    assert main(["summarize", str(repeated), "--interval", method, "--attempts", "1,4,5"]) == 0
    found = cells(capsys.readouterr().out)
    assert found == {
        "agent": "expert",
        "domain": found["domain"],
        "passed": "7/12",
        "passed 95%": interval,
        "netarena.wald": "0.30-0.86",
        "pass@1": "0.58",
        "pass^1": "0.58",
        "pass@4": "1.00",
        "pass^4": "0.33",
        "pass@5": "–",
        "pass^5": "–",
        "correctness": "0.58",
        "correctness 95%": of_score,
    }


def test_trials_may_be_clustered_by_the_shape_of_their_network(repeated: Path, capsys) -> None:
    assert main(["summarize", str(repeated), "--cluster", "scenario"]) == 0
    out = capsys.readouterr().out
    assert "clustered by scenario" in out
    assert cells(out)["passed 95%"] == "0.07-0.96"


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--attempts", "0"], "'0' is no list of numbers from 1 on, such as 1,3,5"),
        (["--attempts", "3,x"], "'3,x' is no list of numbers"),
        (["--interval", "best"], "invalid choice: 'best'"),
    ],
)
def test_what_is_no_number_of_attempts_or_method_is_refused(stored: Path, capsys, arguments, words) -> None:
    with pytest.raises(SystemExit) as left:
        main(["summarize", str(stored), *arguments])
    assert left.value.code == 2
    assert words in capsys.readouterr().err


def test_a_cluster_that_no_result_has_is_an_error(stored: Path, capsys) -> None:
    assert main(["summarize", str(stored), "--cluster", "colour"]) == 2
    assert "--cluster colour: no result has it" in capsys.readouterr().err


def test_the_methods_that_are_offered_are_those_that_there_are() -> None:
    from pytest_netbench.cli.summarize import INTERVALS
    from pytest_netbench.reporting.intervals import METHODS

    assert tuple(METHODS) == INTERVALS


def with_reasons(folder: Path, agent: str, reasons: list[str | None]) -> Path:
    made = ResultsDir.create(folder)
    for number, reason in enumerate(reasons):
        process = Process(
            completion="submitted-early" if reason else "correct",
            reason=reason,
            causes=(CauseTrail(fault_type="f", resource="node/r1", shown_by=2, named=reason is None),),
            actions={"look": 3, "change": 1},
            repeated=1,
            unverified=bool(reason),
        )
        scores = {"root_cause": 0.0 if reason == "wrong-type" else 1.0, "correctness": 0.0 if reason else 1.0}
        one = result(
            scores,
            node_id=f"t.yaml::t{number}[{agent}]",
            agent=AgentInfo(id=agent, strategy="s"),
            status="failed" if reason else "passed",
            process=process,
        )
        made.append(one, None, worker="main")
    return folder


def rows_of(text: str) -> dict[str, list[str]]:
    cells = (re.split(r"\s{2,}", line.strip()) for line in text.splitlines())
    return {" ".join(row[:2]) if row[0] == "a" else row[0]: row[1:] for row in cells}


def test_reasons_are_counted_of_the_trials_that_failed(tmp_path: Path, capsys) -> None:
    folder = with_reasons(tmp_path / "run", "a", ["wrong-type", "not-verified", "not-verified", None])
    assert main(["summarize", str(folder), "--by", "reason"]) == 0
    rows = rows_of(capsys.readouterr().out)
    assert rows["a wrong-type"][:3] == ["wrong-type", "1", "33%"]
    assert rows["a not-verified"][:3] == ["not-verified", "2", "67%"]
    assert rows["a all that failed"] == ["all that failed", "3/4"]
    assert any(name.startswith(f"not-verified: {REASONS['not-verified']}") for name in rows)


def test_how_an_agent_worked_is_counted(tmp_path: Path, capsys) -> None:
    folder = with_reasons(tmp_path / "run", "a", ["wrong-type", "not-verified", "not-verified", None])
    assert main(["summarize", str(folder), "--by", "reason"]) == 0
    rows = rows_of(capsys.readouterr().out)
    assert rows["completed: submitted-early"] == ["3/4"]
    assert rows["requests per trial"] == ["4.0"]
    assert rows["requests: look"] == ["75%"]
    assert rows["requests: repeated"] == ["25%"]
    assert rows["trials: changed, not verified"] == ["3/4"]
    assert rows["causes: seen, not named"] == ["3/4"]
    assert rows["P(repaired | diagnosed)"] == ["1/3 (0.06-0.79)"]
    assert rows["P(repaired | misdiagnosed)"] == ["0/1 (0.00-0.79)"]


def test_results_without_verdicts_have_no_known_reason(stored: Path, capsys) -> None:
    assert main(["summarize", str(stored), "--by", "reason"]) == 0
    text = capsys.readouterr().out
    assert "expert  unknown" in text
    assert "how agents worked" not in text


def test_an_unknown_cluster_is_refused_with_reasons_too(stored: Path, capsys) -> None:
    assert main(["summarize", str(stored), "--by", "reason", "--cluster", "colour"]) == 2
    assert "--cluster colour: no result has it" in capsys.readouterr().err
