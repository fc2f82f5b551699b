"""The ANI method of the family: it fixes the diagnosis in words, and only then tells what can be named."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Final, Literal

from pydantic import Field

from pytest_netbench.ani.family_methods import FamilyMethod
from pytest_netbench.ani.methods import spec_of
from pytest_netbench.ani.wire import NoParams, Wire
from pytest_netbench.errors import AniError
from pytest_netbench.lab.stopwatch import Stamp
from pytest_netbench.model.diagnosis import Diagnose
from pytest_netbench.model.faulty import fault_of
from pytest_netbench.model.trial import MethodSpec
from pytest_netbench.rpccodes import Code

LIST_FAULT_TYPES: Final = "list-fault-types"
SUBMIT_DIAGNOSIS: Final = "submit-diagnosis"
LONGEST_DIAGNOSIS: Final = 20_000


class SubmitDiagnosisParams(Wire):
    """Parameters of ``submit-diagnosis``."""

    diagnosis: str = Field(
        min_length=1, max_length=LONGEST_DIAGNOSIS, description="what is wrong and where, or that nothing is"
    )


class FaultType(Wire):
    """A fault type that can be named."""

    name: str
    meaning: str
    named_by: Literal["interface", "k8s", "link", "node"] = Field(
        description="the kind of resource that is named with it"
    )


class ListFaultTypesResult(Wire):
    """Result of ``list-fault-types``."""

    fault_types: tuple[FaultType, ...]


class SubmitDiagnosisResult(Wire):
    """Result of ``submit-diagnosis``."""

    fault_types: tuple[FaultType, ...]
    resources: tuple[str, ...]


SPEC: Final = spec_of(
    SUBMIT_DIAGNOSIS,
    "Fix the diagnosis in your own words. Returns the fault types and the resources that the answer can name. No device"
    " answers afterwards. It can be called once.",
    SubmitDiagnosisParams,
    SubmitDiagnosisResult,
)


LIST_SPEC: Final = spec_of(
    LIST_FAULT_TYPES,
    "The fault types that the answer can name. They are the same whether something is wrong or not.",
    NoParams,
    ListFaultTypesResult,
)


def naming_specs(payload: Diagnose) -> tuple[MethodSpec, ...]:
    """What a task offers to name causes by."""
    return (LIST_SPEC, SPEC) if payload.types_known else (SPEC,)


class FixedDiagnosis:
    """Takes the diagnosis of one trial.

    Args:
        payload: Says what can be named.
        now: Tells the present moment.

    Attributes:
        text: The diagnosis, once there is one.
        fixed_at: When it was fixed.
    """

    def __init__(self, payload: Diagnose, *, now: Callable[[], Stamp]) -> None:
        self._payload = payload
        self._now = now
        self.text: str | None = None
        self.fixed_at: Stamp | None = None

    @property
    def methods(self) -> Sequence[FamilyMethod]:
        """What is offered to the agent."""
        listing = FamilyMethod(spec=LIST_SPEC, params=NoParams, answer=self._list)
        fixing = FamilyMethod(spec=SPEC, params=SubmitDiagnosisParams, answer=self._fix, effect="devices-rest")
        return (listing, fixing) if self._payload.types_known else (fixing,)

    def _list(self, _: NoParams) -> ListFaultTypesResult:
        return ListFaultTypesResult(fault_types=tuple(fault_types_of(self._payload.fault_types)))

    def _fix(self, params: SubmitDiagnosisParams) -> SubmitDiagnosisResult:
        if self.text is not None:
            raise AniError("the diagnosis has been submitted already: give your answer", code=Code.POLICY_DENIED)
        self.text, self.fixed_at = params.diagnosis, self._now()
        return SubmitDiagnosisResult(
            fault_types=tuple(fault_types_of(self._payload.fault_types)), resources=self._payload.resources
        )


def fault_types_of(names: Iterable[str]) -> Iterable[FaultType]:
    """Yield the fault types of these names, as agents see them."""
    for name in names:
        fault = fault_of(name)
        yield FaultType(name=name, meaning=fault.about, named_by=fault.found_at)
