"""Labs with so many nodes that the supervisor has more files open than an agent's program may."""

from __future__ import annotations

from typing import Any

import pytest

from tests.support.netns_networks import network

COUNT = 140


@pytest.fixture(scope="module")
def large(deploy: Any) -> Any:
    names = [f"h{number}" for number in range(COUNT)]
    links = [f"{left} eth0 - {right} eth0" for left, right in zip(names[::2], names[1::2], strict=True)]
    return deploy(network(dict.fromkeys(names, "linux"), links, {}))


def test_programs_of_agents_start(large: Any) -> None:
    node, driver = large.nodes["h0"], large.driver("h0")
    assert driver.execute(node, "echo here") == "here\n"
    (status,) = driver.apply(node, ["ip address add 10.9.9.9/32 dev lo"])
    assert (status.status, status.message) == ("success", "")
