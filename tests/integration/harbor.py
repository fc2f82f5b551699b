"""Harbor itself, with the plug-in of Docker that it needs, in an environment of its own: it wants a newer Python."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from tests.integration.engine import Engine
from tests.support.programs import Build, NotToBeHad, Program

VERSION = "0.26.0"
_COMPOSE = "2.40.3"
_MODULE = f"github.com/docker/compose/v2@v{_COMPOSE}"
_NO_PULL = {"LITELLM_LOCAL_MODEL_COST_MAP": "True"}


def python() -> str:
    """A Python that is new enough for Harbor.

    Raises:
        NotToBeHad: There is none.
    """
    on_path = [found for name in ("python3.13", "python3.12") if (found := shutil.which(name))]
    # what pyenv puts on the PATH runs only where its version is chosen
    by_pyenv = sorted(map(str, (Path.home() / ".pyenv/versions").glob("3.1[2-9].*/bin/python")))
    for found in (*on_path, *by_pyenv):
        if subprocess.run([found, "--version"], capture_output=True, check=False).returncode == 0:
            return found
    raise NotToBeHad("harbor needs Python 3.12 or newer, and there is none")


def _make_harbor(build: Build) -> None:
    build.run(python(), "-m", "venv", build.folder / "venv")
    build.run(build.folder / "venv/bin/pip", "install", "-q", f"harbor=={VERSION}")


def _make_compose(build: Build) -> None:
    # its go.mod has exclude directives, which `go install` refuses, and lies in the read-only cache of modules
    source = Path(json.loads(build.run("go", "mod", "download", "-json", _MODULE))["Dir"])
    for name in ("go.mod", "go.sum"):
        (build.folder / name).write_bytes((source / name).read_bytes())
    flags = f"-s -w -X github.com/docker/compose/v2/internal.Version=v{_COMPOSE}"
    target = build.folder / "cli-plugins/docker-compose"
    mod = ("-mod=mod", "-modfile", build.folder / "go.mod")
    build.run("go", "-C", source, "build", *mod, "-trimpath", "-ldflags", flags, "-o", target, "./cmd")


HARBOR = Program(name="harbor", version=VERSION, make=_make_harbor, within_s=900)
COMPOSE = Program(
    name="docker-compose",
    version=_COMPOSE,
    make=_make_compose,
    needs={"go": "https://go.dev/doc/install"},
    within_s=1500,
)


class Harbor:
    """Runs Harbor's commands.

    Args:
        program: The folder of ``HARBOR``.
        folder: For jobs.
        variables: Its environment, beside this one.
    """

    def __init__(self, program: Path, folder: Path, variables: Mapping[str, str]) -> None:
        self._command = str(program / "venv/bin/harbor")
        self._variables = {**_NO_PULL, **variables}
        self._folder = folder

    @classmethod
    def beside(cls, engine: Engine, program: Path, plugins: Path, folder: Path) -> Harbor:
        """One whose containers run on ``engine``; ``plugins`` is the folder of ``COMPOSE``."""
        # Debian's docker.io has no plugin for the newer builder
        own = {"DOCKER_CONFIG": str(plugins), "DOCKER_BUILDKIT": "0"}
        return cls(program, folder, {**engine.environment, **own})

    @property
    def python(self) -> Path:
        """The interpreter of its environment."""
        return Path(self._command).with_name("python")

    def run(self, *words: str | Path, timeout_s: float = 900, packages: Path | None = None) -> str:
        """What a command prints, with its exit status at the end. ``packages`` is a folder of modules for it."""
        found = {} if packages is None else {"PYTHONPATH": str(packages)}
        done = subprocess.run(
            [self._command, *map(str, words)],
            cwd=self._folder,
            env={**os.environ, **self._variables, **found, "COLUMNS": "200"},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            timeout=timeout_s,
            check=False,
        )
        return f"{done.stdout}\nstatus {done.returncode}"

    def rewards(self, tasks: Path, *words: str, packages: Path | None = None) -> dict[str, dict[str, Any]]:
        """By the name of its task, the rewards of each trial of a job, two at a time."""
        jobs = self._folder / f"jobs-{len(list(self._folder.iterdir()))}"
        asked = ("--path", tasks, "-o", jobs, "-n", "2", "--yes", "--quiet", *words)
        shown = self.run("run", *asked, packages=packages)
        found = {
            path.parent.parent.name.rpartition("__")[0]: json.loads(path.read_text())
            for path in jobs.glob("*/*/verifier/reward.json")
        }
        assert found, shown[-3000:]
        return found
