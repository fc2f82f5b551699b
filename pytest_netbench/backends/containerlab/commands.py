"""The programs that are called: containerlab, and the engine's own command line."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
from collections.abc import Sequence
from typing import Any, Final

from pytest_netbench.errors import LabError

OLDEST: Final = (0, 60)
"""The oldest release of containerlab that is accepted; what it prints as JSON changed before."""
_ENVIRONMENT = {"CLAB_VERSION_CHECK": "disable", "COLUMNS": "1000"}
_LEVEL = re.compile(r"^(?:\d\d:\d\d:\d\d )?(?:ERROR|FATA|FATAL|Error:?)\s*")
_LONGEST = 600


class Failed(LabError):
    """A program ended with an error."""


def containerlab(*arguments: str, timeout_s: float = 120.0) -> Any:
    """Call containerlab; return what it prints as JSON, or ``None`` if it prints nothing.

    Raises:
        Failed: It ended with an error, did not end in time, or printed something else.
    """
    output = call(["containerlab", *arguments], timeout_s=timeout_s)
    if not output.strip():
        return None
    try:
        return json.loads(output)
    except ValueError:
        raise Failed(f"containerlab {arguments[0]} printed no JSON: {output.strip()[:_LONGEST]}") from None


def engine(*arguments: str, given: bytes = b"", timeout_s: float = 60.0) -> str:
    """Call the engine's command line; return what it prints.

    Raises:
        Failed: It ended with an error, or did not end in time.
    """
    return call(["docker", *arguments], given=given, timeout_s=timeout_s)


def has_image(name: str) -> bool:
    """Whether the engine has an image."""
    try:
        engine("image", "inspect", "--format", "{{.Id}}", name)
    except Failed:
        return False
    return True


def call(argv: Sequence[str], *, given: bytes = b"", timeout_s: float) -> str:
    """Call a program that ends with this process; return what it prints.

    Raises:
        Failed: It is not there, ended with an error, or did not end in time.
    """
    what = f"{argv[0]} {argv[1]}"
    # what containerlab began goes on if it outlives who began it, and cannot be removed meanwhile
    leash = ["setpriv", "--pdeathsig", "KILL"] if shutil.which("setpriv") else []
    try:
        done = subprocess.run(
            [*leash, *argv],
            input=given,
            capture_output=True,
            env={**os.environ, **_ENVIRONMENT},
            timeout=timeout_s,
            check=False,
        )
    except FileNotFoundError:
        raise Failed(f"{argv[0]} is not installed") from None
    except (subprocess.TimeoutExpired, PermissionError):  # a SUID program may not be killed
        raise Failed(f"{what} did not end within {timeout_s:g} s") from None
    if done.returncode < 0:
        raise Failed(f"{what} was killed by signal {-done.returncode}")
    said, errors = (text.decode("utf-8", "replace") for text in (done.stdout, done.stderr))
    if done.returncode:
        raise Failed(f"{what}: {reason(errors or said) or f'exit status {done.returncode}'}")
    return said


def reason(text: str) -> str:
    """Why a call failed, from what it printed: the lines of errors without their frames, or the last line."""
    lines = [" ".join(line.strip(" │╭╮╰╯─┃┏┓┗┛━|").split()) for line in text.splitlines()]
    lines = [line for line in lines if line]
    errors = [number for number, line in enumerate(lines) if _LEVEL.match(line)]
    chosen = lines[errors[0] :] if errors else lines[-1:]
    return _LEVEL.sub("", " ".join(chosen))[:_LONGEST]


def releases() -> dict[str, str]:
    """The versions of both programs.

    Raises:
        Failed: One is not there, or does not answer.
    """
    release = version(call(["containerlab", "version", "--short"], timeout_s=20))
    return {
        "containerlab": "without a release number" if release is None else ".".join(map(str, release)),
        "docker": engine("version", "--format", "{{.Server.Version}}", timeout_s=20).strip(),
    }


def version(text: str) -> tuple[int, ...] | None:
    """The release in what ``containerlab version --short`` prints; ``None`` for one that was built without."""
    found = re.search(r"(\d+)\.(\d+)(?:\.(\d+))?", text)
    numbers = tuple(int(word) for word in found.groups(default="0")) if found else ()
    return numbers if any(numbers) else None
