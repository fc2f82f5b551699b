"""Routers that do not do what they show, on real networks: no hellos are sent, or an entry is not forwarded by."""

from __future__ import annotations

import re
from typing import Any

import pytest

from pytest_netbench.errors import FaultHasNoEffect
from pytest_netbench.families.diagnose.captures import Captures
from pytest_netbench.families.diagnose.measuring import CapturePacketsParams
from pytest_netbench.faults.injecting import await_effects
from pytest_netbench.faults.reasoning import Known
from pytest_netbench.generators.networks import NetworkParameters, draw_network
from pytest_netbench.model.faulty import fault_of
from pytest_netbench.model.task import Task
from tests.support.ios import await_that

SHAPE = {"shape": "line", "routing": "ospf", "names": "plain", "services": (), "sizes": {"routers": 3, "hosts": 1}}


@pytest.mark.parametrize("platform", ["frr", "cisco_ios"])
@pytest.mark.parametrize("name", ["forwarding-entry-missing", "ospf-hellos-unsent"])
def test_it_is_seen_leaves_the_config_as_it_was_and_goes_away(name: str, platform: str, deploy_task: Any) -> None:
    network = draw_network(NetworkParameters.model_validate({**SHAPE, "platform": platform}))
    fields = {"task_name": "line", "slug": "line", "intents": [{"text": "none"}], **network.fields()}
    lab = deploy_task(Task.model_validate(fields))
    fault: Any = fault_of(name)
    place = next(iter(fault.places(network)))

    def seen() -> Any:
        driver, node = lab.driver(place.node), lab.nodes[place.node]
        configs = {one: lab.driver(one).running_config(lab.nodes[one]) for one in lab.nodes}
        if name == "ospf-hellos-unsent":
            return configs
        return configs, [route.next_hops for route in driver.routes(node, place.prefix)]

    before = seen()
    with pytest.raises(FaultHasNoEffect):
        fault.observe(place, lab)
    fault.inject(place, lab)
    await_effects([Known(fault, place)], lab)
    fault.observe(place, lab)
    assert seen() == before
    fault.undo(place, lab)
    await_gone(fault, place, lab)


@pytest.mark.parametrize("platform", ["frr", "cisco_ios"])
def test_a_capture_on_a_router_that_sends_no_hellos_shows_none_of_it(platform: str, deploy_task: Any) -> None:
    network = draw_network(NetworkParameters.model_validate({**SHAPE, "platform": platform}))
    fields = {"task_name": "line", "slug": "line", "intents": [{"text": "none"}], **network.fields()}
    lab = deploy_task(Task.model_validate(fields))
    fault: Any = fault_of("ospf-hellos-unsent")
    place = next(iter(fault.places(network)))
    (cable, *_) = place.cables
    captures = Captures(lab, {place.node: (cable.interface,)})
    fields = {"node": place.node, "interface": cable.interface, "filter": "ip proto 89", "duration_s": 3.0}

    def sources() -> set[str]:
        """Who sends OSPF packets on the cable, in a time in which both ends send hellos."""
        result: Any = captures.method.answer(CapturePacketsParams.model_validate(fields))
        return set(re.findall(r"(\d+\.\d+\.\d+\.\d+) > ", "\n".join(result.packets)))

    assert sources() == {cable.address, cable.peer_address}
    fault.inject(place, lab)
    await_effects([Known(fault, place)], lab)
    assert sources() == {cable.peer_address}


def await_gone(fault: Any, place: Any, lab: Any) -> None:
    """Wait until a fault is not in force any more."""

    def is_gone() -> bool:
        try:
            fault.observe(place, lab)
        except FaultHasNoEffect:
            return True
        return False

    await_that(is_gone, lambda: "still in force")
