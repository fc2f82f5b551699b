"""Tries in a process of its own whether an agent's class can start, so that this process imports nothing of it."""

from __future__ import annotations

import dataclasses
import json
import os
import signal
import sys
import time
from collections.abc import Mapping, Sequence
from importlib.machinery import PathFinder
from pathlib import Path
from typing import Any, Final

from pytest_netbench.agents.external import running
from pytest_netbench.agents.startup.frames import frames_in
from pytest_netbench.errors import AgentCannotStart, AgentError
from pytest_netbench.sealing.keys import FILE_VARIABLE, VARIABLE

LIMIT_S: Final = 60.0
_GRACE_S: Final = 5.0
_MOST_LINES: Final = 10
_LONGEST_LINE: Final = 200
_FAULT: Final = "Fatal Python error: "
_CODE: Final = (
    "import json, sys; request = json.load(sys.stdin); sys.path[:] = request['sys_path'];"
    " from pytest_netbench.agents.startup.child import main; main(request, int(sys.argv[1]))"
)


def probe_class(
    spec: str, *, rootdir: Path, options: Mapping[str, Any] | None = None, limit_s: float = LIMIT_S
) -> None:
    """Check that the agent ``module:Class`` can start: it is imported and created, and looked at.

    Args:
        spec: ``module:Class``.
        rootdir: Where the module is looked for, also in ``agents/`` there.
        options: Keyword arguments of the class.
        limit_s: How long it may take.

    Raises:
        AgentCannotStart: It cannot.
    """
    request = {
        "spec": spec,
        "rootdir": str(rootdir),
        "options": dict(options or {}),
        "limit_s": limit_s,
        "sys_path": sys.path,
    }
    reading, writing = os.pipe()
    with os.fdopen(reading, "rb") as answers:
        try:
            ended = _carried_out(request, spec, writing, limit_s)
        finally:
            os.close(writing)
        os.set_blocking(reading, False)
        said = answers.read() or b""
    messages = [json.loads(line) for line in said.splitlines() if line.endswith(b"}")]
    answer = messages[-1] if messages else {}
    if "ok" in answer:
        return
    if "error" in answer:
        raise AgentCannotStart(
            answer["error"],
            frames=answer["frames"],
            printed=_printed(ended),
            field=answer.get("field", "strategy"),
        )
    doing = answer.get("stage", f"starting a process for {spec}")
    module, lines = spec.partition(":")[0], ended.last_words.splitlines()
    frames = tuple(answer.get("frames", ())) or frames_in(lines, module=module, rootdir=rootdir)
    ended = dataclasses.replace(ended, last_words=ended.last_words.partition(_FAULT)[0])
    raise AgentCannotStart(
        f"{spec}: {doing} ended the process: {_status(ended.status)}{_file(spec, rootdir)}",
        frames=frames,
        printed=_printed(ended),
    )


def _carried_out(request: Mapping[str, Any], spec: str, writing: int, limit_s: float) -> running.Ended:
    environment = {name: value for name, value in os.environ.items() if name not in {VARIABLE, FILE_VARIABLE}}
    command = [sys.executable, "-c", _CODE, str(writing)]
    until = time.monotonic() + limit_s + _GRACE_S
    process = None
    try:
        process = running.start(command, environment=environment, folder=Path.cwd(), pass_fds=(writing,))
        return running.communicate(process, json.dumps(request), left=lambda: until - time.monotonic())
    except running.OutOfTime:
        raise AgentCannotStart(f"{spec} was not ready within {limit_s:g} s, and was ended") from None
    except AgentError as error:
        raise AgentCannotStart(f"{spec}: {error}") from error
    finally:
        if process is not None:
            running.kill(process)


def _printed(ended: running.Ended) -> Sequence[str]:
    lines = [*ended.output.splitlines(), *ended.last_words.splitlines()]
    return [line[:_LONGEST_LINE] for line in lines if line.strip()][-_MOST_LINES:]


def _status(status: int) -> str:
    if status >= 0:
        return f"status {status}"
    try:
        return f"signal {signal.Signals(-status).name}"
    except ValueError:
        return f"signal {-status}"


def _file(spec: str, rootdir: Path) -> str:
    """The module's file, if it is found without importing anything."""
    name = spec.partition(":")[0]
    found = PathFinder.find_spec(name, [str(rootdir), str(rootdir / "agents"), *sys.path])
    return f" ({found.origin})" if found is not None and found.origin else ""
