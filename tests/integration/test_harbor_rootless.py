"""Exported tasks in Harbor without Docker and without root: each family, and what an agent in a box cannot reach.

Two tasks run here, and ten of all families with ``NETBENCH_WHOLE_CORPUS=1``.
"""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from pytest_netbench.cli.main import main
from pytest_netbench.exports.harbor.layout import folder_of
from pytest_netbench.generators.series import read_series
from pytest_netbench.model.task import Task
from pytest_netbench.taskfile import load_task
from pytest_netbench.taskfile.solutions import load_solutions, solutions_path
from tests.integration.harbor import HARBOR, Harbor
from tests.integration.images import ROOT

WHOLE = bool(os.environ.get("NETBENCH_WHOLE_CORPUS"))
FILES = ("security/nat-port-forward", "routing/default-route-for-a-shop")
SERIES = (
    "diagnose:n=2,seed=7,level=1,size=1,hosts=1,shapes=line,healthy=0",
    "repair-routing:n=1,seed=7,level=1",
    "repair-network:n=1,seed=7,level=1",
    "troubleshoot:n=2,seed=7,level=1,size=1,hosts=1,shapes=line,healthy=0",
    "plan:n=2,seed=7",
)
ENVIRONMENT = ("--env", "pytest_netbench.exports.harbor.rootless:Rootless")
AGENT = """
from harbor.agents.base import BaseAgent
from harbor.agents.capabilities import AgentCapabilities

class Scripted(BaseAgent):
    capabilities = AgentCapabilities(mcp_servers=True)

    @staticmethod
    def name():
        return "scripted"

    def version(self):
        return "1"

    async def setup(self, environment):
        pass

    async def run(self, instruction, environment, context):
        done = await environment.exec(command=open(SCRIPT).read(), timeout_sec=300)
        open(SEEN, "w").write(f"{done.stdout}\\n{done.stderr}")
"""
SEARCH = r"""
echo FOUND
printf '%s\n' WORDS >/tmp/words
grep -rlaFf /tmp/words / --exclude=words --exclude-dir=proc --exclude-dir=sys --exclude-dir=usr 2>/dev/null
grep -laFf /tmp/words /proc/[0-9]*/cmdline /proc/[0-9]*/environ 2>/dev/null
find /tests /solution /lab ROOT -mindepth 1 2>/dev/null
env | grep -i -e truth -e checks
echo END
ps ax | grep -v grep | grep -c -e zebra -e "netbench harbor"
(echo x >>/opt/netbench/ani) 2>/dev/null || echo ani is unchanged
(echo x >/usr/x) 2>/dev/null || echo programs are unchanged
ani check-by-key $(printf %064d 0)
curl -s -m 5 http://192.0.2.1/ || echo no way out
mkdir -p /run/netbench; echo '{"reward": 1}' >/run/netbench/rewards.json
ln -s /etc/hostname /logs/agent/link; ln -sfn /root /logs/artifacts
echo x >/logs/verifier/reward.json
nohup sleep 3000 >/dev/null 2>&1 & disown
kill -9 $(pgrep -f box_server) 2>/dev/null
echo still here
"""


@pytest.fixture(scope="module")
def harbor(obtain, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Harbor]:
    variables = {"DOCKER_HOST": "unix:///nonexistent", "TMPDIR": str(tmp_path_factory.mktemp("boxes"))}
    yield Harbor(obtain(HARBOR), tmp_path_factory.mktemp("harbor"), variables)
    assert list(Path(variables["TMPDIR"]).glob("netbench-harbor-*")) == []


@pytest.fixture(scope="module")
def tasks() -> list[Task]:
    files = [load_task(ROOT / f"tasks/{name}.task.yaml") for name in FILES]
    drawn = [source.load() for text in SERIES for source in read_series(text).sources()]
    return [*files, *drawn] if WHOLE else [files[0], drawn[0]]


