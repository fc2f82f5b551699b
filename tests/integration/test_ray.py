"""Runs on a Ray cluster: results equal to local ones, and what becomes of trials when something is killed."""

from __future__ import annotations

import json
import os
import re
import shutil
import signal
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from xml.etree import ElementTree as ET

import pytest

from pytest_netbench.results.store import ResultsDir
from tests.integration.ray_site import RAY, RaySite, alive, running, until
from tests.support.task_list import TASKS

ACL = "security/acl-standard-lab-network.task.yaml"
VTY = "security/vty-access-admins.task.yaml"
HERE = """
import pytest

@pytest.fixture
def ani(ani):
    return ani
"""
PLAIN = """
def test_plain(request):
    assert not hasattr(request.node, "agent_choice")
"""
TELLS = "strategy: ray_agents:Tells\nenvironment: [RAY_TEST_SENT]\n"


@pytest.fixture(scope="module")
def site(obtain, tmp_path_factory) -> Iterator[RaySite]:
    folder = tmp_path_factory.mktemp("ray")
    shutil.copy(Path(__file__).with_name("ray_agents.py"), folder)
    (folder / "pytest.ini").write_text("[pytest]\n")
    for group, names in {"tasks": (ACL, VTY), "own": (VTY,)}.items():
        (folder / group).mkdir()
        for name in names:
            shutil.copy(TASKS / name, folder / group)
    (folder / "own/conftest.py").write_text(HERE)
    (folder / "own/test_plain.py").write_text(PLAIN)
    (folder / "agents").mkdir()
    (folder / "agents/tells.agent.yaml").write_text(TELLS)
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("RAY_TEST_FOLDER", str(folder))
        with running(obtain(RAY) / "site", folder, nodes=3) as made:
            yield made


@pytest.fixture(autouse=True)
def _fresh(site) -> None:
    for name in ("begun.txt", "spent.txt", "go", "guilty"):
        (site.folder / name).unlink(missing_ok=True)


def begun(site: RaySite) -> list[int]:
    """The workers in which trials have begun, one for each time."""
    path = site.folder / "begun.txt"
    return [int(line) for line in path.read_text().split()] if path.exists() else []


def results_of(folder: Path) -> dict[str, Any]:
    """Results by node id."""
    return {one.node_id: one for one in ResultsDir(folder).results()}


def times_written(folder: Path) -> Counter[str]:
    """How often a result of each trial was written by who ran it, or stood in for it."""
    lines = [json.loads(line) for line in (folder / "results-main.jsonl").read_text().splitlines()]
    return Counter(one["node_id"] for one in lines if "status" in one)


def judged(result: Any) -> dict[str, Any]:
    """What must not depend on where a trial ran."""
    return {
        "status": result.status,
        "outcome": result.outcome,
        "scores": {score.metric: score.value for score in result.scores},
        "testcases": {one.name: one.status for one in result.testcase_results},
        "changed": result.changed,
        "methods": result.methods,
        "transcript": result.transcript,
    }


def cases(path: Path) -> dict[str, str]:
    """By name, what became of each test case in JUnit XML."""
    found = {}
    for case in ET.parse(path).iter("testcase"):
        what = [child.tag for child in case if child.tag in {"failure", "error", "skipped"}]
        found[f"{case.get('classname')}::{case.get('name')}"] = " ".join(what) or "passed"
    return found


def test_a_run_on_the_cluster_is_the_run_that_it_is_with_local_workers(site) -> None:
    what = ("tasks", "own", "--agent=oracle", "--agent=nop", "-v", "-k", "not vty-access-admins[nop]")
    with site.pytest(*what, "--junitxml=far.xml") as far:
        status = far.ended()
    with site.pytest(*what, "--junitxml=near.xml", "-n2", ray=False) as near:
        assert status == near.ended() == 1, far.output
    assert cases(site.folder / "far.xml") == cases(site.folder / "near.xml")
    there, here = ({name: judged(one) for name, one in results_of(run.results).items()} for run in (far, near))
    assert there == here
    assert len(there) >= 4
    assert set(times_written(far.results).values()) == {1}
    assert re.search(r"2 trials ran here and not on the cluster: the fixture ani is overridden", far.output), far.output
    seconds = {
        case.get("name"): float(case.get("time", "0")) for case in ET.parse(site.folder / "far.xml").iter("testcase")
    }
    assert seconds["acl-standard-lab-network[oracle]"] > 0.5, "the time is that of the trial"


def test_only_variables_that_the_agent_file_names_go_along_and_none_is_logged(site, monkeypatch) -> None:
    kept = {"RAY_TEST_SENT": "sent-3141592653", "RAY_TEST_KEPT": "kept-2718281828"}
    with site.pytest("tasks", "-k", "vty", "--agent=tells", variables=kept) as run:
        run.ended()
    (result,) = results_of(run.results).values()
    record = ResultsDir(run.results).record_of(result)
    assert record.submission.reasoning == "RAY_TEST_SENT=sent-3141592653 RAY_TEST_KEPT=None"
    logs = [path for path in Path(site.temporary).rglob("*") if path.is_file()]
    assert len(logs) > 20
    for path in logs:
        assert not re.search(rb"sent-3141592653|kept-2718281828", path.read_bytes()), path


