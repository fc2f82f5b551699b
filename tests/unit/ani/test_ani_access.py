"""What an agent may do with managed, observed and foreign nodes, by each interface of a lab in memory."""

from __future__ import annotations

import asyncio

import asyncssh
import pytest

from pytest_netbench.ani.client import JsonRpcAni
from pytest_netbench.ani.interface import AgentInterface
from pytest_netbench.ani.jsonrpc import serve
from pytest_netbench.ani.policy import Policy
from pytest_netbench.ani.ssh import open_ssh
from pytest_netbench.errors import AniError
from pytest_netbench.model.task import Budget
from pytest_netbench.rpccodes import Code
from tests.support.login import LoginDriver
from tests.support.memory_lab import DIALECTS, chain

CONTROL = {"branch": "observed", "web": "foreign"}
OBSERVED = r"device 'branch' is observed: read it and send packets from it, but do not change it \(managed: 'edge'\)"
FOREIGN = r"device 'web' is foreign: .* there is no access to it \(accessible: 'branch', 'edge'\)"


def ani_of(lab, policy=None):
    limits = Budget(calls=None, commands=None, wall_s=None)
    return AgentInterface(lab, policy=policy or Policy(), budget=limits, dialects=DIALECTS)


@pytest.fixture
def lab():
    return chain(control=CONTROL, driver=LoginDriver())


@pytest.fixture(params=["in process", "json-rpc"])
def ani(lab, request):
    """The interface itself, and a client of its socket."""
    inside = ani_of(lab)
    if request.param == "in process":
        yield inside
        return
    with serve(inside) as server, JsonRpcAni(server.path) as client:
        yield client


@pytest.mark.parametrize(("device", "message"), [("branch", OBSERVED), ("web", FOREIGN)])
def test_a_node_that_is_not_managed_cannot_be_configured(lab, ani, device, message):
    before = list(lab.nodes[device].lines)
    with pytest.raises(AniError, match=message) as caught:
        ani.update_cfg(device, ["mark 1"])
    assert caught.value.code == Code.POLICY_DENIED
    assert list(lab.nodes[device].lines) == before


def test_an_observed_node_can_be_read(ani):
    assert "address e0 10.0.1.10" in ani.get_running_cfg("branch")["running_config"]
    assert "output" in ani.execute_cmd("branch", "show version")


@pytest.mark.parametrize(("method", "more"), [("get-running-cfg", {}), ("execute-cmd", {"command": "show version"})])
def test_a_foreign_node_cannot_be_read(ani, method, more):
    with pytest.raises(AniError, match=FOREIGN) as caught:
        ani.call(method, {"device": "web", **more})
    assert caught.value.code == Code.POLICY_DENIED


def test_the_topology_shows_every_node_with_its_control(ani):
    assert ani.get_topology()["topology"] == {
        "nodes": ["branch", "edge", "web"],
        "links": ["branch e0 <-> edge e0", "edge e1 <-> web e0"],
        "control": {"branch": "observed", "edge": "managed", "web": "foreign"},
    }
    assert ani.get_topology(["web"])["topology"]["control"] == {"web": "foreign"}


def test_work_goes_on_after_a_refusal(lab, ani):
    with pytest.raises(AniError):
        ani.update_cfg("web", ["mark 1"])
    assert ani.update_cfg("edge", ["mark 1"])["results"][0]["status"] == "success"
    assert "mark 1" in lab.nodes["edge"].lines


def test_a_refusal_is_a_step_of_the_trace_and_no_command(lab):
    ani = ani_of(lab)
    with pytest.raises(AniError):
        ani.update_cfg("web", ["mark 1"])
    (step,) = ani.steps
    assert step.data["method"] == "update-cfg"
    assert step.data["error"]["code"] == Code.POLICY_DENIED
    assert ani.commands == ()
    assert (ani.budget_used.calls, ani.budget_used.commands) == (1, 0)


def test_the_policy_of_an_agent_file_narrows_what_the_task_permits(lab):
    ani = ani_of(lab, Policy(devices=frozenset({"branch"})))
    with pytest.raises(AniError, match=r"device 'edge' is not permitted"):
        ani.update_cfg("edge", ["mark 1"])
    with pytest.raises(AniError, match=r"device 'branch' is observed: .* \(managed: none\)"):
        ani.update_cfg("branch", ["mark 1"])


@pytest.fixture
def hosts(lab):
    ani = ani_of(lab)
    yield open_ssh(ani).hosts
    ani.close()


def connect(login):
    known = {"username": login.username, "password": login.password, "known_hosts": None, "config": None}
    return asyncssh.connect(login.host, login.port, agent_path=None, client_keys=None, **known)


def run(login, command: str) -> str:
    async def main():
        async with connect(login) as connection:
            return (await connection.run(command)).stdout

    return asyncio.run(main())


def test_a_foreign_node_has_no_login(hosts):
    assert list(hosts) == ["branch", "edge"]


def test_a_login_to_an_observed_node_reads_and_does_not_configure(lab, hosts):
    assert run(hosts["branch"], "hello") == "HELLO\r\n"
    assert run(hosts["branch"], "apply mark 1").startswith("% netbench: device 'branch' is observed")
    assert "mark 1" not in lab.nodes["branch"].lines


def test_a_login_to_a_managed_node_configures(lab, hosts):
    run(hosts["edge"], "apply mark 1")
    assert "mark 1" in lab.nodes["edge"].lines


def test_no_file_is_copied_to_an_observed_node(hosts, tmp_path):
    (tmp_path / "x").write_text("x")
    login = hosts["branch"]

    async def main():
        async with connect(login) as connection:
            await asyncssh.scp(tmp_path / "x", (connection, "x"))

    with pytest.raises((asyncssh.Error, OSError)):
        asyncio.run(main())
