"""netbench difficulty records how often agents passed, outside the digests of tasks; show prints it."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from pytest_netbench.cli.main import main
from pytest_netbench.errors import ResultsError
from pytest_netbench.model.drawn import Drawn
from pytest_netbench.model.process import CauseTrail, Process
from pytest_netbench.model.search import Sought
from pytest_netbench.model.trial import AgentInfo, TrialResult
from pytest_netbench.results.difficulty import DifficultyStore, subject_of
from pytest_netbench.results.store import ResultsDir
from pytest_netbench.stats.intervals import wilson
from pytest_netbench.taskfile import load_task
from tests.support.records import ENVIRONMENT, result

ROOT = Path(__file__).parents[3]
MODEL = AgentInfo(id="react-m", model="vendor/m", strategy="react")


@pytest.fixture(autouse=True)
def _here(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)


def stored(name: str, *results: TrialResult) -> str:
    store = ResultsDir.create(Path(name))
    for one in results:
        store.append(one, None, worker="main")
    return name


def of_draw(index: int, *, passed: bool, faults: dict[str, bool], level: int = 4, **changes) -> TrialResult:
    """A trial of a draw with faults, each of which was named or not."""
    parameters = changes.pop("parameters", {"size": "2"})
    drawn = Drawn(
        generator="diagnose",
        parameters={"level": str(level), **parameters},
        seed=1,
        index=index,
        label="X",
        level=level,
    )
    causes = tuple(CauseTrail(fault_type=kind, resource="node/r1", named=named) for kind, named in faults.items())
    fields = {
        "node_id": f"diagnose[s1-{index:04}-X-react-m]",
        "task_digest": f"{index:016x}",
        "agent": MODEL,
        "drawn": drawn,
        "status": "passed" if passed else "failed",
        "process": Process(completion="correct" if passed else "submitted-early", causes=causes),
        "regions": {"fault": tuple(faults)},
    }
    return result({}, **{**fields, **changes})


def recorded(pattern: str) -> dict:
    (path,) = Path().glob(pattern)
    return json.loads(path.read_text())


def test_draws_are_counted_by_generator_level_version_and_parameters(capsys):
    run = stored(
        "run",
        of_draw(0, passed=True, faults={"link-down": True}),
        of_draw(1, passed=False, faults={"link-down": True, "link-slow": False}),
        of_draw(2, passed=False, faults={}),
        of_draw(3, passed=True, faults={}, level=5),
        of_draw(4, passed=True, faults={}, parameters={"size": "3"}),
    )
    assert main(["difficulty", run]) == 0
    assert len(list(Path("tasks/.difficulty").iterdir())) == 3
    out = capsys.readouterr().out
    assert "  react-m (vendor/m): passed 1/3 (0.06-0.79), 2026-10-03\n" in out
    assert "    link-down: passed 1/2 (0.09-0.91), named 2/2\n" in out
    assert "    link-slow: passed 0/1 (0.00-0.79), named 0/1\n" in out
    assert "    healthy: passed 0/1 (0.00-0.79)\n" in out
    store = DifficultyStore.around(Path("tasks"))
    known = store.load(subject_of(of_draw(0, passed=True, faults={})).digest)
    assert known is not None
    assert (known.subject, known.version, known.parameters) == ("diagnose level 4", "0.1.0", {"size": "2"})
    (one,) = known.measured
    expected = wilson(1, 3)
    assert (one.all.passed, one.all.trials) == (1, 3)
    assert (one.all.low, one.all.high) == (round(expected.low, 4), round(expected.high, 4))


def test_another_version_of_the_package_is_measured_apart():
    other = ENVIRONMENT.model_copy(update={"netbench": "9.9"})
    stored(
        "run",
        of_draw(0, passed=True, faults={}),
        of_draw(1, passed=True, faults={}, environment=other),
    )
    assert main(["difficulty", "run"]) == 0
    assert len(list(Path("tasks/.difficulty").iterdir())) == 2


def test_a_run_that_is_recorded_already_counts_once_and_a_further_one_adds_to_it(capsys):
    stored("run", of_draw(0, passed=True, faults={}))
    stored("more", of_draw(0, passed=False, faults={}, started_at="2026-10-05T12:00:00.000+00:00"))
    assert main(["difficulty", "run"]) == 0
    before = recorded("tasks/.difficulty/*.json")
    assert main(["difficulty", "run"]) == 0
    assert recorded("tasks/.difficulty/*.json") == before
    assert "diagnose level 4: nothing new" in capsys.readouterr().out
    assert main(["difficulty", "run", "more"]) == 0
    assert "passed 1/2 (0.09-0.91), 2026-10-03 to 2026-10-05" in capsys.readouterr().out


def test_agents_whose_settings_differ_are_apart(capsys):
    other = MODEL.model_copy(update={"settings": {"prompt": "longer"}})
    stored("run", of_draw(0, passed=True, faults={}), of_draw(1, passed=False, faults={}, agent=other))
    assert main(["difficulty", "run"]) == 0
    assert capsys.readouterr().out.count("passed 0/1") == 1
    assert len(recorded("tasks/.difficulty/*.json")["measured"]) == 2


@pytest.mark.parametrize(
    ("changes", "why"),
    [
        ({"status": "error"}, "infrastructure errors"),
        ({"agent": AgentInfo(id="mine", strategy="oracle")}, "trials of oracle or nop, which are bounds"),
        ({"agent": AgentInfo(id="nop", strategy="nop")}, "trials of oracle or nop, which are bounds"),
        ({"sealed": "sealed/x.sealed"}, "trials of sealed tasks"),
        (
            {"sought": Sought(history="x", trials=1, candidates=1, chances={}, known={})},
            "draws that a search for failures chose",
        ),
    ],
)
def test_what_says_nothing_about_difficulty_is_left_out(changes, why, capsys):
    stored("run", of_draw(0, passed=True, faults={}, **changes))
    assert main(["difficulty", "run"]) == 1
    assert not Path("tasks").exists()
    assert f"left out, {why}: 1\n" in capsys.readouterr().err


def test_a_task_file_is_measured_by_its_digest_and_keeps_it(capsys):
    path = Path("tasks/access/default-route-for-a-shop.task.yaml")
    path.parent.mkdir(parents=True)
    shutil.copy(ROOT / "tasks/routing" / path.name, path)
    digest = load_task(path).digest
    one = result({}, node_id=f"{path}::default-route-for-a-shop[react-m]", agent=MODEL, task_digest=digest)
    run = stored("run", one, one.model_copy(update={"trial": 2, "status": "failed"}))
    assert main(["difficulty", run]) == 0
    capsys.readouterr()
    assert [found.name for found in Path("tasks/access/.difficulty").iterdir()] == [
        f"default-route-for-a-shop-{digest}.json"
    ]
    assert load_task(path).digest == digest
    assert main(["show", f"{path}::default-route-for-a-shop[react-m]", stored("one", one)]) == 0
    assert (
        "--- measured difficulty of default-route-for-a-shop\nreact-m (vendor/m): passed 1/2 (0.09-0.91), "
        in capsys.readouterr().out
    )


def test_trials_of_a_file_that_is_not_there_are_left_out(capsys):
    stored("run", result({}, agent=MODEL))
    assert main(["difficulty", "run"]) == 1
    assert "llq-voice.task.yaml is not there; run this command where pytest ran: 1" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("edit", "words"),
    [
        (lambda text: text.replace('"passed": 1', '"passed": 2'), "the shares of react-m are not those of its trials"),
        (lambda text: text.replace('"digest"', '"digits"'), "no measured difficulty"),
    ],
)
def test_a_file_that_was_edited_is_refused(edit, words):
    stored("run", of_draw(0, passed=True, faults={}), of_draw(1, passed=False, faults={}))
    assert main(["difficulty", "run"]) == 0
    (path,) = Path("tasks/.difficulty").iterdir()
    text = path.read_text()
    assert edit(text) != text
    path.write_text(edit(text))
    with pytest.raises(ResultsError, match=words):
        DifficultyStore.around(Path("tasks")).load(path.stem[-16:])
