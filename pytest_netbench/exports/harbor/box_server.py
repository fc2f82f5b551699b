"""The first program of a box: runs the commands that standard input says, a JSON text a line. Standard library only.

What a command prints goes to files, so that what it leaves in the background does not hold its answer back.
"""

from __future__ import annotations

import asyncio
import base64
import contextlib
import json
import os
import signal
import sys
import tempfile
from typing import IO, Any


async def main() -> None:
    """Answer each request when its command has ended, until there are no more requests."""
    tasks: set[asyncio.Task[None]] = set()
    loop = asyncio.get_running_loop()
    while line := await loop.run_in_executor(None, sys.stdin.readline):
        task = asyncio.create_task(_answer(json.loads(line)))
        tasks.add(task)
        task.add_done_callback(tasks.discard)


async def _answer(request: dict[str, Any]) -> None:
    with tempfile.TemporaryFile() as given, tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
        given.write(base64.b64decode(request["stdin"]))
        given.seek(0)
        try:
            status = await _run(request, given, out, err)
        except OSError as error:
            status = 126
            err.write(str(error).encode())
        answer = {"id": request["id"], "status": status, "stdout": _text(out), "stderr": _text(err)}
    print(json.dumps(answer), flush=True)


async def _run(request: dict[str, Any], given: IO[bytes], out: IO[bytes], err: IO[bytes]) -> int | None:
    """The exit status; ``None`` if the time was over, and the command was killed."""
    process = await asyncio.create_subprocess_exec(
        *("/bin/bash", "-c", request["command"]),
        cwd=request["cwd"],
        env=request["env"],
        stdin=given,
        stdout=out,
        stderr=err,
        start_new_session=True,
    )
    try:
        return await asyncio.wait_for(process.wait(), request["timeout_s"])
    except asyncio.TimeoutError:  # noqa: UP041  (the host's Python may be 3.10)
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        await process.wait()
        return None


def _text(file: IO[bytes]) -> str:
    file.seek(0)
    return base64.b64encode(file.read()).decode()


if __name__ == "__main__":
    asyncio.run(main())
