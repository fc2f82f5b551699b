"""A third party's backend that serves only sandboxes is chosen by its name, and labs stay on netns."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from pytest_netbench.cli.main import main
from pytest_netbench.errors import RequirementMissing
from pytest_netbench.trial import TrialSpec, execute
from tests.support import small_sandboxes
from tests.support.memory_parts import install
from tests.support.plans import drawn
from tests.support.trial_specs import elsewhere

pytestmark = pytest.mark.usefixtures("runner")  # skips where there is no sandbox
ROOT = Path(__file__).parents[3]
SERIES = "plan:n=1,seed=4,level=1,labels=U,super_blocks=1,agg_blocks=1,spine_blocks=1,switches=2,ports=2"
NETWORK = """\
task_name: a reaches b
platform: linux
intents: [a reaches b]
topology:
  nodes: [a, b]
  links: [a eth0 <-> b eth0]
startup_configs:
  a: [ip link set eth0 up]
  b: [ip address add 10.0.0.2/24 dev eth0]
ground_truth_configs:
  a: [ip address add 10.0.0.1/24 dev eth0]
testcases:
  - {name: ping, kind: reachability, from: a, to: b}
"""


@pytest.fixture
def opened(pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A task with a network, one with a graph, the installed backend ``small``; the file that knows its sandboxes."""
    (pytester.path / "network.task.yaml").write_text(NETWORK)
    assert main(["generate", SERIES, "--output", str(pytester.path / "drawn")]) == 0
    site = install(pytester.path / "site")
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join([str(site), str(ROOT), os.environ.get("PYTHONPATH", "")]))
    path = pytester.path / "opened.txt"
    monkeypatch.setenv(small_sandboxes.OPENED, str(path))
    return path


def backends(pytester: pytest.Pytester) -> dict[str, str | None]:
    """By family: what the result says of its backend."""
    (path,) = pytester.path.glob(".netbench/*/results.jsonl")
    found = map(json.loads, path.read_text().splitlines())
    return {one["family"]: one["environment"]["backend"] for one in found}


def run(pytester: pytest.Pytester, *options: str) -> pytest.RunResult:
    words = ("network.task.yaml", "drawn", "--agent=oracle", "-p", "no:cacheprovider", "-rs", *options)
    return pytester.runpytest_subprocess(*words, timeout=300)


def test_its_name_selects_it_for_sandboxes_alone_and_is_in_their_results(pytester, opened, monkeypatch):
    monkeypatch.setenv("COLUMNS", "200")
    result = run(pytester, "--netbench-backend=small")
    result.assert_outcomes(passed=2)
    result.stdout.fnmatch_lines(["netbench: agents oracle · backend netns, small · *"])
    assert backends(pytester) == {"configure": "netns", "plan": "small"}
    assert opened.read_text() == "opened\n"


def test_without_it_sandboxes_are_those_of_netns_too(pytester, opened):
    run(pytester).assert_outcomes(passed=2)
    assert backends(pytester) == {"configure": "netns", "plan": "netns"}
    assert not opened.exists()


def test_what_it_lacks_skips_its_tasks_alone_with_its_words(pytester, opened, monkeypatch):
    monkeypatch.setenv(small_sandboxes.LACKS, "all small sandboxes are taken")
    result = run(pytester, "--netbench-backend=small")
    result.assert_outcomes(passed=1, skipped=1)
    result.stdout.fnmatch_lines(["SKIPPED *all small sandboxes are taken*ask for more*"])
    assert not opened.exists()


def test_the_choice_holds_where_the_json_of_a_trial_is_executed(tmp_path, monkeypatch):
    site = install(tmp_path / "site")
    monkeypatch.syspath_prepend(site)
    spec = TrialSpec(task=drawn(1)[0], agent="oracle", backend=("small",))
    result = elsewhere(spec, site)
    assert (result.status, result.environment.backend) == ("passed", "small")
    monkeypatch.setenv(small_sandboxes.LACKS, "all small sandboxes are taken")
    with pytest.raises(RequirementMissing, match="all small sandboxes are taken"):
        execute(spec)
