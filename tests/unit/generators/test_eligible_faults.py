"""Which faults each generator takes follows from their fields; what is drawn by default is pinned."""

from __future__ import annotations

import pytest

from pytest_netbench.errors import UsageError
from pytest_netbench.generators.default_faults import (
    DIAGNOSED,
    HANDED_OVER,
    OF_BURSTS,
    OF_P4,
    OF_RULES,
    OF_SWITCHES,
    REPAIRED,
    TROUBLESHOT,
    WITH_SERVICES,
)
from pytest_netbench.generators.eligible import DIAGNOSABLE, ENDING, REPAIRABLE, packages_of
from pytest_netbench.generators.levels import HIDDEN
from pytest_netbench.generators.series import read_series
from pytest_netbench.model.causes import causes_of
from pytest_netbench.model.diagnosis import diagnose_of
from pytest_netbench.model.faulty import InjectedFault, fault_of
from tests.support.stars import star_task


def test_diagnose_takes_all_that_it_draws_and_nothing_that_needs_company() -> None:
    assert {*DIAGNOSABLE.words} == {*DIAGNOSED, *WITH_SERVICES, *OF_BURSTS, *OF_SWITCHES, *OF_P4, *HIDDEN}


def test_repairs_take_what_flows_show_and_commands_repair() -> None:
    assert {*REPAIRED, *TROUBLESHOT, *OF_RULES, "http-denied", "nat-mapping-missing"} <= {*REPAIRABLE.words}
    refused = {"link-down", "node-crashed", "dns-record-wrong", "ospf-cost-wrong", "fragments-denied", "interface-down"}
    assert not refused & {*REPAIRABLE.words}


@pytest.mark.parametrize("name", ["ospf-cost-wrong", "ip-forwarding-off", "no-such-fault"])
def test_a_fault_that_cannot_be_repaired_in_a_network_is_refused(name: str) -> None:
    with pytest.raises(UsageError, match=f"faults={name}: unknown '{name}'"):
        read_series(f"troubleshoot:faults={name},n=1")


def test_a_fault_that_no_command_repairs_needs_handover() -> None:
    with pytest.raises(UsageError, match="faults=link-down: no command repairs it; give handover=true"):
        read_series("troubleshoot:faults=link-down,n=1")
    payload = diagnose_of(read_series("troubleshoot:faults=link-down,handover=true,healthy=0,n=1").source(0).load())
    assert payload.tickets
    assert {one.fault for one in payload.faults} == {"link-down"}
    assert {*HANDED_OVER} <= {*ENDING.words} - {*REPAIRABLE.words}


def test_built_in_faults_come_from_no_other_package() -> None:
    assert packages_of(DIAGNOSED) is None


def test_a_fault_of_a_site_is_diagnosed_at_its_router() -> None:
    topology = star_task(2, 2).payload.topology
    router = next(node.name for node in topology.nodes if node.name.startswith("r"))
    one = InjectedFault(fault="interface-down", parameters={"node": router, "interface": "eth0"})
    assert fault_of("interface-down").found_at == "node"
    assert [cause.resources for cause in causes_of([one], topology)] == [(f"node/{router}",)]
