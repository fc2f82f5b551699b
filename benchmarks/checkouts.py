"""Another checkout of this project, or this one: starts its code, runs pytest in it, and reads the results."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final

# Prints names of generators, a digest for each draw, or one draw. Works on every commit that has series.
_DRAW: Final = """
import hashlib, json, sys
from pytest_netbench import parts
if len(sys.argv) == 1:
    sys.exit(print(*parts.names("generators")))
from pytest_netbench.generators.series import read_series
series = read_series(sys.argv[1])
chosen = [int(text) for text in sys.argv[2:]]
for index in chosen or series.indices:
    try:
        task = series.source(index).load()
        form = {"digest": task.digest, **task.model_dump(mode="json", by_alias=True)}
    except Exception as error:
        form = {"error": f"{type(error).__name__}: {error}"}
    text = json.dumps(form)
    print(text if chosen else hashlib.sha256(text.encode()).hexdigest())
"""


class Broken(Exception):
    """A process of a checkout ended without a result."""


class Checkout:
    """A checkout, and how its code is started.

    Args:
        root: Its root directory.
        name: What it is called in messages.
        scratch: An empty folder of its own.
    """

    def __init__(self, root: Path, name: str, scratch: Path) -> None:
        self.root, self.name, self.scratch = root.resolve(), name, scratch
        python = self.root / ".venv/bin/python"
        first: tuple[Path, ...] = (self.root,)
        if not python.is_file():
            python, first = Path(sys.executable), (_metadata(self.root, scratch), self.root)
        self._python, self._first = python, first

    def start(self, *arguments: str, path: Path | None = None, **options: Any) -> subprocess.CompletedProcess[str]:
        """Run Python in the checkout, with ``path`` before its code if one is given."""
        places = (*((path,) if path else ()), *self._first)
        environment = os.environ | {"PYTHONPATH": os.pathsep.join(map(str, places))}
        argv = [str(self._python), *arguments]
        return subprocess.run(argv, cwd=self.root, env=environment, check=False, text=True, **options)

    def draw(self, *arguments: str) -> list[str]:
        """The lines that ``_DRAW`` prints."""
        done = self.start("-c", _DRAW, *arguments, capture_output=True)
        if done.returncode:
            raise Broken(f"{self.name}: {' '.join(arguments)}: {done.stderr.strip()[-2000:]}")
        return done.stdout.splitlines()

    def run(self, what: str, *arguments: str, workers: int, path: Path | None = None) -> dict[str, Any]:
        """The results of a run of pytest, by node ID and trial."""
        tell(f"{what}: {self.name} ({self.root})")
        folder = self.scratch / f"results-{what.replace(' ', '-')}"
        fixed = ("-m", "pytest", "-q", "--tb=no", "-p", "no:cacheprovider", "-n", str(workers))
        done = self.start(*fixed, f"--netbench-results={folder}", *arguments, path=path, stdout=sys.stderr)
        file = folder / "results.jsonl"
        if done.returncode not in (0, 1) or not file.is_file():
            raise Broken(f"{self.name}: pytest ended with status {done.returncode}: nothing to compare")
        lines = map(json.loads, file.read_text(encoding="utf-8").splitlines())
        return {f"{line['node_id']} trial {line['trial']}": line for line in lines}

    @contextmanager
    def unnoted(self) -> Iterator[None]:
        """Leave the note of the checkout's newest run as it is: results of runs in here are not kept."""
        note = self.root / ".netbench/cache/newest-run.txt"
        made = [folder for folder in note.parents[:2] if not folder.exists()]
        before = note.read_bytes() if note.is_file() else None
        try:
            yield
        finally:
            note.unlink(missing_ok=True)
            if before is not None:
                note.write_bytes(before)
            for folder in made:
                if folder.is_dir() and not any(folder.iterdir()):
                    folder.rmdir()


def _metadata(root: Path, scratch: Path) -> Path:
    """A folder with the entry points of a checkout that is not installed; they replace those that are."""
    groups = tomllib.loads((root / "pyproject.toml").read_text(encoding="utf-8"))["project"]["entry-points"]
    folder = scratch / "metadata" / "pytest_netbench-0.dist-info"
    folder.mkdir(parents=True)
    (folder / "METADATA").write_text("Metadata-Version: 2.1\nName: pytest-netbench\nVersion: 0\n", encoding="utf-8")
    lines = [
        line for group, named in groups.items() for line in (f"[{group}]", *(f"{a} = {b}" for a, b in named.items()))
    ]
    (folder / "entry_points.txt").write_text("\n".join(lines), encoding="utf-8")
    return folder.parent


def tell(line: str) -> None:
    """Print progress."""
    print(line, file=sys.stderr, flush=True)
