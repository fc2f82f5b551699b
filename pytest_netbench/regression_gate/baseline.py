"""A baseline: the scored trials of a run, in one file that is committed beside the agent."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Final, Literal

from pydantic import ValidationError

from pytest_netbench import __version__
from pytest_netbench.errors import BaselineFileError
from pytest_netbench.model.base import Model
from pytest_netbench.model.ready import Readiness
from pytest_netbench.model.score import Score
from pytest_netbench.model.trial import Environment, TrialResult
from pytest_netbench.results.files import replace_file

FORMAT: Final = 1
MOST_BYTES: Final = 256 * 2**20


class Baseline(Model):
    """The trials that others are compared with."""

    format: Literal[1]
    netbench: str
    created_at: str
    results: tuple[TrialResult, ...]


def save_baseline(path: Path, results: Sequence[TrialResult]) -> int:
    """Write the scored trials to ``path``; return how many there are.

    Raises:
        BaselineFileError: No trial was scored.
        ResultsError: The file cannot be written.
    """
    scored = [_brief(one) for one in results if one.status != "error"]
    if not scored:
        raise BaselineFileError("not written: no trial was scored", path=path)
    scored.sort(key=lambda one: (one.node_id, one.trial))
    stamp = datetime.now(UTC).isoformat(timespec="seconds")
    baseline = Baseline(format=FORMAT, netbench=__version__, created_at=stamp, results=tuple(scored))
    replace_file(path, baseline.model_dump_json(exclude_defaults=True, indent=1) + "\n")
    return len(scored)


def load_baseline(path: Path) -> Baseline:
    """Read a baseline.

    Raises:
        BaselineFileError: It is not one.
    """
    try:
        if path.is_file() and path.stat().st_size > MOST_BYTES:
            raise BaselineFileError(f"larger than {MOST_BYTES >> 20} MiB: not supported", path=path)
        return Baseline.model_validate_json(path.read_bytes())
    except OSError as error:
        raise BaselineFileError(
            f"cannot be read: {error.strerror}; write one with --netbench-save-baseline", path=path
        ) from None
    except ValidationError as error:
        first = error.errors()[0]
        where = ".".join(str(step) for step in first["loc"])
        raise BaselineFileError(
            f"not a baseline: {where + ': ' if where else ''}{first['msg']}; write one with --netbench-save-baseline",
            path=path,
        ) from None


def _brief(result: TrialResult) -> TrialResult:
    """A result without what a comparison does not need."""
    scores = tuple(
        Score(metric=one.metric, value=one.value, explanation="", scorer=one.scorer) for one in result.scores
    )
    kept = {
        name: getattr(result, name)
        for name in (
            "node_id",
            "task_name",
            "task_digest",
            "domain",
            "family",
            "agent",
            "trial",
            "drawn",
            "variant",
            "status",
            "usage",
            "replayed",
            "started_at",
            "agent_s",
        )
    }
    return TrialResult(scores=scores, environment=_brief_environment(result.environment), **kept)


def _brief_environment(environment: Environment | None) -> Environment | None:
    """How lab time passed decides whether trials can be compared, and versions tell why results differ."""
    if environment is None:
        return None
    return environment.model_copy(update={"notes": (), "readiness": Readiness(), "isolation": None})
