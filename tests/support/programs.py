"""Programs of others that are built or loaded once, and kept by version below the user's cache."""

from __future__ import annotations

import contextlib
import fcntl
import os
import shutil
import signal
import subprocess
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

_DONE = ".complete"


class NotToBeHad(Exception):
    """This machine cannot have a program; the text names it, and the fix."""


@dataclass(frozen=True, kw_only=True)
class Program:
    """A program at one version.

    Attributes:
        name: Its name, also of its folder.
        version: With the name, what is kept is found by it.
        needs: Programs that building needs, with how to get each.
        make: Puts the program into an empty folder, whose place does not change any more.
        within_s: A build that takes longer is ended.
    """

    name: str
    version: str
    make: Callable[[Build], None]
    needs: Mapping[str, str] = field(default_factory=dict)
    within_s: float = 1200


@dataclass(frozen=True)
class Build:
    """A build in progress."""

    folder: Path
    within_s: float

    def run(self, *argv: str | Path, **env: str | Path) -> str:
        """Run a command in the folder; its output.

        Raises:
            NotToBeHad: It failed or took too long; the text is its last line.
        """
        process = subprocess.Popen(
            argv,
            cwd=self.folder,
            env={**os.environ, **{name: str(value) for name, value in env.items()}},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            errors="replace",
            start_new_session=True,
        )
        try:
            output, _ = process.communicate(timeout=self.within_s)
        except subprocess.TimeoutExpired:
            raise NotToBeHad(f"{argv[0]} {argv[1]} did not end within {self.within_s:.0f} s") from None
        finally:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
            process.wait()
        if process.returncode:
            lines = [line for line in output.splitlines() if line.strip()] or ["no output"]
            raise NotToBeHad(f"{argv[0]} {argv[1]}: {lines[-1].strip()}")
        return output


def cache() -> Path:
    """Where programs are kept."""
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "netbench/integration"


def obtained(program: Program, *, say: Callable[[str], None]) -> Path:
    """The folder of a program, which is made if it is not kept from before; one process makes it, others wait.

    Raises:
        NotToBeHad: It cannot be made here. What was begun is removed.
    """
    folder = cache() / f"{program.name}-{program.version}"
    folder.parent.mkdir(parents=True, exist_ok=True)
    with _locked(folder.with_name(f"{folder.name}.lock")):
        if (folder / _DONE).exists():
            return folder
        for name, remedy in program.needs.items():
            if shutil.which(name) is None:
                raise NotToBeHad(f"{program.name} {program.version} cannot be built: {name} is missing; fix: {remedy}")
        say(f"making {program.name} {program.version}, once; it is kept in {folder}")
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir()
        try:
            program.make(Build(folder, program.within_s))
        except NotToBeHad as error:
            shutil.rmtree(folder)
            raise NotToBeHad(f"{program.name} {program.version} could not be made: {error}") from error
        (folder / _DONE).touch()
        say(f"{program.name} {program.version} is ready")
        return folder


@contextlib.contextmanager
def _locked(path: Path) -> Iterator[None]:
    with path.open("w") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield
