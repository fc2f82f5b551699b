"""Exported tasks in Harbor itself, in containers: its lint and its oracle, and an agent that looks for what judges it.

That all families can be exported is tested without containers, see ``test_harbor_rootless.py``.
"""

from __future__ import annotations

import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from pytest_netbench.cli.main import main
from pytest_netbench.exports.harbor.layout import folder_of
from pytest_netbench.faults.reasoning import repairs
from pytest_netbench.generators.series import read_series
from pytest_netbench.model.task import Task
from pytest_netbench.taskfile import load_task
from tests.integration.engine import Engine
from tests.integration.harbor import COMPOSE, HARBOR, Harbor
from tests.integration.images import ROOT

FILE = "tasks/security/nat-port-forward.task.yaml"
DRAWN = "diagnose:n=1,seed=7,level=1,size=1,hosts=1,shapes=line,healthy=0"
# an installed agent of Harbor that runs a script of the test in the agent's container, as the agent's user
SEARCHING = """
from harbor.agents.base import BaseAgent
from harbor.agents.capabilities import AgentCapabilities

class Searching(BaseAgent):
    capabilities = AgentCapabilities(mcp_servers=True)

    @staticmethod
    def name():
        return "searching"

    def version(self):
        return "1"

    async def setup(self, environment):
        pass

    async def run(self, instruction, environment, context):
        done = await environment.exec(command=open(SCRIPT).read(), timeout_sec=300)
        open(SEEN, "w").write(f"{done.stdout}\\n{done.stderr}")
"""

SEARCH = r"""
id -un; echo FOUND
printf '%s\n' WORDS >/tmp/words
for place in / /usr/local; do
    grep -rlFf /tmp/words $place --exclude=words --exclude-dir=proc --exclude-dir=sys --exclude-dir=usr 2>/dev/null
done
grep -laFf /tmp/words /proc/[0-9]*/cmdline /proc/[0-9]*/environ 2>/dev/null
ls /tests /solution /lab/ /opt/netbench /home/netbench 2>/dev/null
for process in /proc/[0-9]*; do
    ls $process/root/lab/ 2>/dev/null | grep task.json
done
env | grep -i -e truth -e checks
python3 -c 'import socket, sys, os; host = os.environ["NETBENCH_LAB"].split("/")[2].split(":")[0]
print(socket.gethostbyaddr(socket.gethostbyname(host)))' 2>/dev/null | grep -i -F LABEL
echo END
echo '{"task": {}}' >/tmp/own.json; ani check /tmp/own.json; ani check-by-key $(printf %064d 0)
for path in / /lab/task.task.json /tests/checks.json /checks; do
    curl -s -o /dev/null -w '%{http_code} ' "$NETBENCH_LAB$path"
done
echo; (echo x >>/usr/local/bin/ani) 2>/dev/null || echo ani is unchanged
for place in /usr/bin /usr/local/bin /tests /run /run/netbench /lab; do [ ! -w $place ] || echo may write $place; done
mkdir -p /run/netbench 2>/dev/null && echo '{"reward": 1}' >/run/netbench/rewards.json
client='{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"x","version":"1"}}'
curl -s -m 20 ${NETBENCH_LAB%:*}:7071/mcp -H 'Content-Type: application/json' \
    -H 'Accept: application/json, text/event-stream' \
    -d "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"initialize\",\"params\":$client}" | grep -o serverInfo
command -v ssh; ani logins | grep -c '"host": "'
"""

Export = Callable[..., Path]


@pytest.fixture(scope="module")
def harbor(docker: Engine, obtain, tmp_path_factory: pytest.TempPathFactory) -> Harbor:
    return Harbor.beside(docker, obtain(HARBOR), obtain(COMPOSE), tmp_path_factory.mktemp("harbor"))


@pytest.fixture(scope="module")
def drawn() -> Task:
    (source,) = read_series(DRAWN).sources()
    return source.load()


@pytest.fixture(scope="module")
def datasets(netbench: str, tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """By layout: two tasks."""
    found = {}
    images = ["--lab-image", netbench, "--agent-image", f"{netbench}-agent"]
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(ROOT)
        for layout in ("compose", "single"):
            found[layout] = tmp_path_factory.mktemp(layout) / "networks"
            words = [FILE, "--generate", DRAWN, "--layout", layout, *images, "-o", str(found[layout])]
            assert main(["export", "harbor", *words]) == 0
    return found


def rights(dataset: Path) -> list[str]:
    """The options with which its tasks run."""
    file = dataset / "rights.yaml"
    return ["--extra-docker-compose", str(file)] if file.exists() else []


def test_harbors_lint_finds_nothing(harbor, datasets):
    folders = [path for dataset in datasets.values() for path in dataset.iterdir() if path.is_dir()]
    assert len(folders) == 4
    assert harbor.run("lint", *folders).strip() == "status 0"


def test_digests_are_those_of_harbors_packager(harbor, datasets):
    code = (
        "import sys, tomllib; from pathlib import Path; from harbor.publisher.packager import Packager;"
        "from harbor.models.dataset.manifest import DatasetManifest as M; folder = Path(sys.argv[1]);"
        "found = M.from_toml_file(folder / 'dataset.toml').tasks; print(len(found), all(t.digest =="
        " 'sha256:' + Packager.compute_content_hash(folder / t.name.split('/')[1])[0] for t in found))"
    )
    for dataset in datasets.values():
        words = [harbor.python, "-c", code, dataset]
        done = subprocess.run(words, capture_output=True, text=True, check=False)
        assert done.stdout.split() == ["2", "True"], done.stderr


def test_harbors_oracle_gets_all_of_both_tasks(docker, harbor, datasets, drawn):
    rewards = harbor.rewards(datasets["compose"], "--agent", "oracle")
    assert rewards.keys() == {"nat-port-forward", folder_of(drawn)}
    assert all(one["reward"] == 1.0 for one in rewards.values())
    assert rewards["nat-port-forward"]["testcase"] == rewards[folder_of(drawn)]["root_cause"] == 1.0
    assert docker.run("ps", "-aq") == ""


def test_harbors_oracle_gets_all_in_a_single_container(docker, harbor, datasets, drawn):
    folder = datasets["single"] / folder_of(drawn)
    rewards = harbor.rewards(folder, "--agent", "oracle", *rights(datasets["single"]))
    assert rewards[folder_of(drawn)]["reward"] == rewards[folder_of(drawn)]["root_cause"] == 1.0
    assert docker.run("ps", "-aq") == ""


@pytest.mark.parametrize("layout", ["compose", "single"])
def test_an_agent_finds_neither_truth_nor_checks_and_cannot_be_judged_by_its_own(
    harbor, datasets, drawn, tmp_path, layout
):
    script, seen = tmp_path / "script.sh", tmp_path / "seen"
    configs = load_task(ROOT / FILE).payload.ground_truth_configs
    secrets = [*(line for lines in configs.values() for line in lines), *(one.fault for one in drawn.payload.faults)]
    secrets += [line for _, _, lines in repairs(drawn.payload.faults) for line in lines]
    # put together here, so that the search does not find itself
    words = " ".join(f"'{line[:7]}''{line[7:]}'" for line in secrets if len(line) > 8 and "'" not in line)
    script.write_text(SEARCH.replace("WORDS", words).replace("LABEL", drawn.drawn.label))
    package = tmp_path / "package"
    package.mkdir()
    (package / "searching.py").write_text(f"SCRIPT, SEEN = {str(script)!r}, {str(seen)!r}\n{SEARCHING}")
    folder = datasets[layout] / folder_of(drawn)
    rewards = harbor.rewards(folder, "--agent", "searching:Searching", *rights(datasets[layout]), packages=package)
    told = seen.read_text()
    assert rewards[folder_of(drawn)]["reward"] == 0.0, told
    assert told.startswith("agent\nFOUND\nEND\n"), told
    assert told.count("these are not the checks of this task") == 2
    assert "404 404 404 404 " in told
    assert "ani is unchanged\n" in told, told
    assert "may write" not in told
    assert "\nserverInfo\n/usr/bin/ssh\n" in told, told
    assert int(told.partition("/usr/bin/ssh\n")[2].split()[0]) > 0, "logins"
