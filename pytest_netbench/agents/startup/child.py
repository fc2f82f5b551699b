"""The process that tries whether an agent's class can start. Its answer is a line of JSON on a pipe of its own.

Whatever the agent's code does here (it prints, it hangs, it ends the process) reaches nobody else.
"""

from __future__ import annotations

import faulthandler
import inspect
import json
import os
import sys
import threading
from pathlib import Path
from typing import Any, Final

from pytest_netbench.agents.startup.classes import check_class
from pytest_netbench.agents.startup.frames import frames_from
from pytest_netbench.errors import AgentCannotStart

_LONGEST: Final = 6000
_LEAVE: Final = os._exit


def main(request: dict[str, Any], answers: int) -> None:
    """Check the agent of ``request``, answer, and end at once: threads that the agent started do not hold it up.

    Args:
        request: ``spec``, ``rootdir``, ``options`` and ``limit_s``, as ``probe`` sends them.
        answers: Descriptor of the pipe.
    """
    os.set_inheritable(answers, False)
    faulthandler.enable(all_threads=False)
    spec, rootdir = request["spec"], Path(request["rootdir"])
    stage = ["starting"]

    def note(words: str) -> None:
        stage[0] = words
        _say(answers, {"stage": words})

    def out_of_time() -> None:
        frame = sys._current_frames().get(threading.main_thread().ident or 0)  # noqa: SLF001  (there is no other way)
        frames = frames_from(frame, module=spec.partition(":")[0], rootdir=rootdir)
        words = f"{spec}: {stage[0]} took longer than {request['limit_s']:g} s"
        _end(answers, {"error": words, "frames": frames})

    def leave(status: int) -> None:
        own = inspect.currentframe()
        frames = frames_from(own and own.f_back, module=spec.partition(":")[0], rootdir=rootdir)
        _say(answers, {"stage": stage[0], "frames": frames})
        _LEAVE(status)

    os._exit = leave  # type: ignore[assignment]
    watch = threading.Timer(request["limit_s"], out_of_time)
    watch.daemon = True
    watch.start()
    try:
        check_class(spec, rootdir=rootdir, options=request["options"], note=note)
    except AgentCannotStart as error:
        _end(answers, {"error": error.reason, "frames": error.frames, "field": error.field})
    except BaseException as error:  # noqa: BLE001  (KeyboardInterrupt, GeneratorExit, what an agent makes of them)
        _end(answers, {"error": f"{spec}: {stage[0]} failed: {type(error).__name__}: {error}", "frames": ()})
    _end(answers, {"ok": True})


def _say(answers: int, message: dict[str, Any]) -> None:
    os.write(answers, (json.dumps(message) + "\n").encode())


def _end(answers: int, message: dict[str, Any]) -> None:
    if "error" in message and len(message["error"]) > _LONGEST:
        message["error"] = message["error"][:_LONGEST] + "…"
    for stream in (sys.stdout, sys.stderr):
        try:
            stream.flush()
        except (AttributeError, OSError, ValueError):
            continue  # the agent closed or replaced it
    _say(answers, message)
    _LEAVE(0)
