"""A fault of a node whose configs have braces: what is checked is read in the notation of the node's dialect."""

from __future__ import annotations

from pathlib import Path

import pytest

from pytest_netbench.errors import FaultHasNoEffect
from pytest_netbench.faults.builders import config_fault
from pytest_netbench.faults.change import Change, OnPort, of_port
from pytest_netbench.faults.evidence.network import Observable
from pytest_netbench.faults.evidence.observation import Answer
from tests.support.braces import braces_lab, install

PLACE = OnPort(node="edge", platform="braces", interface="e0")
LOW_MTU = config_fault(
    "low-mtu",
    about="An interface has a low MTU.",
    label="LOW_MTU",
    parameters=OnPort,
    platforms=("braces",),
    at=lambda _: (PLACE,),
    touches=of_port,
    change=lambda p: Change(
        inject=(f"set interfaces {p.interface} mtu 600",),
        repair=p.without("interfaces", p.interface, "mtu 600"),
    ),
)


@pytest.fixture(autouse=True)
def _installed_braces(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(install(tmp_path / "braces"))


def test_its_removal_is_that_of_the_language() -> None:
    assert LOW_MTU.recover(PLACE) == {"edge": ("delete interfaces e0 mtu 600",)}


def test_it_is_seen_from_its_injection_until_its_repair() -> None:
    lab = braces_lab()
    driver, node = lab.driver("edge"), lab.nodes["edge"]
    (seen,) = LOW_MTU.evidence(PLACE, Observable(platforms={"edge": "braces"}, addresses={}, pairs=()))
    with pytest.raises(FaultHasNoEffect, match="'interfaces / e0 / mtu 600' is not in the running config"):
        LOW_MTU.observe(PLACE, lab)
    assert not seen.shows.is_in(Answer(driver.running_config(node)))
    LOW_MTU.inject(PLACE, lab)
    LOW_MTU.observe(PLACE, lab)
    assert seen.shows.is_in(Answer(driver.running_config(node)))
    for status in driver.apply(node, list(LOW_MTU.recover(PLACE)["edge"])):
        assert status.status == "success"
    assert not seen.shows.is_in(Answer(driver.running_config(node)))