def test_episodes_are_played_on_its_nodes(site) -> None:
    file = Path(__file__).with_name("ray_episodes.py")
    with site.pytest(file, "-q", ray=False, variables={"RAY_TEST_ADDRESS": site.address}) as run:
        assert run.ended() == 0, run.output
    assert "2 passed" in run.output


def test_trials_of_a_worker_that_ended_are_run_again_alone_and_the_guilty_one_has_failed(site) -> None:
    (site.folder / "guilty").write_text("administrators")
    options = ("--netbench-ray-workers=1", "--netbench-ray-trials=2")
    with site.pytest("tasks", "--agent=ray_agents:Kills", *options) as run:
        assert run.ended() == 1, run.output
    found = {name.partition("::")[2]: one for name, one in results_of(run.results).items()}
    guilty = next(one for name, one in found.items() if name.startswith("vty"))
    other = next(one for name, one in found.items() if name.startswith("acl"))
    assert (guilty.status, guilty.scores) == ("failed", ())
    assert "ended twice" in guilty.error
    assert other.outcome == "done", other
    assert other.scores
    assert set(times_written(run.results).values()) == {1}


@pytest.mark.parametrize("killed", ["worker", "node"])
def test_a_trial_whose_worker_or_node_is_lost_is_run_again_and_reported_once(site, killed) -> None:
    with site.pytest("tasks", "--agent=ray_agents:Waits", "--netbench-ray-workers=2") as run:
        until(lambda: len(begun(site)) == 2, f"two trials have begun: {run.output}")
        worker = begun(site)[0]
        node = site.node_of(worker)
        if killed == "worker":
            os.kill(worker, signal.SIGKILL)
        else:
            site.ask(do="kill", node=node)
            site.ask(do="add")
        until(lambda: len(begun(site)) == 3, f"it has begun again: {run.output}")
        (site.folder / "go").touch()
        assert run.ended() == 1, run.output
    again = begun(site)[2]
    assert again != worker
    found = results_of(run.results)
    assert [one.outcome for one in found.values()] == ["done", "done"]
    assert set(times_written(run.results).values()) == {1}
    until(lambda: not site.workers(), "workers have ended", within_s=30)


def test_charges_are_right_when_the_process_that_holds_the_budget_is_killed(site) -> None:
    options = ("--netbench-ray-workers=2", "--netbench-max-tokens=400")
    with site.pytest("tasks", "--agent=ray_agents:Spends", *options) as run:
        until(lambda: spent(run.results) >= 50, f"something is spent: {run.output}")
        (keeper,) = site.keepers()
        os.kill(keeper, signal.SIGKILL)
        run.ended()
    calls = (site.folder / "spent.txt").read_text().count("\n")
    assert spent(run.results) == 10 * calls
    assert 400 <= 10 * calls <= 400 + 10 * 2, "at most one call more for each worker"
    assert f"and {10 * calls} tokens" in run.output


def spent(results: Path) -> int:
    """Tokens that were noted, each charge once."""
    path = results / "spending.txt"
    lines = set(path.read_text().splitlines()) if path.exists() else ()
    return sum(int(line.split()[1]) for line in lines)


def test_when_the_driver_is_killed_labs_end_at_once_and_the_run_can_be_resumed(site) -> None:
    agents = ("--agent=nop", "--agent=ray_agents:Waits")
    with site.pytest("tasks", *agents, "--netbench-ray-workers=3") as run:
        until(lambda: len(begun(site)) == 2 and len(written(run.results)) == 2, f"two are done, two wait: {run.output}")
        there = site.tree()
        assert len(there) > 10, "two workers, two labs and two agents"
        run.process.kill()
        killed_at = time.monotonic()
        until(lambda: not alive(there), "workers, agents and labs have ended", within_s=30)
        took = time.monotonic() - killed_at
    assert took < 15
    (site.folder / "go").touch()
    with site.pytest("tasks", *agents, f"--netbench-resume={run.results}", results=run.results) as resumed:
        assert resumed.ended() == 1, resumed.output
    assert "resumed: 2 of its trials were done before" in resumed.output
    found = results_of(run.results)
    assert len(found) == 4
    assert {one.outcome for one in found.values()} == {"done"}
    assert set(times_written(run.results).values()) == {1}


def written(results: Path) -> list[str]:
    """Trials whose results are on disk."""
    path = results / "results-main.jsonl"
    return [line for line in path.read_text().splitlines() if '"status"' in line] if path.exists() else []
