"""What a run may keep of a trial of a sealed task, in plain text and sealed."""

from __future__ import annotations

import base64
import json
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

from pytest_netbench.errors import ResultsError, SealedFileError
from pytest_netbench.generators.sealed import SealedSource
from pytest_netbench.model.behaviour import Behaviour
from pytest_netbench.model.score import Score
from pytest_netbench.model.task import Task
from pytest_netbench.model.trial import TrialRecord, TrialResult
from pytest_netbench.results import reference, truth
from pytest_netbench.results.store import ResultsDir
from pytest_netbench.sealing.keys import SealingKey
from pytest_netbench.text import plain_json

WITHHELD: Final = "sealed; `netbench unseal` shows it"
_MAGIC: Final = "netbench-sealed-details-1"


@dataclass(frozen=True, kw_only=True)
class SealedTask:
    """A sealed task of a run."""

    source: SealedSource = field(repr=False)

    @property
    def name(self) -> str:
        """As everybody may see it."""
        return self.source.name

    def digest_of(self, task: Task) -> str:
        """A digest that tells tasks apart, against which nobody without the key can try a guess."""
        return self.source.key.digest("task", task.digest)

    def truth(self, task: Task) -> truth.Truth | None:
        """The recorded ground truth that was packed with the task."""
        found = [truth.Truth.model_validate(one) for one in self.source.recorded(truth.FOLDER)]
        return next((one for one in found if one.digest == task.truth_digest), None)

    def reference(self, task: Task) -> Behaviour | None:
        """The recorded behaviour that was packed with the task."""
        found = [Behaviour.model_validate(one) for one in self.source.recorded(reference.FOLDER)]
        return next((one for one in found if one.digest == task.reference_digest), None)

    def public(self, result: TrialResult) -> TrialResult:
        """``result`` without a text or number of the task, its network, or what the agent did in it."""
        environment = result.environment
        if environment is not None:
            environment = environment.model_copy(update={"readiness": type(environment.readiness)()})
        return TrialResult(
            node_id=result.node_id,
            task_name=self.name,
            task_digest=self.source.key.digest("task", result.task_digest),
            domain=result.domain,
            family=result.family,
            agent=result.agent,
            trial=result.trial,
            extras=result.extras,
            status=result.status,
            outcome=result.outcome,
            error=None if result.error is None else WITHHELD,
            scores=tuple(map(stripped, result.scores)),
            usage=result.usage,
            replayed=result.replayed,
            budget_used=result.budget_used,
            environment=environment,
            sealed=result.sealed,
            started_at=result.started_at,
            duration_s=result.duration_s,
            deploy_s=result.deploy_s,
            agent_s=result.agent_s,
            evaluate_s=result.evaluate_s,
        )

    def details(self, result: TrialResult, record: TrialRecord | None) -> str:
        """All of a trial, sealed: the text of a file."""
        fields = {
            "result": result.model_dump(mode="json"),
            "record": None if record is None else record.model_dump(mode="json"),
        }
        key = self.source.key
        sealed = key.seal(plain_json(fields).encode(errors="replace"), about=_about(result))
        return f"{_MAGIC} {key.id}\n{base64.b64encode(sealed).decode()}\n"


def stripped(score: Score) -> Score:
    """``score`` without its reasons."""
    return score.model_copy(update={"explanation": WITHHELD, "evidence": {}})


def opened(store: ResultsDir, result: TrialResult, key: SealingKey) -> tuple[TrialResult, TrialRecord | None]:
    """The whole result and record behind a public result. Scores that were made later stay without their reasons.

    Raises:
        ResultsError: There are none, or they cannot be read.
        SealedFileError: They were changed, or are sealed with another key.
    """
    if result.sealed is None:
        raise ResultsError(f"{result.node_id} trial {result.trial}: its details were not kept")
    path = store.path / result.sealed
    fields = _fields(path, result, key)
    whole = TrialResult.model_validate(fields["result"])
    have = {one.metric for one in whole.scores}
    later = tuple(one for one in result.scores if one.metric not in have)
    whole = whole.model_copy(update={"scores": (*whole.scores, *later), "sealed": None})
    return whole, None if fields["record"] is None else TrialRecord.model_validate(fields["record"])


def _fields(path: Path, result: TrialResult, key: SealingKey) -> dict[str, Any]:
    try:
        head, _, body = path.read_text(encoding="utf-8").partition("\n")
    except OSError as error:
        raise ResultsError(f"{path}: the sealed details cannot be read: {error.strerror}") from error
    if head != f"{_MAGIC} {key.id}":
        raise SealedFileError(f"not the details of a trial, sealed with the key {key.id}", path=path)
    try:
        sealed = base64.b64decode(body.strip(), validate=True)
    except ValueError:
        raise SealedFileError("was changed: no base64", path=path) from None
    fields: dict[str, Any] = json.loads(key.open(sealed, about=_about(result)))
    return fields


def _about(result: TrialResult) -> str:
    return f"details of {result.node_id} trial {result.trial} of {result.started_at}"
