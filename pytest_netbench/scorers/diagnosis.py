"""Scores of a diagnosis: detection, localization and root cause, and the same as NIKA has them.

Ours count an equivalent answer: a fault that is seen as well from the other end of its link may be named there, and an
interface by any name that its device knows. NIKA's compare texts. An answer that is missing or invalid counts as 0.
"""

from __future__ import annotations

from collections.abc import Collection, Container, Sequence
from typing import Any, Literal, NamedTuple

from pytest_netbench.model.causes import Cause
from pytest_netbench.model.diagnosis import Diagnose, Diagnosis, RootCause
from pytest_netbench.model.score import Score
from pytest_netbench.model.trial import TrialRecord
from pytest_netbench.scorers.causes import compared
from pytest_netbench.scorers.values import indicator, not_measured

OTHER_FAMILY = "not measured: the task is not of family diagnose"
NO_ANSWER = "there is no valid answer, which counts as 0"

What = Literal["localization", "root_cause"]
Measure = Literal["precision", "recall", "f1"]


class Agreement(NamedTuple):
    """How many of the true causes were named, how many there are, and how many answers were given."""

    matched: int
    true: int
    given: int

    @property
    def precision(self) -> float:
        """Share of the answers that are right; 1 if there is nothing to say and nothing was said."""
        return self.matched / self.given if self.given else float(not self.true)

    @property
    def recall(self) -> float:
        """Share of the causes that were named."""
        return self.matched / self.true if self.true else float(not self.given)

    @property
    def f1(self) -> float:
        """Harmonic mean of both."""
        total = self.true + self.given
        return 2 * self.matched / total if total else 1.0


def agreement(causes: Sequence[Cause], answers: Sequence[RootCause], what: What) -> Agreement:
    """Compare resources, or resources with fault types. Each answer names one cause at most, and the reverse."""
    if what == "localization":
        wanted: Collection[Any] = dict.fromkeys(
            frozenset((*one.resources, *(resource for resource, _ in one.others))) for one in causes
        )
        given: Collection[Any] = dict.fromkeys(one.resource_id for one in answers)
    else:
        wanted = dict.fromkeys(
            frozenset((*((resource, one.fault_type) for resource in one.resources), *one.others)) for one in causes
        )
        given = dict.fromkeys((one.resource_id, one.fault_type) for one in answers)
    return Agreement(_most_pairs(list(wanted), list(given)), len(wanted), len(given))


def _most_pairs(wanted: Sequence[Container[Any]], given: Sequence[Any]) -> int:
    """The size of a largest matching of answers with what contains them, by augmenting paths."""
    partner: dict[int, int] = {}

    def find(one: int, tried: set[int]) -> bool:
        for other, answer in enumerate(given):
            if other in tried or answer not in wanted[one]:
                continue
            tried.add(other)
            if other not in partner or find(partner[other], tried):
                partner[other] = one
                return True
        return False

    return sum(find(one, set()) for one in range(len(wanted)))


def given_answer(record: TrialRecord) -> Diagnosis | None:
    """The answer that was fixed before a repair; in a family without repairs that of the submission.

    ``None`` if there is no valid one.
    """
    given = record.other.get("answer", record.submission.answer)
    try:
        return None if given is None else Diagnosis.model_validate(given)
    except ValueError:
        return None


class _DetectionScorer:
    """1 if the answer says whether anything is wrong, and is right, else 0."""

    name: str
    version = 1
    on_controller = False

    def score(self, record: TrialRecord) -> Score:
        payload = record.task.payload
        if not isinstance(payload, Diagnose):
            return not_measured(self.name, self.version, OTHER_FAMILY)
        answer, truth = given_answer(record), bool(payload.causes)
        words = NO_ANSWER if answer is None else f"said to be {_state(answer.is_anomaly)}, and is {_state(truth)}"
        holds = answer is not None and answer.is_anomaly == truth
        evidence = {"valid": answer is not None, "is_anomaly": truth}
        return indicator(self.name, self.version, holds=holds, words=words, evidence=evidence)


def _state(is_anomaly: bool) -> str:
    return "faulty" if is_anomaly else "healthy"


class _CausesScorer:
    """Precision, recall or F1 over resources, or over resources with fault types."""

    name: str
    version = 1
    on_controller = False
    what: What
    measure: Measure = "f1"
    exact = False
    """Whether texts are compared, with the place of injection alone."""

    def score(self, record: TrialRecord) -> Score:
        payload = record.task.payload
        if not isinstance(payload, Diagnose):
            return not_measured(self.name, self.version, OTHER_FAMILY)
        answer = given_answer(record)
        evidence: dict[str, Any] = {
            "valid": answer is not None,
            "causes": [{"fault_type": one.fault_type, "resources": list(one.resources)} for one in payload.causes],
        }
        label = f"{self.name}/{self.version}"
        if answer is None:
            return Score(metric=self.name, value=0.0, explanation=NO_ANSWER, scorer=label, evidence=evidence)
        found = agreement(*self._compared(payload, answer), self.what)
        evidence |= {"precision": round(found.precision, 6), "recall": round(found.recall, 6), "f1": round(found.f1, 6)}
        nothing = "nothing is wrong, and nothing was named"
        words = f"{found.matched} of {found.true} named, {found.given} given" if found.true or found.given else nothing
        value: float = getattr(found, self.measure)
        return Score(metric=self.name, value=value, explanation=words, scorer=label, evidence=evidence)

    def _compared(self, payload: Diagnose, answer: Diagnosis) -> tuple[Sequence[Cause], Sequence[RootCause]]:
        if self.exact:
            return [Cause(one.fault_type, one.resources[:1]) for one in payload.causes], answer.root_causes
        return compared(payload, answer)


class DetectionScorer(_DetectionScorer):
    """1 if the answer says rightly whether anything is wrong, else 0."""

    name = "detection"


class LocalizationScorer(_CausesScorer):
    """F1 over the resources where something is wrong."""

    name = "localization"
    what = "localization"


class RootCauseScorer(_CausesScorer):
    """F1 over the resources with what is wrong there."""

    name = "root_cause"
    what = "root_cause"


class NikaDetectionScorer(_DetectionScorer):
    """NIKA's detection: exact match of ``is_anomaly``."""

    name = "nika.detection"


class NikaLocalizationPrecisionScorer(_CausesScorer):
    """NIKA's precision over resources."""

    name, what, measure, exact = "nika.localization_precision", "localization", "precision", True


class NikaLocalizationRecallScorer(_CausesScorer):
    """NIKA's recall over resources."""

    name, what, measure, exact = "nika.localization_recall", "localization", "recall", True


class NikaLocalizationF1Scorer(_CausesScorer):
    """NIKA's F1 over resources."""

    name, what, measure, exact = "nika.localization_f1", "localization", "f1", True


class NikaRootCausePrecisionScorer(_CausesScorer):
    """NIKA's precision over resources with fault types."""

    name, what, measure, exact = "nika.root_cause_precision", "root_cause", "precision", True


class NikaRootCauseRecallScorer(_CausesScorer):
    """NIKA's recall over resources with fault types."""

    name, what, measure, exact = "nika.root_cause_recall", "root_cause", "recall", True


class NikaRootCauseF1Scorer(_CausesScorer):
    """NIKA's F1 over resources with fault types."""

    name, what, measure, exact = "nika.root_cause_f1", "root_cause", "f1", True
