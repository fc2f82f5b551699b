"""The ANI method of the family: it fixes the answer, so that devices can be changed."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final

from pydantic import Field

from pytest_netbench.ani.family_methods import FamilyMethod
from pytest_netbench.ani.methods import spec_of
from pytest_netbench.ani.wire import Wire
from pytest_netbench.errors import AniError
from pytest_netbench.families.diagnose.methods import SUBMIT_DIAGNOSIS, FixedDiagnosis
from pytest_netbench.lab.stopwatch import Stamp
from pytest_netbench.model.diagnosis import Diagnosis
from pytest_netbench.rpccodes import Code

SUBMIT_ANSWER: Final = "submit-answer"


class NamedCause(Wire):
    """What is wrong, and where."""

    resource_id: str = Field(max_length=300, description="one of the resources, e.g. interface/R1/eth0")
    fault_type: str = Field(max_length=100, description="one of the fault types")


class SubmitAnswerParams(Wire):
    """Parameters of ``submit-answer``."""

    is_anomaly: bool = Field(description="whether anything is wrong in the network")
    root_causes: tuple[NamedCause, ...] = Field(
        (), max_length=100, description="each thing that is wrong; empty if nothing is"
    )


class SubmitAnswerResult(Wire):
    """Result of ``submit-answer``."""

    managed: tuple[str, ...] = Field(description="the devices that can be changed from now on")


SPEC: Final = spec_of(
    SUBMIT_ANSWER,
    "Fix the answer, after the diagnosis: whether anything is wrong, and each cause with its resource and its fault"
    " type. From then on devices answer again, and the managed ones can be changed. It can be called once.",
    SubmitAnswerParams,
    SubmitAnswerResult,
)


class FixedAnswer:
    """Takes the answer of one trial.

    Args:
        diagnosis: Must be fixed before.
        managed: The devices that can be changed afterwards.
        now: Tells the present moment.
        begins: Whether managed devices can be changed from then on, and not before.
        fixed: Is called once there is an answer, before it is confirmed.

    Attributes:
        answer: The answer, once there is one.
        fixed_at: When it was fixed.
    """

    def __init__(
        self,
        diagnosis: FixedDiagnosis,
        managed: Sequence[str],
        *,
        now: Callable[[], Stamp],
        begins: bool = True,
        fixed: Callable[[], object],
    ) -> None:
        self._diagnosis = diagnosis
        self._managed = tuple(managed)
        self._now = now
        self._begins = begins
        self._fixed = fixed
        self.answer: Diagnosis | None = None
        self.fixed_at: Stamp | None = None

    @property
    def method(self) -> FamilyMethod:
        """What is offered to the agent."""
        return FamilyMethod(
            spec=SPEC,
            params=SubmitAnswerParams,
            answer=self._fix,
            effect="changes-begin" if self._begins else "changes-go-on",
        )

    def _fix(self, params: SubmitAnswerParams) -> SubmitAnswerResult:
        if self._diagnosis.text is None:
            raise AniError(f"call {SUBMIT_DIAGNOSIS!r} first", code=Code.POLICY_DENIED)
        if self.answer is not None:
            raise AniError("the answer has been submitted already", code=Code.POLICY_DENIED)
        self.answer, self.fixed_at = Diagnosis.model_validate(params.plain()), self._now()
        self._fixed()
        return SubmitAnswerResult(managed=self._managed)
