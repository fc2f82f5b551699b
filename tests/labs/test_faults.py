"""Faults on a real star: what each breaks is what it breaks on paper, and its repair undoes it.

Two targets of each fault run here. All targets run with ``NETBENCH_WHOLE_CORPUS=1`` (``make selftest`` does that).
"""

from __future__ import annotations

import os
from typing import Any

import pytest

from pytest_netbench import parts
from pytest_netbench.ani.interface import AgentInterface
from pytest_netbench.ani.policy import Policy
from pytest_netbench.catching import Caught
from pytest_netbench.errors import FaultHasNoEffect
from pytest_netbench.faults.builders import SiteValue
from pytest_netbench.lab.probing import Probe
from pytest_netbench.model.faulty import fault_of
from pytest_netbench.model.task import UNLIMITED
from pytest_netbench.model.watch import WatchedFlow
from tests.support.stars import star_flows, star_site, star_task

SITE = star_site(3, 2)
FLOWS = star_flows(SITE)


@pytest.fixture(scope="module")
def lab(deploy_task: Any) -> Any:
    return deploy_task(star_task(3, 2))


def fault(name: str) -> SiteValue[Any]:
    known: SiteValue[Any] = fault_of(name)
    return known


NAMES = [name for name in parts.names("faults") if isinstance(fault(name), SiteValue)]


def targets(name: str) -> list[Any]:
    """All targets of a fault, or its first and its last."""
    every = list(fault(name).targets(SITE))
    return every if os.environ.get("NETBENCH_WHOLE_CORPUS") else list(dict.fromkeys((every[0], every[-1])))


def lost(lab: Any, expected: list[WatchedFlow]) -> list[WatchedFlow]:
    """The flows that do not work; if they are not those that are expected, looked at with more patience."""
    found = undelivered(lab, timeout_s=0.1)
    return found if found == expected else undelivered(lab, timeout_s=1.0)


def undelivered(lab: Any, *, timeout_s: float) -> list[WatchedFlow]:
    probes = [
        Probe(
            source=flow.source,
            target=flow.address,
            protocol=flow.protocol,
            port=flow.port,
            listen_on=flow.target if flow.port else None,
            timeout_s=timeout_s,
        )
        for flow in FLOWS
    ]
    return [flow for flow, result in zip(FLOWS, lab.prober.probe(probes), strict=True) if not result.delivered]


@pytest.mark.parametrize("name", [name for name in NAMES if not fault(name).requires])
def test_a_fault_breaks_what_it_breaks_on_paper_and_its_repair_restores_the_router(lab: Any, name: str) -> None:
    known, router = fault(name), lab.nodes["r0"]
    assert not lost(lab, [])
    before = lab.driver("r0").running_config(router)
    for one in targets(name):
        with pytest.raises(FaultHasNoEffect):
            known.observe(one, lab)
        known.inject(one, lab)
        known.observe(one, lab)
        broken = [flow for flow in FLOWS if known.breaks(one, SITE)(flow)]
        assert lost(lab, broken) == broken, one
        ani = AgentInterface(lab, policy=Policy(), budget=UNLIMITED)
        for node, commands in known.recover(one).items():
            answer = ani.update_cfg(node, list(commands))
            assert [result["status"] for result in answer["results"]] == ["success"] * len(commands), answer
        ani.close()
        assert not lost(lab, []), one
        assert lab.driver("r0").running_config(router) == before, one


def test_a_loop_is_a_real_loop(lab: Any) -> None:
    known = fault("route-loop")
    one = next(iter(known.targets(SITE)))
    known.inject(one, lab)
    hops = [hop.address for hop in lab.prober.path("h3x1", str(SITE.lans[0].hosts["h1x1"]), max_hops=8)]
    assert hops.count(one.gateway) > 1
    for command in known.recover(one)["r0"]:
        lab.nodes["r0"].run(["/bin/sh", "-c", command])


def test_a_fault_that_a_node_refuses_is_an_error(lab: Any) -> None:
    known = fault("interface-down")
    with pytest.raises(FaultHasNoEffect, match="refused 'ip link set dev eth9 down': Cannot find device"):
        known.inject(known.parameters(node="r0", interface="eth9"), lab)


def test_a_delay_is_made_or_refused_with_what_is_missing(lab: Any) -> None:
    known = fault("traffic-delayed")
    assert known.requires == ("netem",)
    one = next(iter(known.targets(SITE)))
    with Caught(FaultHasNoEffect) as caught:
        known.inject(one, lab)
    if caught.error is not None:  # both outcomes are right, by kernel
        assert "qdisc kind is unknown" in str(caught.error)
        return
    known.observe(one, lab)
    broken = [flow for flow in FLOWS if known.breaks(one, SITE)(flow)]
    assert lost(lab, broken) == broken
    for command in known.recover(one)["r0"]:
        lab.nodes["r0"].run(["/bin/sh", "-c", command])
