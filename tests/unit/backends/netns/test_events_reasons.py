"""Which networks may have their clock moved by events, and why others may not."""

from __future__ import annotations

from typing import Any

import pytest

from pytest_netbench.backends.netns.clock.events import why_not
from pytest_netbench.lab.request import request_of
from pytest_netbench.model.task import Task
from pytest_netbench.native import build
from pytest_netbench.parts import load

KEY = "A" * 42 + "A="


@pytest.fixture(autouse=True)
def _built() -> None:
    if build.pacer() is None:
        pytest.skip(f"{build.why_not()}; apt-get install gcc libc6-dev")


def reason(platform: str = "linux", *services: dict[str, Any]) -> str | None:
    task = {
        "task_name": "t",
        "slug": "t",
        "platform": "linux",
        "intents": [{"text": "none"}],
        "topology": {
            "nodes": [
                {"name": "n", "platform": platform, "control": "managed"},
                {"name": "h", "platform": "linux", "control": "managed", "services": list(services)},
            ],
            "links": [{"endpoints": [{"node": "n", "interface": "eth0"}, {"node": "h", "interface": "eth0"}]}],
        },
        "startup_configs": {},
    }
    request = request_of(Task.model_validate(task))
    return why_not(request, {name: load("drivers", name)() for name in {*request.dialects.values()}})


@pytest.mark.parametrize("platform", ["frr", "openvswitch", "openflow_controller"])
def test_routers_switches_and_controllers_go_by_the_clock(platform: str) -> None:
    assert reason(platform) is None


def test_a_network_of_hosts_alone_has_no_daemon() -> None:
    assert reason() == "no daemon goes by it"
    assert reason("linux", {"kind": "resolver", "server": "10.0.0.1", "domain": "corp.example"}) is not None


@pytest.mark.parametrize(
    "service",
    [
        {"kind": "dhcp-client", "interface": "eth0"},
        {"kind": "dns", "domain": "corp.example", "records": {}},
        {"kind": "web"},
        {"kind": "lb", "servers": {"one": "10.0.0.1:80"}},
    ],
    ids=lambda service: str(service["kind"]),
)
def test_servers_and_clients_are_daemons_of_the_clock(service: dict[str, Any]) -> None:
    assert reason("linux", service) is None


@pytest.mark.parametrize(
    "service",
    [
        {"kind": "vpn", "address": "172.31.0.1/24", "private_key": KEY},
        {"kind": "rpki", "vrps": [{"prefix": "10.0.0.0/8", "max_length": 8, "autonomous_system": 65001}]},
    ],
    ids=lambda service: str(service["kind"]),
)
def test_programs_that_make_system_calls_themselves_go_by_the_wall(service: dict[str, Any]) -> None:
    assert reason("frr", service) == f"servers of kind {service['kind']} go by the wall"
