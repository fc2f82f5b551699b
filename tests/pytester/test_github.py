"""What is printed on GitHub Actions: annotations of ours, and none that an agent or a device makes."""

from __future__ import annotations

import pytest

from tests.support.github import commands

HOSTILE = '''
import logging
from pytest_netbench.errors import AgentError
from pytest_netbench.model.trial import AgentInfo, Submission

TEXT = """::stop-commands::mine
::add-mask::e
 ::error file=secret.py,line=1::the reviewer is wrong
%0A::warning::x ##[group]all
::group::hidden"""


class Base:
    @property
    def info(self):
        return AgentInfo(id=f"hostile.{type(self).__name__}", strategy="own")


class Prints(Base):
    def run(self, brief, ani):
        print(TEXT)
        logging.getLogger().warning("%s", TEXT)
        ani.update_cfg("edge", [TEXT])
        return Submission(reasoning=TEXT)


class Fails(Base):
    def run(self, brief, ani):
        raise AgentError(TEXT)


class Breaks(Base):
    def run(self, brief, ani):
        raise ValueError(TEXT)
'''


@pytest.fixture
def on_github(bench, monkeypatch):
    monkeypatch.setenv("GITHUB_ACTIONS", "true")
    monkeypatch.setenv("GITHUB_WORKSPACE", str(bench.path))
    (bench.path / "hostile.py").write_text(HOSTILE)
    return bench


def test_an_agent_can_make_no_command_and_what_failed_is_annotated(on_github, workers):
    on_github.task("reach")
    agents = [f"--agent=hostile:{name}" for name in ("Prints", "Fails", "Breaks")]
    ended = on_github.run(*agents, "--agent=mine:NotPrepared", "--agent=oracle", "-rA", "-vv", *workers, timeout=240)
    ended.assert_outcomes(passed=1, failed=3, errors=1)
    found = commands(ended.stdout.str() + "\n" + ended.stderr.str())
    assert [one.name for one in found] == ["error"] * 4
    assert {one.properties["title"] for one in found} == {
        "reach[hostile.Prints]: failed",
        "reach[hostile.Fails]: failed",
        "reach[hostile.Breaks]: failed",
        "reach[mine.NotPrepared]: infrastructure error",
    }
    assert {(one.properties["file"], one.properties["line"]) for one in found} == {
        ("tasks/access/reach.task.yaml", "1")
    }
    said = {one.properties["title"]: one.data for one in found}
    assert "2 of 3 testcases failed" in said["reach[hostile.Prints]: failed"]
    assert "stop-commands" in said["reach[hostile.Fails]: failed"]
    assert r"\x3a:stop-commands::mine" in ended.stdout.str(), "what was printed is there to read"


def test_the_line_of_a_wrong_task_file_is_annotated_and_their_number_is_bounded(on_github):
    path = on_github.task("wrong")
    path.write_text("# one\n# two\nno_such_key: 1\n" + path.read_text())
    for number in range(12):
        on_github.task(f"t{number:02}")
    found = commands(on_github.run("--agent=nop", "--tb=no", "-q", timeout=240).stdout.str())
    assert [one.name for one in found] == ["error"] * 10 + ["notice"]
    assert found[-1].data == "3 more items did not pass"
    (only,) = commands(on_github.run("--agent=nop", "-q", "-k", "wrong").stdout.str())
    assert (only.properties["file"], only.properties["line"]) == ("tasks/access/wrong.task.yaml", "3")
    assert "no_such_key" in only.data


def test_with_a_gate_failed_trials_are_warnings(on_github):
    for name in ("a", "b"):
        on_github.task(name)
    assert on_github.run("--agent=oracle", "--netbench-save-baseline=b.json").ret == 0
    ended = on_github.run("--agent=oracle", "--netbench-baseline=b.json")
    assert commands(ended.stdout.str()) == []
    text = (on_github.path / "b.json").read_text().replace('"oracle"', '"nop"')
    (on_github.path / "b.json").write_text(text.replace("[oracle]", "[nop]"))
    found = commands(on_github.run("--agent=nop", "--netbench-baseline=b.json").stdout.str())
    assert [one.name for one in found].count("warning") == 2
    assert all(one.name == "warning" or one.properties["title"] == "netbench gate" for one in found)


def test_elsewhere_nothing_is_annotated(bench, monkeypatch):
    monkeypatch.delenv("GITHUB_ACTIONS", raising=False)
    bench.task("reach")
    assert commands(bench.run("--agent=nop").stdout.str()) == []
