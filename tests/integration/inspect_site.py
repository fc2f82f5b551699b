"""Inspect in an environment of its own, with the wheel of this checkout in it."""

from __future__ import annotations

import hashlib
import json
import math
import os
import subprocess
import sys
import tomllib
import venv
import zipfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from tests.support.openai_server import OpenAIServer
from tests.support.programs import Build, Program

ROOT: Final = Path(__file__).parents[2]
INSPECT: Final = "0.3.285"
_PROJECT: Final = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
_NEEDED: Final = (
    *_PROJECT["dependencies"],
    *(one for extra in ("llm", "plan") for one in _PROJECT["optional-dependencies"][extra]),
)
_DIGEST: Final = hashlib.sha256("\n".join(_NEEDED).encode()).hexdigest()[:8]
_READ: Final = """
import sys
from inspect_ai.log import read_eval_log
for log in sys.argv[1:]:
    print(read_eval_log(log).model_dump_json(exclude_none=True))
"""
PROVIDER: Final = "openai-api/scripted"
"""Inspect's provider of servers that speak OpenAI's protocol; models of a script are `…/scripted/NAME`."""


def _make(build: Build) -> None:
    build.run(sys.executable, "-m", "venv", build.folder / "venv")
    wanted = (f"inspect_ai=={INSPECT}", "openai", "huggingface_hub>=1", "datasets", *_NEEDED)
    build.run(build.folder / "venv/bin/pip", "install", "-q", *wanted)


PROGRAM: Final = Program(name="inspect", version=f"{INSPECT}-{_DIGEST}", make=_make, within_s=900)


@dataclass(frozen=True)
class Done:
    """A command that has ended."""

    status: int
    output: str


@dataclass(frozen=True)
class Site:
    """An environment with Inspect and this package, and a folder that commands run in."""

    python: Path
    folder: Path

    @property
    def logs(self) -> Path:
        """Where logs are written."""
        return self.folder / "logs"

    def environment(self, server: OpenAIServer | None = None, **more: str) -> dict[str, str]:
        """Variables of a command: nothing of this process's tests, and the server as a provider."""
        clean = {name: value for name, value in os.environ.items() if not name.startswith(("PYTEST", "PYTHON", "COV"))}
        told = {"INSPECT_LOG_DIR": str(self.logs), "INSPECT_DISPLAY": "plain", "COLUMNS": "200", **more}
        if server is not None:
            told |= {"SCRIPTED_API_KEY": "key-of-the-test-server", "SCRIPTED_BASE_URL": server.url}
        return clean | told

    def command(self, *argv: str) -> list[str]:
        """The command line of Inspect."""
        return [str(self.python), "-m", "inspect_ai", *argv]

    def inspect(self, *argv: str, server: OpenAIServer | None = None, within_s: float = 600, **more: str) -> Done:
        """Run a command of Inspect to its end."""
        done = subprocess.run(
            self.command(*argv),
            cwd=self.folder,
            env=self.environment(server, **more),
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            timeout=within_s,
            check=False,
        )
        return Done(done.returncode, done.stdout)

    def evaluate(self, *argv: str, server: OpenAIServer, model: str = "m", **more: str) -> dict[str, Any]:
        """Evaluate one task; its log."""
        before = set(self.log_files())
        done = self.inspect("eval", *argv, f"--model={PROVIDER}/{model}", server=server, **more)
        new = sorted(set(self.log_files()) - before)
        assert len(new) == 1, done.output
        return self.read(new[0]) | {"output": done.output, "file": str(new[0])}

    def log_files(self) -> list[Path]:
        """All logs, the oldest first."""
        return sorted(self.logs.glob("*.eval"))

    def read(self, log: Path) -> dict[str, Any]:
        """A log."""
        (read,) = self.read_all([log])
        return read

    def read_all(self, logs: Sequence[Path]) -> list[dict[str, Any]]:
        """Logs, as JSON."""
        argv = [self.python, "-c", _READ, *logs]
        done = subprocess.run(argv, env=self.environment(), capture_output=True, check=True)
        return [json.loads(line) for line in done.stdout.splitlines()]


def site_of(program: Path, folder: Path) -> Site:
    """Make an environment that borrows what was installed for Inspect, and has this checkout's wheel."""
    dist = folder / "dist"
    subprocess.run([sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", dist], cwd=ROOT, check=True)
    (wheel,) = dist.glob("*.whl")
    home = folder / "venv"
    venv.create(home, with_pip=False, symlinks=True)
    (packages,) = home.glob("lib/python*/site-packages")
    (borrowed,) = (program / "venv").glob("lib/python*/site-packages")
    (packages / "borrowed.pth").write_text(f"{borrowed}\n")
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(packages)
    work = folder / "work"
    work.mkdir()
    return Site(home / "bin/python", work)


@contextmanager
def running(site: Site, *argv: str, server: OpenAIServer) -> Iterator[subprocess.Popen[str]]:
    """A command of Inspect, which is killed at the end of the block if it still runs."""
    process = subprocess.Popen(
        site.command(*argv),
        cwd=site.folder,
        env=site.environment(server),
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
    try:
        yield process
    finally:
        process.kill()
        process.communicate()


def scores_in(sample: Mapping[str, Any]) -> dict[str, float | str | None]:
    """The scores of a sample by name; ``None`` is unscored."""
    values = {name: score["value"] for name, score in (sample.get("scores") or {}).items()}
    return {name: None if isinstance(value, float) and math.isnan(value) else value for name, value in values.items()}
