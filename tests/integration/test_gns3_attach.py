"""Projects of real GNS3 servers that somebody else has made: used for a task, and put back as they were."""

from __future__ import annotations

import json
import os
import signal
import time
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest

from tests.integration.gns3 import Gns3, served, settings
from tests.integration.test_gns3 import PROGRAM, RELEASES, TASK, told
from tests.support.programs import NotToBeHad

pytestmark = pytest.mark.skipif(os.geteuid() != 0, reason="the server is started in a namespace as root")
# a task's addresses are those of other hosts here
_STARTUP = {
    "pc1": "ip 10.0.0.30/24 10.0.0.254\nip dns 192.0.2.53 192.0.2.54\nip domain example.org\n",
    "pc2": "ip 10.0.0.10/24\nip mtu 1400\n",
    "printer": "",
}
_FILTERS = {"pc1": {"delay": [30, 5]}, "pc2": {"packet_loss": [100]}, "printer": {}}
_SUSPENDED = "printer"
_WAIT_S = 90
_WAITING = """import os, pathlib, time
def pytest_netbench_lab_ready(lab, task):
    pathlib.Path(os.environ["READY"]).touch()
    time.sleep(600)
"""


class Office:
    """A project with three hosts in a LAN, whose links are filtered and suspended."""

    def __init__(self, gns3: Gns3, name: str) -> None:
        self.gns3, self.name = gns3, name
        self.id = gns3.ask("/projects", {"name": name})["project_id"]
        templates = {one["name"]: one["template_id"] for one in gns3.ask("/templates")}
        switch = self._node(templates["Ethernet switch"], "S")
        self.nodes, self.links = {}, {}
        for port, (node, startup) in enumerate(_STARTUP.items()):
            id_ = self.nodes[node] = self._node(templates["VPCS"], node)
            if startup:
                gns3.ask(f"{self.path}/nodes/{id_}/files/startup.vpc", startup.encode())
            ends = [(id_, 0), (switch, port)]
            asked = {"nodes": [{"node_id": one, "adapter_number": 0, "port_number": at} for one, at in ends]}
            self.links[node] = gns3.ask(f"{self.path}/links", asked)["link_id"]
        for node in self.nodes:
            self.ask_node(node, "start")
        for node, link in self.links.items():
            change = {"filters": _FILTERS[node], "suspend": node == _SUSPENDED}
            gns3.ask(f"{self.path}/links/{link}", change, method="PUT")
        ends_at = time.monotonic() + _WAIT_S
        while "10.0.0.10/24" not in str(self.shown()) or "10.0.0.30/24" not in str(self.shown()):
            assert time.monotonic() < ends_at, self.shown()
            time.sleep(0.5)

    @property
    def path(self) -> str:
        return f"/projects/{self.id}"

    def _node(self, template: str, name: str) -> str:
        asked = {"x": 0, "y": 0, "compute_id": "local"}
        id_ = self.gns3.ask(f"{self.path}/templates/{template}", asked)["node_id"]
        self.gns3.ask(f"{self.path}/nodes/{id_}", {"name": name}, method="PUT")
        return str(id_)

    def ask_node(self, node: str, what: str) -> None:
        self.gns3.ask(f"{self.path}/nodes/{self.nodes[node]}/{what}", {})

    def shown(self) -> dict[str, Any]:
        """What is told by each console, and what the server says of nodes and links."""
        nodes = self.gns3.ask(f"{self.path}/nodes")
        consoles = {one["name"]: settings(one["name"], one["console"]) for one in nodes if one["node_type"] == "vpcs"}
        links = {one["link_id"]: (one["suspend"], one["filters"]) for one in self.gns3.ask(f"{self.path}/links")}
        return {**consoles, "links": links, "nodes": sorted((one["name"], one["status"]) for one in nodes)}

    def pytest(self, *words: str, lab: str = "", **env: str) -> tuple[str, list[dict[str, Any]]]:
        return self.gns3.pytest(
            str(self.gns3.folder / "printer.task.yaml"), f"--netbench-lab={lab or self.name}", "-rs", *words, **env
        )

    def killed(self, *, while_there: str) -> None:
        """Kill a run by nop when its lab is ready.

        Until then nobody looks at the consoles: what a second client types there is seen by the run, too.
        """
        (self.gns3.folder / "waiting.py").write_text(_WAITING)
        ready = self.gns3.folder / "ready"
        task, options = str(self.gns3.folder / "printer.task.yaml"), ("--agent=nop", "--netbench-backend=gns3")
        process = self.gns3.open(
            *("-m", "pytest", "-q", "-p", "no:cacheprovider", "-p", "waiting", task),
            *(f"--netbench-lab={self.name}", *options),
            PYTHONPATH=str(self.gns3.folder),
            READY=str(ready),
        )
        ends_at = time.monotonic() + _WAIT_S
        while not ready.exists():
            assert process.poll() is None, process.communicate()[0]
            assert time.monotonic() < ends_at
            time.sleep(0.05)
        os.killpg(process.pid, signal.SIGKILL)
        process.communicate()
        ready.unlink()
        assert self.journals
        assert while_there in str(self.shown()["printer"])

    @property
    def journals(self) -> list[str]:
        return [path.name for path in (self.gns3.folder / "state/netbench/gns3-attached").glob("[!.]*.json")]


