"""``--netbench-ssh``, ``access: ssh`` and ``extras: [search-manual]``: the brief, the counts and the results."""

from __future__ import annotations

import pytest

AGENTS = '''
import asyncio, json
from pathlib import Path
import asyncssh
from pytest_netbench.errors import AgentError, AniError
from pytest_netbench.model.trial import AgentInfo, Submission


class Base:
    @property
    def info(self):
        return AgentInfo(id="mine", strategy="own")


class Typist(Base):
    """Solves the task by what it types at the edge, as the inventory says."""

    def run(self, brief, ani):
        if brief.ssh is None:
            raise AgentError("nobody told me a login")
        login = json.loads(Path(brief.ssh.inventory).read_text())["hosts"]["edge"]
        asyncio.run(self._type(login))
        return Submission(reasoning="typed")

    async def _type(self, login):
        wanted = {key: login[key] for key in ("username", "password")} | {"known_hosts": None, "client_keys": None}
        async with asyncssh.connect(login["host"], login["port"], agent_path=None, config=None, **wanted) as connection:
            for line in ("no deny tcp 80 any", "route 10.9.0.0/16 via 10.0.2.10"):
                await connection.run(f"apply {line}")


class Reader(Base):
    """Looks a command up before it uses it."""

    def run(self, brief, ani):
        if "search-manual" not in [method.name for method in brief.methods]:
            raise AgentError("nobody told me of a manual")
        (first, *_) = ani.call("search-manual", {"query": "route to a prefix"})["sections"]
        assert first["title"].startswith("route PREFIX"), first
        ani.update_cfg("edge", ["no deny tcp 80 any", "route 10.9.0.0/16 via 10.0.2.10"])
        return Submission(reasoning="read")
'''


@pytest.fixture
def typist(bench):
    """The bench with these agents, and one task."""
    bench.task("reach")
    (bench.path / "typing_agents.py").write_text(AGENTS)
    return bench


def agent_file(bench, name: str, text: str) -> None:
    folder = bench.path / "agents"
    folder.mkdir(exist_ok=True)
    (folder / f"{name}.agent.yaml").write_text(text)


def test_an_agent_that_logs_in_solves_its_task(typist, workers):
    result = typist.run("--agent=typing_agents:Typist", "--netbench-ssh", *workers)
    result.assert_outcomes(passed=1)
    (scored,) = typist.results()
    assert scored["extras"] == ["ssh"]
    assert [(one["command"], one["status"]) for one in scored["commands"]] == [
        ("apply no deny tcp 80 any", "success"),
        ("apply route 10.9.0.0/16 via 10.0.2.10", "success"),
    ]
    assert scored["budget_used"]["commands"] == 2


def test_nobody_listens_unless_it_is_asked_for(typist):
    result = typist.run("--agent=typing_agents:Typist")
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(["*nobody told me a login*"])
    assert typist.results()[0]["extras"] == []


def test_an_agent_file_may_ask_for_it(typist):
    agent_file(typist, "typist", "strategy: typing_agents:Typist\naccess: ssh\n")
    typist.run("--agent=typist").assert_outcomes(passed=1)
    (scored,) = typist.results()
    assert scored["extras"] == ["ssh"]
    assert scored["agent"]["settings"]["access"] == "ssh"


def test_a_person_is_told_the_logins_beneath_a_verbose_failure(typist):
    result = typist.run("--agent=nop", "--netbench-ssh", "-v")
    result.stdout.fnmatch_lines(
        [
            "*netbench ssh*",
            "inventory: */inventory.json",
            "edge (memory): ssh -p * netbench@127.0.0.1",
            "password *, enable *",
        ]
    )


def test_nothing_is_left_of_it(typist, tmp_path, monkeypatch):
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    typist.run("--agent=typing_agents:Typist", "--netbench-ssh").assert_outcomes(passed=1)
    assert [path for path in tmp_path.iterdir() if "netbench" in path.name] == []


def test_logins_are_in_no_result(typist):
    result = typist.run("--agent=typing_agents:Typist", "--netbench-ssh", "-rA")
    secret = next(line for line in result.outlines if line.startswith("password ")).split()[1].rstrip(",")
    kept = [path for path in typist.path.glob(".netbench/**/*") if path.is_file()]
    assert kept
    assert [path for path in kept if secret in path.read_text()] == []


def test_without_asyncssh_the_option_names_the_remedy(typist, monkeypatch):
    (typist.path / "site/asyncssh.py").write_text("raise ModuleNotFoundError('no asyncssh')")
    (typist.path / "conftest.py").write_text(
        "import importlib.util\nfind = importlib.util.find_spec\n"
        "importlib.util.find_spec = lambda name, *more: None if name == 'asyncssh' else find(name, *more)\n"
    )
    result = typist.run("--agent=nop", "--netbench-ssh", "-p", "conftest")
    assert result.ret == 4
    result.stderr.fnmatch_lines(["*--netbench-ssh needs asyncssh (fix: pip install 'pytest-netbench[[]ssh[]]')*"])


def test_an_agent_looks_up_what_its_file_lets_it(typist, workers):
    agent_file(typist, "reader", "strategy: typing_agents:Reader\nextras: [search-manual]\n")
    result = typist.run("--agent=reader", *workers)
    result.assert_outcomes(passed=1)
    (scored,) = typist.results()
    assert scored["extras"] == ["search-manual"]
    result.stdout.fnmatch_lines(["agent reader (with search-manual)"])


def test_without_the_extra_the_brief_has_no_manual(typist):
    result = typist.run("--agent=typing_agents:Reader")
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(["*nobody told me of a manual*"])


def test_an_unknown_extra_names_the_known_one(typist):
    agent_file(typist, "reader", "strategy: typing_agents:Reader\nextras: [manual]\n")
    result = typist.run("--agent=reader")
    assert result.ret == 4
    result.stderr.fnmatch_lines(
        ["*reader.agent.yaml:2: extras.0: input should be 'search-manual' or 'get-reachability', not 'manual'*"]
    )
