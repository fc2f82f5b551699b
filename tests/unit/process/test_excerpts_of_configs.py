"""What a section or a page of a configuration shows of a cause, and that what it lacks shows nothing."""

from __future__ import annotations

from typing import Any

import pytest

from pytest_netbench.faults.evidence.observation import Answer, Matches, Observation
from pytest_netbench.generators.diagnose import DiagnoseGenerator
from pytest_netbench.generators.diagnose_parameters import DiagnoseParameters
from pytest_netbench.model.diagnosis import diagnose_of
from pytest_netbench.process.requests import Request
from pytest_netbench.process.sightings import Known, shows

TEXT = "router ospf\n network 10.0.0.0/24 area 0\n"


@pytest.fixture(scope="module")
def known() -> Known:
    chosen = DiagnoseParameters.model_validate({"shapes": ("line",), "size": "1"})
    payload = diagnose_of(DiagnoseGenerator().draw(chosen, seed=1, index=0))
    return Known(payload=payload, healthy={}, initial={})


def read(**params: Any) -> Request:
    asked = {"device": "r1", **params}
    return Request(
        number=1,
        method="get-running-cfg",
        params=asked,
        kind="look",
        device=asked["device"],
        command="",
        answer=Answer(TEXT),
        applied=(),
        refused=(),
    )


def matching(pattern: str, *, is_absent: bool = False) -> Observation:
    shown = Matches(pattern=pattern, is_absent=is_absent)
    return Observation(method="get-running-cfg", params={"device": "r1"}, shows=shown, because="it is so")


@pytest.mark.parametrize("part", [{"section": "router ospf"}, {"page": 1}])
def test_what_a_part_has_is_seen_and_what_it_lacks_is_not(known: Known, part: dict[str, Any]) -> None:
    assert shows(matching("area 0$"), read(**part), known)
    assert not shows(matching("area 1$"), read(**part), known)
    assert not shows(matching("^router bgp", is_absent=True), read(**part), known)
    assert not shows(matching("area 0$"), read(device="r2", **part), known)


def test_the_whole_shows_what_is_absent(known: Known) -> None:
    assert shows(matching("^router bgp", is_absent=True), read(), known)