@pytest.fixture(scope="module", params=RELEASES[:1])
def gns3(
    request: pytest.FixtureRequest, say: Callable[[str], None], tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Gns3]:
    try:
        with served(tmp_path_factory.mktemp("gns3"), request.param, say) as one:
            (one.folder / "printer.task.yaml").write_text(TASK)
            yield one
    except NotToBeHad as error:
        pytest.skip(str(error))


@pytest.fixture(scope="module")
def office(gns3: Gns3) -> Office:
    return Office(gns3, "office")


def by_agent(results: list[dict[str, Any]]) -> Mapping[str, str]:
    return {one["agent"]["id"]: one["status"] for one in results}


def test_the_oracle_passes_nop_fails_and_the_project_is_as_it_was(office: Office) -> None:
    before = office.shown()
    shown, results = office.pytest("--agent=oracle", "--agent=nop")
    assert by_agent(results) == {"oracle": "passed", "nop": "failed"}, shown
    assert {one["environment"]["lab"] for one in results} == {"office"}
    assert office.shown() == before
    assert office.journals == []
    assert office.gns3.projects() == ["office"]


def test_a_project_is_named_by_its_number(office: Office) -> None:
    before = office.shown()
    shown, results = office.pytest("--agent=oracle", lab=office.id)
    assert by_agent(results) == {"oracle": "passed"}, shown
    assert office.shown() == before


def test_what_a_killed_run_has_changed_is_put_back_by_clean(office: Office) -> None:
    before = office.shown()
    office.killed(while_there="10.9.0.30/24")
    assert office.shown() != before
    assert "gns3: removed what a run had configured in project office" in office.gns3.netbench("clean")
    assert office.shown() == before
    assert office.journals == []
    assert "nothing to remove" in office.gns3.netbench("clean")


def test_the_next_run_puts_back_what_a_killed_one_has_changed(office: Office) -> None:
    before = office.shown()
    office.killed(while_there="10.9.0.30/24")
    shown, results = office.pytest("--agent=oracle")
    assert by_agent(results) == {"oracle": "passed"}, shown
    assert office.shown() == before
    assert office.journals == []


