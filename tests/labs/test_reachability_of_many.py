"""``check-reachability`` between a hundred hosts, asked by the MCP SDK's own client."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import anyio
import pytest
from mcp import Client

from benchmarks.prober import star
from pytest_netbench.agents.external.mcp_server import McpServer
from pytest_netbench.ani.interface import AgentInterface
from pytest_netbench.ani.jsonrpc import serve
from pytest_netbench.ani.policy import Policy
from pytest_netbench.families.diagnose.store import Store
from pytest_netbench.families.diagnose.tools import Tools
from pytest_netbench.lab.request import request_of
from pytest_netbench.model.diagnosis import Diagnose
from pytest_netbench.model.task import UNLIMITED
from tests.labs.conftest import DeployTask

HOSTS = 100
NAMES = [f"h{number}" for number in range(1, HOSTS + 1)]
ADDRESSES = {name: f"10.{name[1:]}.0.10" for name in NAMES}
LONGEST = 20_000


@pytest.fixture(scope="module")
def network(deploy_task: DeployTask) -> Any:
    return deploy_task(star(HOSTS))


@pytest.fixture(scope="module")
def ask(network: Any, tmp_path_factory: pytest.TempPathFactory) -> Any:
    """Call ``check_reachability`` over MCP; returns the message as it was sent, and the result in it."""
    payload = Diagnose.model_validate(
        {
            "topology": network.topology.model_dump(),
            "startup_configs": dict(request_of(star(HOSTS)).startup_configs),
            "flows": [{"sources": NAMES, "targets": ADDRESSES}],
            "fault_types": ["link-down"],
        }
    )
    tools = Tools(network, payload, Store())
    ani = AgentInterface(network, policy=Policy(), budget=UNLIMITED, methods=tools.methods)
    folder = tmp_path_factory.mktemp("mcp")

    def asked(**params: Any) -> tuple[str, Mapping[str, Any]]:
        async def run() -> Any:
            with anyio.fail_after(120):
                async with Client(server.url) as client:
                    return await client.call_tool("check_reachability", params)

        result = anyio.run(run)
        assert not result.is_error, result.content[0].text
        return result.model_dump_json(), json.loads(result.content[0].text)

    with serve(ani) as socket, McpServer(socket.path, Path(folder)) as server:
        yield asked
    ani.close()


def forwarding(network: Any, value: int) -> None:
    network.nodes["r"].run(["sysctl", "-w", f"net.ipv4.ip_forward={value}"])


def test_a_healthy_network_is_a_count(ask: Any) -> None:
    message, result = ask()
    assert (result["tried"], result["reached"], result["failed"]) == (9900, 9900, 0)
    assert (result["groups"], result["pages"]) == ([], 1)
    assert len(message) < 1000


def test_nothing_that_is_reached_is_one_group(network: Any, ask: Any) -> None:
    forwarding(network, 0)
    try:
        message, result = ask()
    finally:
        forwarding(network, 1)
    assert result["failed"] == 9900
    assert result["groups"] == [
        {"outcome": "no-answer", "shares": "all", "source": "any", "targets": ["any"], "pairs": 9900}
    ]
    assert len(message) < LONGEST


def test_pairs_without_anything_in_common_come_in_pages_without_sending_again(network: Any, ask: Any) -> None:
    # a chessboard: host N does not reach host M if N + M is odd, and no LAN or host is cut off
    rules = "".join(
        f"add rule ip f c ip saddr {ADDRESSES[one]} ip daddr {{ "
        + ", ".join(ADDRESSES[other] for other in NAMES if (int(one[1:]) + int(other[1:])) % 2)
        + " } drop; "
        for one in NAMES
    )
    table = "add table ip f; add chain ip f c { type filter hook forward priority 0; }; "
    network.nodes["r"].run(["nft", table + rules])
    try:
        pages = [ask()]
        assert pages[0][1]["failed"] == 5000
    finally:
        network.nodes["r"].run(["nft", "flush", "ruleset"])
    pages += [ask(page=number) for number in range(2, pages[0][1]["pages"] + 1)]
    assert len(pages) > 1
    assert max(len(message) for message, _ in pages) < LONGEST
    groups = [group for _, result in pages for group in result["groups"]]
    named = {(group["source"], target) for group in groups for target in group["targets"]}
    assert named == {(one, other) for one in NAMES for other in NAMES if (int(one[1:]) + int(other[1:])) % 2}
    assert all(result["failed"] == 5000 for _, result in pages), "later pages are of the same measurement"


def test_a_source_that_has_the_address_of_the_target_is_no_success(network: Any, ask: Any) -> None:
    network.nodes["h1"].run(["ip", "address", "add", f"{ADDRESSES['h2']}/32", "dev", "eth0"])
    try:
        _, result = ask(source="h1")
        assert (result["tried"], result["reached"], result["own"]) == (98, 98, 1)
        (group,) = result["groups"]
        assert (group["outcome"], group["source"], group["targets"]) == ("self", "h1", ["h2"])
        _, single = ask(source="h1", target="h2")
        assert (single["tried"], single["reached"], single["own"]) == (0, 0, 1)
    finally:
        network.nodes["h1"].run(["ip", "address", "del", f"{ADDRESSES['h2']}/32", "dev", "eth0"])
