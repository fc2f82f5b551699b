"""Sealed bundles: the same items as task files, and nothing of their truth in any file of a run."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from xml.etree import ElementTree as ET

import pytest

SECRETS = ("10.77", "secret-route", "Zanzibar", "Quagga", "stop dropping")
"""Parts of the ground truth, of a testcase's name, of an intent and of the task's name."""
KEY = re.compile(rb"netbench-key-1:[A-Za-z0-9_-]{10}")
SPY = """
import pathlib

from pytest_netbench.model.trial import AgentInfo, Submission


class Chatty:
    info = AgentInfo(id="chatty", strategy="own")

    def run(self, brief, ani):
        print(brief.intents, brief.task_name)
        ani.update_cfg("edge", ["no deny tcp 80 any", "this is no command"])
        return Submission(reasoning=str(brief.intents))


class Crashes:
    info = AgentInfo(id="crashes", strategy="own")

    def run(self, brief, ani):
        raise RuntimeError(f"I cannot do {brief.intents}")
"""


@pytest.fixture
def sealed(bench, monkeypatch):
    """Two tasks, sealed; the files are gone. Temporary files go to a folder of the bench."""
    truth = {"edge": ["no deny tcp 80 any", "route 10.77.0.0/16 via 10.0.2.10"]}
    intents = [
        {
            "text": "The branch reaches the web server in Zanzibar",
            "sub_intents": [{"node": "edge", "text": "stop dropping port 80"}],
        },
        {"text": "The edge knows 10.77.0.0/16", "sub_intents": [{"node": "edge", "text": "route it"}]},
    ]
    testcases = [
        {
            "kind": "reachability",
            "name": "web",
            "intent": 1,
            "from": "branch",
            "to": "web",
            "protocol": "tcp",
            "port": 80,
            "within_s": 1,
        },
        {
            "kind": "route",
            "name": "secret-route",
            "intent": 2,
            "device": "edge",
            "prefix": "10.77.0.0/16",
            "next_hops": ["10.0.2.10"],
            "within_s": 1,
        },
    ]
    changes = {"task_name": "Quagga", "ground_truth_configs": truth, "intents": intents, "testcases": testcases}
    files = [bench.task(slug, **changes) for slug in ("first", "second")]
    (bench.path / "spy.py").write_text(SPY)
    bench.netbench = lambda *words: netbench(bench, *words)
    done = bench.netbench("seal", "tasks", "-o", "held-out.sealed", "--new-key", "owner.key")
    assert done.returncode == 0, done.stderr
    for file in files:
        file.rename(bench.path / f"{file.name}.hidden")
    (bench.path / "tasks").joinpath("held-out.sealed").write_bytes((bench.path / "held-out.sealed").read_bytes())
    temporary = bench.path / "temporary"
    temporary.mkdir()
    monkeypatch.setenv("TMPDIR", str(temporary))
    return bench


def netbench(bench, *words):
    command = [sys.executable, "-m", "pytest_netbench.cli", *words]
    return subprocess.run(command, check=False, cwd=bench.path, capture_output=True, text=True, timeout=60)


def written(bench) -> dict[str, bytes]:
    """All files below the bench that the run may have written."""
    own = {"spy.py", "mine.py", "owner.key", "labs.jsonl"}
    files = [one for one in bench.path.rglob("*") if one.is_file() and one.name not in own]
    kept = [one for one in files if not one.name.endswith(".hidden") and "site" not in one.parts]
    return {str(one.relative_to(bench.path)): one.read_bytes() for one in kept}


def found(bench, *texts: str) -> list[str]:
    """Where a secret, or the key, is in a file or in a text."""
    contents = written(bench) | {f"output {number}": text.encode() for number, text in enumerate(texts)}
    secrets = [f"{name}: {secret}" for name, data in contents.items() for secret in SECRETS if secret.encode() in data]
    return secrets + [f"{name}: the key" for name, data in contents.items() if KEY.search(data)]


def test_items_of_a_bundle_have_the_ids_of_task_files(sealed, workers):
    done = sealed.run("--agent=oracle", "--agent=nop", "--netbench-key=owner.key", "-v", "-k", "second", *workers)
    done.assert_outcomes(passed=1, failed=1)
    ids = {one["node_id"] for one in sealed.results()}
    assert ids == {"tasks/held-out.sealed::second[oracle]", "tasks/held-out.sealed::second[nop]"}
    again = sealed.pytester.runpytest_subprocess(
        "tasks/held-out.sealed::first[nop]", "--agent=nop", "--netbench-key=owner.key"
    )
    again.assert_outcomes(failed=1)


def test_no_file_of_a_run_has_the_truth(sealed, monkeypatch):
    verbose = ("-vv", "-l", "--tb=long", "-rA", "--full-trace", "--junitxml=junit.xml", "-ojunit_logging=all")
    options = ("--netbench-results=out", "--netbench-save-baseline=base.jsonl", "--netbench-html=page.html")
    exports = ("--netbench-ctrf=ctrf.json", "--netbench-otel=spans.jsonl", "--netbench-otel-content")
    monkeypatch.setenv("GITHUB_ACTIONS", "true")
    agents = ("oracle", "nop", "spy:Chatty", "spy:Crashes", "mine:LabDies")
    done = sealed.run(
        *(f"--agent={one}" for one in agents),
        "--netbench-key=owner.key",
        *verbose,
        *options,
        *exports,
        "-n2",
        timeout=200,
    )
    done.assert_outcomes(passed=2, failed=6, errors=2)
    files = written(sealed)
    assert {"junit.xml", "page.html", "base.jsonl", "ctrf.json", "spans.jsonl", "out/results.jsonl"} <= files.keys()
    assert any(name.startswith(".pytest_cache") for name in files)
    assert found(sealed, done.stdout.str(), done.stderr.str()) == []
    assert sum(name.startswith("out/sealed/") for name in files) == 10
    assert "reasons are sealed" in done.stdout.str()


def test_the_search_for_secrets_finds_them_in_a_run_of_task_files(sealed):
    for file in sealed.path.rglob("*.hidden"):
        file.rename(sealed.path / "tasks" / file.name.removesuffix(".hidden"))
    sealed.run("--agent=oracle", "--netbench-results=out")
    hits = {one.partition(": ")[2] for one in found(sealed) if one.startswith("out/")}
    assert set(SECRETS) <= hits


def test_the_owner_unseals_the_results_and_scores_them_again(sealed):
    verbose = ("-vv", "-l", "--tb=long", "--netbench-results=out")
    alone = sealed.run("--agent=oracle", "--agent=nop", "--netbench-key=owner.key", *verbose)
    assert found(sealed, alone.stdout.str()) == []
    refused = sealed.netbench("rescore", "out")
    assert refused.returncode == 1
    assert "sealed" in refused.stdout
    done = sealed.netbench("unseal", "out", "-o", "plain", "--key", "owner.key")
    assert done.returncode == 0, done.stderr
    lines = [json.loads(line) for line in (sealed.path / "plain" / "results.jsonl").read_text().splitlines()]
    assert {one["task_name"] for one in lines} == {"Quagga"}
    assert any("secret-route" in str(one["testcase_results"]) for one in lines)
    assert sealed.netbench("rescore", "plain").returncode == 0


def test_a_resumed_run_knows_what_was_done(sealed):
    key = "--netbench-key=owner.key"
    sealed.run("--agent=oracle", key, "-k", "first", "--netbench-results=out")
    done = sealed.run("--agent=oracle", key, "--netbench-resume=out")
    done.assert_outcomes(passed=1, deselected=1)


def test_without_the_key_tasks_are_skipped(sealed):
    done = sealed.run("--agent=oracle")
    done.assert_outcomes(skipped=2)
    done.stdout.fnmatch_lines(
        ["*2 tasks skipped: sealed tasks: give their key with --netbench-key=FILE or NETBENCH_KEY"]
    )


def test_the_key_may_come_from_the_environment_and_no_process_inherits_it(sealed, monkeypatch):
    text = (sealed.path / "owner.key").read_text().splitlines()[-1]
    monkeypatch.setenv("NETBENCH_KEY", text)
    (sealed.path / "looks.py").write_text(
        "import os, subprocess\n"
        "from pytest_netbench.model.trial import AgentInfo, Submission\n"
        "class Looks:\n"
        "    info = AgentInfo(id='looks', strategy='own')\n"
        "    def run(self, brief, ani):\n"
        "        seen = subprocess.run(['env'], capture_output=True, text=True).stdout\n"
        "        open('seen.txt', 'w').write(seen)\n"
        "        return Submission()\n"
    )
    done = sealed.run("--agent=looks:Looks", "-k", "first", "-n1")
    done.assert_outcomes(failed=1)
    assert "netbench-key" not in (sealed.path / "seen.txt").read_text()
    assert os.environ["NETBENCH_KEY"] == text


def test_a_wrong_key_is_a_usage_error(sealed):
    (sealed.path / "t").mkdir()
    (sealed.path / "second.task.yaml.hidden").rename(sealed.path / "t" / "other.task.yaml")
    assert sealed.netbench("seal", "t", "-o", "o.sealed", "--new-key", "wrong.key").returncode == 0
    done = sealed.pytester.runpytest_subprocess("held-out.sealed", "--agent=oracle", "--netbench-key=wrong.key")
    assert done.ret == pytest.ExitCode.USAGE_ERROR
    done.stderr.fnmatch_lines(["*held-out.sealed: sealed with the key *, not with *"])
    in_folder = sealed.run("--agent=oracle", "--netbench-key=wrong.key")
    in_folder.assert_outcomes(skipped=2)


def test_what_is_no_key_is_a_usage_error_that_does_not_show_it(sealed):
    (sealed.path / "bad.key").write_text("netbench-key-1:hunter2\n")
    done = sealed.run("--agent=oracle", "--netbench-key=bad.key")
    assert done.ret == pytest.ExitCode.USAGE_ERROR
    assert "hunter2" not in done.stderr.str()
    done.stderr.fnmatch_lines(["*bad.key: not a key of sealed tasks*"])


def test_a_changed_bundle_fails_and_is_named(sealed):
    path = sealed.path / "tasks" / "held-out.sealed"
    lines = path.read_bytes().split(b"\n")
    lines[2] = lines[2][:40] + (b"A" if lines[2][40:41] != b"A" else b"B") + lines[2][41:]
    path.write_bytes(b"\n".join(lines))
    done = sealed.run("--agent=oracle")
    done.assert_outcomes(errors=1)
    done.stdout.fnmatch_lines(["*held-out.sealed: was changed: task second*"])


@pytest.mark.parametrize("option", ["--netbench-selftest", "--netbench-variant=1", "--netbench-record=tapes"])
def test_what_would_write_the_truth_is_refused(sealed, option):
    agent = () if option.endswith("selftest") else ("--agent=spy:Chatty",)
    done = sealed.run(option, *agent, "--netbench-key=owner.key")
    done.assert_outcomes(errors=2)
    done.stdout.fnmatch_lines(["*unseal the tasks first*"])
    assert found(sealed, done.stdout.str()) == []


def test_sealed_results_are_merged_without_the_key_and_unsealed_from_the_merge(sealed):
    folder = sealed.path
    for shard in ("1", "2"):
        options = ("--agent=oracle", "--agent=nop", "--netbench-key=owner.key", f"--netbench-shard={shard}/2")
        sealed.run("-q", *options, f"--netbench-results=s{shard}")
    assert len(json.loads((folder / "s1" / "shard.json").read_text())["partition"]["items"]) == 4
    for name in ("s1", "s2"):
        assert not [word for word in SECRETS if word in (folder / name / "shard.json").read_text()]
    done = sealed.netbench("merge", "s1", "s2", "-o", "merged")
    assert (done.returncode, done.stderr) == (0, ""), done.stdout
    for path in (folder / "merged").rglob("*"):
        if path.is_file():
            assert not [word for word in SECRETS if word in path.read_text()], path
    cases = ET.parse(folder / "merged" / "junit.xml").getroot().iter("testcase")
    failures = [str(one.get("message")) for case in cases for one in case.iter("failure")]
    assert len(failures) == 2
    assert all("the reasons are sealed, as the task is" in one for one in failures)
    done = sealed.netbench("unseal", "merged", "-o", "open", "--key", "owner.key")
    assert (done.returncode, done.stderr) == (0, ""), done.stdout
    assert {one["task_name"] for one in sealed.results("open")} == {"Quagga"}