def test_links_that_a_trial_cut_and_shaped_are_put_back_and_no_node_is_rebooted(office: Office) -> None:
    before = office.shown()
    shown = office.gns3.run(
        "-c",
        PROGRAM
        + """
from pytest_netbench.errors import RequirementMissing
nodes = ["pc1", "pc2", "printer"]
lab = parts.load("backends", "gns3")().deploy(LabRequest(
    name="events",
    topology=Topology(nodes=tuple(Node(name=node) for node in nodes), links=(link(*nodes),)),
    dialects=dict.fromkeys(nodes, "linux"),
    startup_configs={node: f"ip address add 10.0.0.{n}/24 dev eth0" for n, node in enumerate(nodes, 1)},
    lab="office",
))
links, power = lab.capability(LINKS), lab.capability(NODES)
delivered = lambda: [icmp(lab, "pc1", f"10.0.0.{n}").delivered for n in (2, 3)]
found = {"at first": delivered()}
try:
    links.cut("pc2", "eth0")
    power.crash("printer")
    found["cut and crashed"] = delivered()
    power.revive("printer")
    links.restore("pc2", "eth0")
    found["again"] = delivered()
    links.set_quality("pc1", "eth0", LinkQuality(delay_ms=20))
    links.cut("pc2", "eth0")
    try:
        power.reboot("pc1")
    except RequirementMissing as error:
        found["reboot"] = str(error)
finally:
    lab.destroy()
    lab.await_cleanup()
tell(**found)
""",
    )
    found = told(shown)
    assert found == {
        "at first": [True, True],
        "cut and crashed": [False, False],
        "again": [True, True],
        "reboot": "backend gns3 reboots no nodes of a project that existed already",
    }
    assert office.shown() == before


def test_a_failed_trial_is_kept_until_it_is_told_to_go(office: Office) -> None:
    before = office.shown()
    shown, results = office.pytest("--agent=nop", "--netbench-keep")
    assert by_agent(results) == {"nop": "failed"}, shown
    url = office.gns3.environment["NETBENCH_GNS3"]
    assert f"project office of {url}\n" in shown
    assert "10.9.0.30/24" in str(office.shown()["printer"])
    refused, _ = office.pytest("--agent=oracle")
    assert "project office: a failed trial is kept there (fix: netbench clean --kept)" in " ".join(refused.split())
    assert "nothing to remove" in office.gns3.netbench("clean", "--backend", "gns3")
    told_to = office.gns3.netbench("clean", "--kept", "--backend", "gns3")
    assert "gns3: removed what a run had configured in project office" in told_to
    assert office.shown() == before
    assert office.gns3.projects() == ["office"]


def test_what_cannot_be_used_is_named_before_anything_is_changed(office: Office, tmp_path: Path) -> None:
    before = office.shown()
    shown, _ = office.pytest("--agent=oracle", lab="nothing")
    assert "has no project 'nothing' (open there: office)" in " ".join(shown.split())
    other = tmp_path / "other.task.yaml"
    other.write_text(TASK.replace("pc1", "host1").replace("pc2", "host2"))
    shown, _ = office.gns3.pytest(str(other), "--netbench-lab=office", "--agent=oracle")
    said = " ".join(shown.split())
    assert "say which by the name `" in said
    assert "of the task can be pc1 or pc2 or printer" in said
    other.write_text(TASK.replace("    - pc1 eth0 <-> pc2 eth0 <-> printer eth0\n", "    - pc1 eth0 <-> pc2 eth0\n"))
    shown, _ = office.gns3.pytest(str(other), "--netbench-lab=office", "--agent=oracle", "-rs")
    assert "project office: no cable of project office joins pc1 eth0 <-> pc2 eth0" in " ".join(shown.split())
    assert office.shown() == before
    assert office.journals == []


def test_nodes_that_are_stopped_and_a_project_that_is_closed_are_named(office: Office) -> None:
    office.ask_node("pc2", "stop")
    shown, results = office.pytest("--agent=oracle")
    assert "pc2: this node of the project is not started (fix: start it in GNS3)" in " ".join(shown.split())
    assert json.dumps([one["status"] for one in results]) == '["error"]'
    office.gns3.ask(f"{office.path}/close", {})
    shown, _ = office.pytest("--agent=oracle")
    assert "project office is closed (fix: open it in GNS3, and start its nodes)" in " ".join(shown.split())
    assert office.journals == []
