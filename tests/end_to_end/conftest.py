"""A folder as a user has it, with tasks and agents in it, and real `pytest` on real labs."""

from __future__ import annotations

import fcntl
import json
import os
import pickle
import subprocess
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any
from xml.etree import ElementTree as ET

import pytest
import yaml

from tests.support.cable import namespaces_work

HERE = Path(__file__).parent
REPOSITORY = HERE.parents[1]


@dataclass(frozen=True)
class Ended:
    """A command that has ended."""

    code: int
    out: str
    folder: Path

    @property
    def results(self) -> dict[str, dict[str, Any]]:
        """Merged results by the last part of their node ids."""
        lines = (self.folder / "out" / "results.jsonl").read_text(encoding="utf-8").splitlines()
        return {one["node_id"].partition("::")[2]: one for one in map(json.loads, lines)}

    def of(self, agent: str) -> dict[str, Any]:
        """The only result of ``agent``."""
        (found,) = [one for one in self.results.values() if one["agent"]["id"] == agent]
        return found

    def transcript(self, agent: str) -> dict[str, Any]:
        return json.loads((self.folder / "out" / self.of(agent)["transcript"]).read_text(encoding="utf-8"))

    @cached_property
    def junit(self) -> dict[str, ET.Element]:
        """JUnit's test cases by name."""
        return {case.get("name", ""): case for case in ET.parse(self.folder / "junit.xml").iter("testcase")}

    @property
    def last_line(self) -> str:
        return self.out.strip().splitlines()[-1].strip("= ")


def scores(result: Mapping[str, Any]) -> dict[str, float | None]:
    """Value by metric."""
    return {score["metric"]: score["value"] for score in result["scores"]}


class Bench:
    """A folder of somebody who evaluates agents."""

    def __init__(self, path: Path) -> None:
        self.path = path
        path.mkdir(parents=True, exist_ok=True)
        (path / "pytest.ini").write_text("[pytest]\naddopts = --strict-markers --strict-config\n")

    def write(self, name: str, text: str) -> Path:
        file = self.path / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8")
        return file

    def task(self, slug: str = "two-sites", **changes: object) -> Path:
        """The task of the two sites under another name, with other fields; ``None`` takes one away."""
        fields = yaml.safe_load((HERE / "two-sites.yaml").read_text())
        fields = {name: value for name, value in {**fields, **changes}.items() if value is not None}
        return self.write(f"tasks/routing/{slug}.task.yaml", yaml.safe_dump(fields, sort_keys=False))

    def agent(self, name: str, **fields: object) -> str:
        """An agent file for the test server's model of that name; returns the option that chooses it."""
        retries = {"attempts": 2, "first_wait_s": 0.01, "longest_wait_s": 1}
        data = {"model": f"openai/{name}", "strategy": "react", "retries": retries, **fields}
        self.write(f"agents/{name}.agent.yaml", yaml.safe_dump(data))
        return f"--agent={name}"

    def environment(self, extra: Mapping[str, str] | None = None) -> dict[str, str]:
        kept = {
            name: os.environ[name] for name in ("PATH", "HOME", "LANG", "USER", "XDG_CACHE_HOME") if name in os.environ
        }
        return {**kept, "PYTHONPATH": str(REPOSITORY), "COLUMNS": "200", **(extra or {})}

    def run(self, *argv: str, env: Mapping[str, str] | None = None, timeout: float = 400) -> Ended:
        """Run a command in this folder."""
        done = subprocess.run(
            argv,
            cwd=self.path,
            env=self.environment(env),
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            timeout=timeout,
            check=False,
        )
        self.write("output.txt", done.stdout)
        return Ended(done.returncode, done.stdout, self.path)

    def pytest(self, *arguments: str, env: Mapping[str, str] | None = None, timeout: float = 400) -> Ended:
        """Run pytest as a user does, results in ``out`` and JUnit in ``junit.xml``."""
        argv = [sys.executable, "-m", "pytest", "--netbench-results=out", "--junitxml=junit.xml", *arguments]
        return self.run(*argv, env=env, timeout=timeout)

    def netbench(self, *arguments: str, env: Mapping[str, str] | None = None) -> Ended:
        """Run the command ``netbench``."""
        code = "import sys; from pytest_netbench.cli.main import main; sys.exit(main())"
        return self.run(sys.executable, "-c", code, *arguments, env=env)


@pytest.fixture(autouse=True, scope="session")
def _labs_work() -> None:
    if not namespaces_work():
        pytest.skip("needs user namespaces (fix: netbench doctor says how)")


@pytest.fixture
def bench(tmp_path: Path) -> Bench:
    return Bench(tmp_path / "bench")


@pytest.fixture(scope="session")
def once(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str, Callable[[Path], Any]], Any]:
    """Make something expensive once per run, whichever of xdist's workers comes first."""
    base = tmp_path_factory.getbasetemp()
    shared = base.parent if "PYTEST_XDIST_WORKER" in os.environ else base

    def get(name: str, make: Callable[[Path], Any]) -> Any:
        folder = shared / f"once-{name}"
        folder.mkdir(exist_ok=True)
        kept = folder / "made.pickle"
        with (folder / "lock").open("w") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            if not kept.exists():
                kept.write_bytes(pickle.dumps(make(folder / "bench")))
            return pickle.loads(kept.read_bytes())

    return get