@pytest.fixture(scope="module")
def dataset(tasks: list[Task], tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("dataset") / "networks"
    files, series = (FILES, SERIES) if WHOLE else (FILES[:1], (SERIES[0].replace("n=2", "n=1"),))
    words = [f"tasks/{name}.task.yaml" for name in files]
    words += [word for text in series for word in ("--generate", text)]
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(ROOT)
        assert main(["export", "harbor", *words, "-o", str(folder)]) == 0
    assert {path.name for path in folder.iterdir() if path.is_dir()} == {folder_of(task) for task in tasks}
    return folder


def rewards(harbor: Harbor, tasks: Path, agent: str, packages: Path = ROOT) -> dict[str, dict[str, float]]:
    own = ("--ek", f"netbench={Path(sys.executable).with_name('netbench')}")
    return harbor.rewards(tasks, *ENVIRONMENT, *own, "--agent", agent, packages=packages)


@pytest.fixture
def scripted(tmp_path: Path):
    """Writes an agent that runs a script in its box; what the script printed is then in ``seen``."""
    (tmp_path / "package").mkdir()
    (tmp_path / "package/pytest_netbench").symlink_to(ROOT / "pytest_netbench")
    own = f"SCRIPT, SEEN = {str(tmp_path / 'script')!r}, {str(tmp_path / 'seen')!r}\n"
    (tmp_path / "package/scripted.py").write_text(own + AGENT)
    return tmp_path


def test_the_oracle_gets_all_of_each_task(harbor, dataset, tasks):
    found = rewards(harbor, dataset, "oracle")
    assert {name: one["reward"] for name, one in found.items()} == {folder_of(task): 1.0 for task in tasks}


# the tests below have agents that do less than right on both tasks
@pytest.mark.skipif(not WHOLE, reason="runs with NETBENCH_WHOLE_CORPUS=1")
def test_the_nop_gets_nothing(harbor, dataset, tasks):
    found = rewards(harbor, dataset, "nop")
    assert {name: one["reward"] for name, one in found.items()} == {folder_of(task): 0.0 for task in tasks}
    _leaves_nothing(dataset)


def _leaves_nothing(dataset: Path) -> None:
    left = subprocess.run(["pgrep", "-f", str(dataset)], capture_output=True, text=True, check=False)
    assert left.stdout == ""


@pytest.mark.parametrize("kind", ["right", "wrong"] if WHOLE else ["wrong"])
def test_a_recorded_solution_is_judged_as_under_pytest(harbor, dataset, tasks, scripted, kind):
    recorded = load_solutions(solutions_path(ROOT / f"tasks/{FILES[0]}.task.yaml", tasks[0].slug), tasks[0])
    calls = []
    for node, commands in getattr(recorded, kind)[0].configs.items():
        calls += [f"ani update-cfg {node} - <<'END'", *commands, "END"]
    (scripted / "script").write_text("\n".join(calls))
    found = rewards(harbor, dataset / folder_of(tasks[0]), "scripted:Scripted", scripted / "package")
    assert found[folder_of(tasks[0])]["reward"] == float(kind == "right"), (scripted / "seen").read_text()


def test_an_agent_in_a_box_finds_no_truth_and_forges_no_reward(harbor, dataset, tasks, scripted):
    drawn = next(task for task in tasks if task.family == "diagnose")
    secrets = [drawn.drawn.label, drawn.slug, *(one.fault for one in drawn.payload.faults), "ground_truth"]
    words = " ".join(f"'{word[:3]}''{word[3:]}'" for word in secrets if len(word) > 4)
    (scripted / "script").write_text(SEARCH.replace("WORDS", words).replace("ROOT", str(ROOT)))
    found = rewards(harbor, dataset / folder_of(drawn), "scripted:Scripted", scripted / "package")
    told = (scripted / "seen").read_text()
    assert told.startswith("FOUND\nEND\n0\nani is unchanged\nprograms are unchanged\n"), told
    assert "these are not the checks of this task" in told
    assert "no way out" in told
    assert found[folder_of(drawn)]["reward"] == 0.0
    assert found[folder_of(drawn)]["detection"] == 0.0
    _leaves_nothing(dataset)


def test_a_task_that_was_not_exported_is_refused(harbor, tmp_path):
    (tmp_path / "other/environment").mkdir(parents=True)
    (tmp_path / "other/tests").mkdir()
    (tmp_path / "other/task.toml").write_text('schema_version = "1.4"\n[task]\nname = "x/other"\n')
    (tmp_path / "other/instruction.md").write_text("x\n")
    (tmp_path / "other/environment/Dockerfile").write_text("FROM scratch\n")
    (tmp_path / "other/tests/test.sh").write_text("#!/bin/sh\n")
    asked = ("run", "--path", tmp_path / "other", "-o", tmp_path / "jobs", "--yes", *ENVIRONMENT, "--agent", "nop")
    shown = harbor.run(*asked, packages=ROOT)
    told = shown + "".join(path.read_text() for path in tmp_path.glob("jobs/**/exception.txt"))
    assert "only tasks of `netbench export harbor` run without Docker" in told
