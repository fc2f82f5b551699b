"""``netbench summarize``."""

from __future__ import annotations

from pathlib import Path

import pytest

from pytest_netbench.cli.main import main
from pytest_netbench.model.drawn import Drawn
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
    head, *rows, last = capsys.readouterr().out.splitlines()
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
