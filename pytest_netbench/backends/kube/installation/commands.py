"""Commands that take minutes: they say how far they are, and end with this process."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import time
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Final

from pytest_netbench.errors import RequirementMissing
from pytest_netbench.kernel.syscalls import die_with_parent

_LAST_LINES: Final = 5
_FULL: Final = "no space left on device"


def run(
    argv: Sequence[str],
    *,
    folder: Path,
    env: Mapping[str, str],
    each: Callable[[int, float], None] = lambda _lines, _seconds: None,
    remedy: str | None = None,
) -> str:
    """Run a command; returns what it wrote.

    Args:
        argv: The command.
        folder: Where.
        env: Further environment.
        each: Called with each line that it writes: how many there were, and how long it has run.
        remedy: What helps if it fails.

    Raises:
        RequirementMissing: It failed; the text has its last lines.
    """
    began, count, lines = time.monotonic(), 0, list[str]()
    last: deque[str] = deque(maxlen=_LAST_LINES)
    process = subprocess.Popen(
        argv,
        cwd=folder,
        env={**os.environ, **env},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        errors="replace",
        start_new_session=True,
        preexec_fn=die_with_parent,  # noqa: PLW1509 - the only thread
    )
    assert process.stdout is not None
    try:
        for line in process.stdout:
            count += 1
            lines.append(line)
            if line.strip():
                last.append(line.strip())
            each(count, time.monotonic() - began)
        process.wait()
    finally:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()
    if process.returncode:
        said = " / ".join(last) or "nothing"
        fix = "free some space, or set GOCACHE, GOMODCACHE and TMPDIR" if _FULL in said.lower() else remedy
        raise RequirementMissing(f"{' '.join(argv[:3])} failed with status {process.returncode}: {said}", fix)
    return "".join(lines)
