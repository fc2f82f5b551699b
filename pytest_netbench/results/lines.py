"""Lines of a results directory: what one means, and which of several count.

Several lines may concern the same attempt: scores that the controller makes later are appended, not edited in.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, TypeVar

from pydantic import ValidationError

from pytest_netbench import __version__
from pytest_netbench.errors import ResultsError
from pytest_netbench.model.trial import TrialResult
from pytest_netbench.results.opened import OpenTrial
from pytest_netbench.results.opened import read as read_opened
from pytest_netbench.text import plain_json

T = TypeVar("T")
Attempt = tuple[str, int, str]
"""Node id, number of the trial, and when it began."""


def line_of(result: TrialResult) -> str:
    """The line of a result."""
    return plain_json(result.model_dump(mode="json"))


def attempt_of(result: TrialResult) -> Attempt:
    """Which attempt a result is of."""
    return result.node_id, result.trial, result.started_at


def latest_of(attempts: Mapping[Attempt, T]) -> list[T]:
    """Of each trial the attempt that began last, sorted by node id and number."""
    latest = {key[:2]: attempts[key] for key in sorted(attempts, key=lambda key: key[2])}
    return [latest[key] for key in sorted(latest)]


def results_in(path: Path, torn: list[str], begun: list[OpenTrial]) -> Iterator[TrialResult]:
    """The results in a file, if there is one; adds to ``torn`` and ``begun`` what its other lines are.

    Raises:
        ResultsError: The file cannot be read or holds what is not a result.
    """
    try:
        with path.open("rb") as lines:
            for number, line in enumerate(lines, start=1):
                if not line.strip():
                    continue
                try:
                    if (opened := read_opened(line)) is not None:
                        begun.append(opened)
                        continue
                    result = TrialResult.model_validate_json(line)
                except ValidationError as error:
                    if error.errors()[0]["type"] != "json_invalid":
                        raise ResultsError(
                            f"{path}:{number}: not a result that netbench {__version__} can read: {problem_of(error)}"
                        ) from error
                    torn.append(f"{path.name}:{number}")
                    continue
                yield result
    except FileNotFoundError:
        return
    except OSError as error:
        raise ResultsError(f"{path}: results cannot be read: {error.strerror}") from error


def joined(one: TrialResult, other: TrialResult) -> TrialResult:
    """Two lines on the same attempt: every score that either has, a measured one before one that is not."""
    scores = {score.metric: score for score in one.scores}
    for score in other.scores:
        if score.metric not in scores or score.value is not None:
            scores[score.metric] = score
    transcript = other.transcript or one.transcript
    sealed = other.sealed or one.sealed
    return one.model_copy(update={"scores": tuple(scores.values()), "transcript": transcript, "sealed": sealed})


def problem_of(error: ValidationError) -> str:
    """Where a value is not as it must be, and why."""
    details: Any = error.errors()[0]
    where = ".".join(str(part) for part in details["loc"])
    return f"{where}: {details['msg']}" if where else str(details["msg"])
