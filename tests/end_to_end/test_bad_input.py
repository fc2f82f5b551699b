"""What people write wrong, on real labs: each a clear error, the other items run, and nothing is lost."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
import yaml

from tests.end_to_end.conftest import HERE, Bench, Ended

LINKS = ["R1 eth0 <-> R2 eth0", "R1 eth1 <-> h1 eth0", "R2 eth1 <-> h2 eth0"]
NODES = ["R1", "R2", {"name": "h1", "platform": "linux"}, {"name": "h2", "platform": "linux"}]
SHOWN = {"kind": "show", "name": "n", "device": "R1", "commands": ["show ip route"], "intent": 1}

BROKEN = {
    "unknown-node": ({"topology": {"nodes": NODES, "links": [*LINKS[:2], "R3 eth1 <-> h2 eth0"]}}, "unknown node 'R3'"),
    "used-twice": ({"topology": {"nodes": NODES, "links": [*LINKS[:2], "R2 eth0 <-> h2 eth0"]}}, "R2 eth0"),
    "unknown-platform": ({"platform": "frrouting"}, "unknown platform 'frrouting'"),
    "bad-regex": ({"testcases": [{**SHOWN, "expected_output": "10.(2"}]}, "unterminated subpattern"),
    "no-such-node": ({"testcases": [{**SHOWN, "device": "R7", "expected_output": "x"}]}, "unknown node 'R7'"),
}
REJECTED = "interface eth0\n ip address 10.0.12.1/30\nexit\nip rotue 10.2.0.0/24 10.0.12.2\n"
DRAFT = {
    "task_name": "Draft",
    "intents": ["Sites reach each other."],
    "topology": {"nodes": ["A", "B"], "links": ["A S0/0 <-> B S0/0"]},
    "startup_configs": {"A": "hostname A\r\n", "B": "hostname B\r\n"},
    "ground_truth_configs": {"A": ["ip route 10.0.0.0 255.0.0.0 10.1.1.2"]},
    "ground_truth_reasoning": "A route.",
    "testcases": [{"device": "A", "commands": ["show ip route"], "expected_output": "S .*10\\.0\\.0\\.0"}],
}


def run_all(folder: Path) -> Ended:
    bench = Bench(folder)
    for slug, (changes, _) in BROKEN.items():
        bench.task(slug, **changes)
    configs = yaml.safe_load((HERE / "two-sites.yaml").read_text())["startup_configs"]
    bench.task("rejected", strict=True, startup_configs={**configs, "R1": REJECTED})
    bench.write("tasks/routing/no-yaml.task.yaml", "task_name: [unclosed\nintents: x\n")
    bench.write("draft.json", json.dumps(DRAFT).replace("\n", "\r\n"))
    bench.task()
    return bench.pytest("tasks", "draft.json", "--agent=oracle", "-n2", "-rs")


@pytest.fixture(scope="session")
def bad(once) -> Ended:
    return once("bad-input", run_all)


@pytest.mark.parametrize("slug", BROKEN)
def test_a_task_file_that_cannot_be_is_one_error_with_file_line_and_what_was_known(bad, slug):
    error = bad.junit[slug].find("error")
    message = error.get("message")
    assert f"tasks/routing/{slug}.task.yaml:" in message
    assert BROKEN[slug][1] in message
    assert "Traceback" not in error.text


def test_yaml_that_cannot_be_read_is_one_error_at_its_line(bad):
    assert "tasks/routing/no-yaml.task.yaml:" in bad.junit["no-yaml"].find("error").get("message")


def test_a_startup_config_that_the_device_rejects_is_an_error_with_line_and_the_device_words(bad):
    message = bad.junit["rejected[oracle]"].find("error").get("message")
    assert "R1: startup config line 4 was rejected: 'ip rotue 10.2.0.0/24 10.0.12.2'" in message
    assert "nknown command" in message


def test_a_ground_truth_that_does_not_do_what_its_testcases_want_is_a_failure_and_no_error(bad):
    assert bad.results["draft[oracle]"]["status"] == "failed"


def test_the_others_run_and_nothing_is_lost(bad):
    assert bad.code == 1
    assert f"1 failed, 1 passed, {len(BROKEN) + 2} errors" in bad.last_line
    assert {name: one["status"] for name, one in bad.results.items()} == {
        "two-sites[oracle]": "passed",
        "rejected[oracle]": "error",
        "draft[oracle]": "failed",
    }


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--agent=mine"], "agents/mine.agent.yaml:2: unknown key 'stategy'"),
        (["--agent=oracel"], "Did you mean 'oracle'?"),
        (["--agent=oracle", "--netbench-time-scale=-1"], "'-1' is not a number above 0"),
        (["--agent=oracle", "--netbench-trials=0"], "'0' is not a whole number above 0"),
        (
            ["--agent=oracle", "--netbench-backend=netn"],
            (
                "unknown backend 'netn' (known: containerlab, gns3, kube, kubeconfig, netns, testbed). Did you mean"
                " 'netns'?"
            ),
        ),
    ],
)
def test_an_option_that_cannot_be_is_one_line_and_status_4(bench, arguments, said):
    bench.write("agents/mine.agent.yaml", "model: openai/gpt-4o\nstategy: react\n")
    bench.task()
    done = bench.pytest("tasks", *arguments)
    assert done.code == 4
    assert said in done.out
    assert "Traceback" not in done.out
    assert not (bench.path / "out").exists()


FULL = """
import resource


def pytest_netbench_trial_finished(record):
    if record.task.slug == "another":
        resource.setrlimit(resource.RLIMIT_FSIZE, (4096, resource.RLIM_INFINITY))


def pytest_runtest_logfinish():
    resource.setrlimit(resource.RLIMIT_FSIZE, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
"""


def test_a_transcript_that_cannot_be_written_is_an_error_and_its_scores_and_the_other_results_are_kept(bench):
    bench.task()
    bench.task("another")
    bench.write("conftest.py", FULL)
    done = bench.pytest("tasks", "--agent=oracle")
    assert done.code == 1
    assert "2 passed, 1 error" in done.last_line
    assert "File too large" in done.out
    assert "free some space or give another directory with --netbench-results DIR" in done.out
    kept = {name: (one["status"], one["transcript"] is not None) for name, one in done.results.items()}
    assert kept == {"another[oracle]": ("passed", False), "two-sites[oracle]": ("passed", True)}
