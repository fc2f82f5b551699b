"""The ANI methods of the family: one fixes the diagnosis in words, the others list what can be named."""

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
LIST_RESOURCES: Final = "list-resources"
LONGEST_DIAGNOSIS: Final = 20_000
RESOURCES_OF_PAGE: Final = 400


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


class ListResourcesParams(Wire):
    """Parameters of ``list-resources``."""

    contains: str | None = Field(None, max_length=300, description="only resources that have this text in their names")
    page: int = Field(1, ge=1, description=f"which {RESOURCES_OF_PAGE} of them; the first page is 1")


class ListResourcesResult(Wire):
    """Result of ``list-resources``."""

    resources: tuple[str, ...]
    pages: int = Field(description="how many pages there are")


class SubmitDiagnosisResult(Wire):
    """Result of ``submit-diagnosis``."""

    fault_types: tuple[FaultType, ...]
    resources: tuple[str, ...]
    pages: int | None = Field(
        None, description="how many pages of resources there are, if this is only the first; the others: list-resources"
    )


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


RESOURCES_SPEC: Final = spec_of(
    LIST_RESOURCES,
    "The resources that the answer can name, a page at a time. They are the same whether something is wrong or not.",
    ListResourcesParams,
    ListResourcesResult,
)


def naming_specs(payload: Diagnose) -> tuple[MethodSpec, ...]:
    """What a task offers to name causes by."""
    listings = (LIST_SPEC,) if payload.types_known else ()
    return (*listings, *((RESOURCES_SPEC,) if _has_pages(payload) else ()), SPEC)


def _has_pages(payload: Diagnose) -> bool:
    return len(payload.resources) > RESOURCES_OF_PAGE


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
        methods = (
            FamilyMethod(spec=LIST_SPEC, params=NoParams, answer=self._list),
            FamilyMethod(
                spec=RESOURCES_SPEC, params=ListResourcesParams, answer=self._list_resources, effect="no-device"
            ),
            FamilyMethod(spec=SPEC, params=SubmitDiagnosisParams, answer=self._fix, effect="devices-rest"),
        )
        offered = naming_specs(self._payload)
        return [one for one in methods if one.spec in offered]

    def _list(self, _: NoParams) -> ListFaultTypesResult:
        return ListFaultTypesResult(fault_types=tuple(fault_types_of(self._payload.fault_types)))

    def _list_resources(self, params: ListResourcesParams) -> ListResourcesResult:
        found = [one for one in self._payload.resources if (params.contains or "") in one]
        pages = max(1, -(-len(found) // RESOURCES_OF_PAGE))
        if params.page > pages:
            raise AniError(f"{LIST_RESOURCES}: there is no page {params.page}, only {pages}", code=Code.INVALID_PARAMS)
        begin = (params.page - 1) * RESOURCES_OF_PAGE
        return ListResourcesResult(resources=tuple(found[begin : begin + RESOURCES_OF_PAGE]), pages=pages)

    def _fix(self, params: SubmitDiagnosisParams) -> SubmitDiagnosisResult:
        if self.text is not None:
            raise AniError("the diagnosis has been submitted already: give your answer", code=Code.POLICY_DENIED)
        self.text, self.fixed_at = params.diagnosis, self._now()
        first = self._list_resources(ListResourcesParams())
        return SubmitDiagnosisResult(
            fault_types=tuple(fault_types_of(self._payload.fault_types)),
            resources=first.resources,
            pages=first.pages if first.pages > 1 else None,
        )


def fault_types_of(names: Iterable[str]) -> Iterable[FaultType]:
    """Yield the fault types of these names, as agents see them."""
    for name in names:
        fault = fault_of(name)
        yield FaultType(name=name, meaning=fault.about, named_by=fault.found_at)
