"""Runs pytest in a folder with tasks for labs in memory."""

from __future__ import annotations

import json
import os
from collections.abc import Sequence
from pathlib import Path

import pytest

from tests.support.memory_backend import JOURNAL
from tests.support.memory_parts import install
from tests.support.memory_tasks import write_task

REPOSITORY = Path(__file__).parents[2]

AGENTS = '''
import os, sys, time
from pytest_netbench.errors import AgentError, LabDied, ProviderError, RequirementMissing, UsageError
from pytest_netbench.model.trial import AgentInfo, Submission


class Base:
    @property
    def info(self):
        return AgentInfo(id=f"mine.{type(self).__name__}", strategy="own")


class Half(Base):
    """Does the first of two things."""

    def run(self, brief, ani):
        ani.update_cfg("edge", ["no deny tcp 80 any"])
        return Submission(reasoning="port 80 was dropped")


class Fails(Base):
    def run(self, brief, ani):
        raise AgentError("I do not understand networks")


class Bug(Base):
    def run(self, brief, ani):
        return {}["nothing"]


class NoProvider(Base):
    def run(self, brief, ani):
        raise ProviderError("openai: 503 after 4 attempts")


class NotPrepared(Base):
    def prepare(self):
        raise ProviderError("openai: 503 after 4 attempts")

    def run(self, brief, ani):
        return Submission()


class ClaimsBrokenLab(Base):
    def run(self, brief, ani):
        raise LabDied("openai: 503 after 4 attempts")


class ClaimsMissing(Base):
    def run(self, brief, ani):
        raise RequirementMissing("openai: 503 after 4 attempts")


class ClaimsInput(Base):
    def run(self, brief, ani):
        raise UsageError("openai: 503 after 4 attempts")


class LabDies(Base):
    def run(self, brief, ani):
        try:
            ani.execute_cmd("edge", "die")
        except Exception:
            pass
        return Submission()


class Hangs(Base):
    def run(self, brief, ani):
        ani.update_cfg("edge", ["no deny tcp 80 any", "route 10.9.0.0/16 via 10.0.2.10"])
        while True:
            time.sleep(0.05)


class Dies(Base):
    def run(self, brief, ani):
        os._exit(9)


class Flaky(Base):
    """Fails once per folder, then succeeds."""

    def run(self, brief, ani):
        if os.path.exists("been-here"):
            ani.update_cfg("edge", ["no deny tcp 80 any", "route 10.9.0.0/16 via 10.0.2.10"])
        else:
            open("been-here", "w").close()
        return Submission()


class Greedy(Base):
    def run(self, brief, ani):
        for _ in range(1000):
            ani.get_topology()
        return Submission()
'''


class Bench:
    """A folder with tasks, and pytest in it."""

    def __init__(self, pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch) -> None:
        self.pytester = pytester
        self.path = pytester.path
        self._journal = self.path / "labs.jsonl"
        site = install(self.path / "site")
        monkeypatch.setenv(
            "PYTHONPATH", os.pathsep.join([str(site), str(REPOSITORY), os.environ.get("PYTHONPATH", "")])
        )
        monkeypatch.setenv(JOURNAL, str(self._journal))
        monkeypatch.setenv("COLUMNS", "200")
        monkeypatch.delenv("PYTEST_XDIST_WORKER", raising=False)
        (self.path / "mine.py").write_text(AGENTS)
        pytester.makeini("[pytest]\naddopts = --strict-markers --strict-config --netbench-backend=memory\n")

    def task(self, slug: str = "reach", *, domain: str = "access", **changes: object) -> Path:
        return write_task(self.path / "tasks" / domain, slug, **changes)

    def run(self, *arguments: str, timeout: float = 60) -> pytest.RunResult:
        return self.pytester.runpytest_subprocess("tasks", *arguments, timeout=timeout)

    def labs(self, event: str = "deploy") -> list[dict[str, object]]:
        if not self._journal.exists():
            return []
        entries = [json.loads(line) for line in self._journal.read_text().splitlines()]
        return [entry for entry in entries if entry["event"] == event]

    def results(self, folder: str | None = None) -> list[dict[str, object]]:
        """Merged results of the one run there was."""
        bases = (
            [self.path / folder]
            if folder
            else [one for one in (self.path / ".netbench").iterdir() if one.name != "cache"]
        )
        assert len(bases) == 1
        text = (bases[0] / "results.jsonl").read_text()
        return [json.loads(line) for line in text.splitlines()]


@pytest.fixture
def bench(pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch) -> Bench:
    return Bench(pytester, monkeypatch)


WORKERS = {"alone": (), "xdist": ("-n2",)}
"""By id: options of a run in one process, and of one distributed to two."""


@pytest.fixture
def workers(request: pytest.FixtureRequest) -> Sequence[str]:
    """Options of a run in one process, or of one distributed to two."""
    return WORKERS[request.param]


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Run a test both ways."""
    if "workers" in metafunc.fixturenames:
        metafunc.parametrize("workers", WORKERS, indirect=True)
