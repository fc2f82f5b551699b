"""How the work of an agent ended by an error: its words, the agent's own frames, and what was still handed in.

It is read in the process and thread of the agent: methods of the error may be the agent's, and may fail or not return.
"""

from __future__ import annotations

import linecache
import sysconfig
import traceback
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final

import pytest_netbench
from pytest_netbench.agents.llm import raised_by_client
from pytest_netbench.catching import Caught
from pytest_netbench.errors import AgentError, BudgetExhausted, NetbenchError
from pytest_netbench.model.base import Model
from pytest_netbench.model.trial import Submission

MOST_FRAMES: Final = 8
_PACKAGE: Final = str(Path(pytest_netbench.__file__).parent)
_LIBRARIES: Final = tuple({sysconfig.get_paths()[name] for name in ("stdlib", "platstdlib", "purelib", "platlib")})


class Raised(Model):
    """An error that an agent raised.

    Attributes:
        text: What it says, in one line if it can.
        traceback: Frames of the agent's own code, at most eight, innermost last; then the error.
        by_client: It comes from this package's model client, which could not reach a model.
        limit: The limit of the budget that is used up, if the error says so.
        handed_in: What the agent still handed in.
        process: How the agent's process ended, if it did.
    """

    text: str
    traceback: tuple[str, ...] = ()
    by_client: bool = False
    limit: str | None = None
    handed_in: Submission | None = None
    process: str | None = None


class EndedApart(AgentError):
    """The work of an agent in a process of its own ended by an error, which was read there.

    Args:
        raised: The error.
        client: The error of this package's model client, if it was that.
    """

    def __init__(self, raised: Raised, *, client: NetbenchError | None = None) -> None:
        super().__init__(raised.text)
        self.raised = raised
        self.client = client
        self.submission = raised.handed_in


def read(error: BaseException, agent: object = None) -> Raised:
    """Return what ``error`` says.

    Args:
        error: What the agent raised.
        agent: Who raised it; names the place if no frame does.
    """
    if isinstance(error, EndedApart):
        handed_in = error.submission if isinstance(error.submission, Submission) else None
        return error.raised.model_copy(update={"handed_in": handed_in})
    words: dict[str, Any] = {"text": type(error).__name__, "by_client": raised_by_client(error)}
    with Caught(BaseException) as caught:  # its methods are the agent's
        if isinstance(error, BudgetExhausted):
            words["limit"] = ""
        words |= {"text": _text(error, agent), "traceback": _traceback(error)}
        if isinstance(error, BudgetExhausted):
            words["limit"] = str(error.limit)
        submission = getattr(error, "submission", None)
        words["handed_in"] = checked(submission) if isinstance(submission, Submission) else None
    if caught.error is not None:
        words["text"] += f" (reading it failed: {type(caught.error).__name__})"
    return Raised(**words)


def no_submission(answer: object) -> Raised:
    """Return what is said of a ``run()`` that returned ``answer``."""
    return Raised(text=f"run() returned {answer!r:.80}, not a Submission")


def checked(submission: Submission) -> Submission:
    """Return a valid copy: an agent can make a ``Submission`` without validation, or a subclass."""
    return Submission.model_validate(submission.model_dump(warnings=False))


def _text(error: BaseException, agent: object) -> str:
    if isinstance(error, AgentError):
        return str(error)
    return f"{type(error).__name__}: {error}{_place(error, agent)}"


def _place(error: BaseException, agent: object) -> str:
    """Where the error came from: the innermost own frame, else the agent's ``run``, else the innermost frame."""
    frames = traceback.extract_tb(error.__traceback__)
    own = own_frames(frames)
    if own:
        return f" ({own[-1].filename}:{own[-1].lineno})"
    code = getattr(getattr(type(agent), "run", None), "__code__", None)
    if code is not None and _is_own(code.co_filename):
        return f" ({code.co_filename}:{code.co_firstlineno})"
    return f" ({frames[-1].filename}:{frames[-1].lineno})" if frames else ""


def _traceback(error: BaseException) -> tuple[str, ...]:
    """The frames of the agent's own code and the error, for an error that the agent did not mean to raise."""
    if isinstance(error, AgentError):
        return ()
    frames = lines_of(traceback.extract_tb(error.__traceback__))
    if not frames and not isinstance(error, SyntaxError):
        return ()
    said = traceback.TracebackException.from_exception(error, limit=1)
    return (*frames, *(line for entry in said.format_exception_only() for line in _lines(entry)))


def lines_of(frames: Sequence[traceback.FrameSummary]) -> tuple[str, ...]:
    """Return the frames of the agent's own code as Python prints them: at most eight, innermost last."""
    own = own_frames(frames)[-MOST_FRAMES:]
    return tuple(line for entry in traceback.format_list(own) for line in _lines(entry))


def _lines(entry: str) -> Sequence[str]:
    return [line for line in entry.splitlines() if line.strip(" ^~")]


def own_frames(frames: Sequence[traceback.FrameSummary]) -> list[traceback.FrameSummary]:
    """Return those of the agent's own code: not of this package, of libraries, and of what Python makes itself."""
    return [frame for frame in frames if _is_own(frame.filename)]


def _is_own(file: str) -> bool:
    if file.startswith(f"{_PACKAGE}/"):
        return False
    if file.startswith("<"):
        return bool(linecache.getline(file, 1))
    return not any(file.startswith(f"{folder}/") for folder in _LIBRARIES)
