"""Labs of the real containerlab that run already: used for a task, and put back line by line."""

from __future__ import annotations

import difflib
import json
import os
import shutil
import signal
import textwrap
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.integration.containerlab import QUIET, Site
from tests.integration.engine import Engine

pytestmark = [
    pytest.mark.skipif(
        shutil.which("containerlab") is None,
        reason="containerlab is not on the PATH (https://containerlab.dev/install/)",
    ),
    pytest.mark.skipif(os.geteuid() != 0, reason="backend containerlab enters containers as root"),
]
_IDLE = "trap 'exit 0' TERM; while :; do sleep 3600 & wait $!; done"
_STARTS_FRR = f"mkdir -p /run/frr; chown frr:frr /run/frr; /usr/lib/frr/frrinit.sh start; {_IDLE}"
_DAEMONS = """\
bgpd=no
ospfd=yes
vtysh_enable=yes
zebra_options="  -A 127.0.0.1 -s 90000000"
ospfd_options="  -A 127.0.0.1"
staticd_options="-A 127.0.0.1"
"""
_ROUTER = """\
frr defaults traditional
hostname {name}
log syslog informational
ip route 198.51.100.0/24 Null0
interface eth1
 description to the other
 ip address 10.0.0.{n}/30
interface eth2
 ip address 10.{n}.0.1/24
interface lo
 ip address 10.255.0.{n}/32
router ospf
 network 10.0.0.0/8 area 0
ip prefix-list Z seq 5 permit 10.0.0.0/8
ip prefix-list A seq 5 permit 10.1.0.0/16 le 24
route-map Z permit 10
 match ip address prefix-list A
"""
TASK = """\
task_name: A loopback address behind r2
intents: [{first}h1 reaches 10.9.0.1 at r2.]
platform: frr
topology: {topology}
startup_configs:
  r1: |
    hostname R1
    interface eth1
     ip address 192.0.2.1/30
    interface eth2
     ip address 192.168.7.1/24
  r2: |
    interface eth1
     ip address 192.0.2.2/30
    interface lo
     ip address 10.9.0.1/32
    ip route 192.168.7.0/24 192.0.2.1
  h1: |
    ip address add 192.168.7.2/24 dev eth1
    ip route add default via 192.168.7.1
    nft add table ip mine
ground_truth_configs:
  r1: [{truth}]
testcases:
  - {{kind: reachability, name: h1 reaches r2, from: h1, to: 10.9.0.1, intent: 1, within: 3s}}
"""
_OWN = "{nodes: [r1, r2, {name: h1, platform: linux}], links: [r1 eth1 <-> r2 eth1, r1 eth2 <-> h1 eth1]}"
# What is there, told by programs of the container alone. Routes that daemons learn come later, and the kernel lists
# its own in any order; addresses that it makes are tentative for a moment.
_SHOWN = """
vtysh -c 'show running-config' 2>/dev/null; ip -d address | grep -v valid_lft | sed 's/ tentative//'
(ip route; ip -6 route) | grep -v 'proto ospf' | sort; ip rule; ip -6 rule; ip neigh show nud permanent
nft -s list ruleset 2>/dev/null; tc qdisc
find /etc/frr -type f -exec md5sum {} + | sort; ps -eo pid,lstart,args | grep '[/]frr/'
sysctl -a 2>/dev/null | grep '^net[.]' | grep -v 'count\\|[.]mtu\\|stable_secret'
"""


class RunningLab:
    """A lab that somebody else has deployed."""

    def __init__(self, site: Site, image: str, folder: Path) -> None:
        self.site, self.folder = site, folder
        self.name = f"own{time.monotonic_ns() % 10**9}"
        self.file = folder / "own.clab.yml"
        (folder / "daemons").write_text(_DAEMONS)
        for n in (1, 2):
            (folder / f"r{n}.conf").write_text(_ROUTER.format(name=f"r{n}", n=n))
        nodes: dict[str, Any] = {
            f"r{n}": {
                "image": image,
                "cmd": f'bash -c "{_STARTS_FRR}"',
                "binds": ["daemons:/etc/frr/daemons", f"r{n}.conf:/etc/frr/frr.conf"],
            }
            for n in (1, 2)
        }
        for n in (1, 2):
            exec_ = [f"ip addr add 10.{n}.0.2/24 dev eth1", f"ip route add 10.0.0.0/8 via 10.{n}.0.1"]
            nodes[f"h{n}"] = {"image": image, "cmd": f'bash -c "{_IDLE}"', "exec": exec_}
        nodes["h1"]["exec"] += ["ip link add d0 type dummy", "ip link set d0 up", "nft add table ip theirs"]
        defaults = {
            "kind": "linux",
            "privileged": False,
            "cap-add": ["NET_ADMIN", "NET_RAW", "SYS_ADMIN", "NET_BIND_SERVICE"],
            "sysctls": {"net.ipv4.ip_forward": 1},
            "image-pull-policy": "never",
        }
        links = [["r1:eth1", "r2:eth1"], ["r1:eth2", "h1:eth1"], ["r2:eth2", "h2:eth1"]]
        topology = {"defaults": defaults, "nodes": nodes, "links": [{"endpoints": ends} for ends in links]}
        self.file.write_text(json.dumps({"name": self.name, "mgmt": self._management(), "topology": topology}))

    def _management(self) -> dict[str, str]:
        return {"network": f"mgmt-{self.name}", "ipv4-subnet": "172.31.77.0/24"}

    def containerlab(self, *words: str) -> str:
        program = "import subprocess, sys; sys.exit(subprocess.run(sys.argv[1:]).returncode)"
        return self.site.run("-c", program, "containerlab", *words)

    def shown(self) -> dict[str, list[str]]:
        """By node: all that is configured, which programs run since when, and since when the container runs."""
        found = {}
        for node in ("r1", "r2", "h1", "h2"):
            name = f"clab-{self.name}-{node}"
            text = self.site.engine.run("exec", name, "sh", "-c", _SHOWN, check=False)
            text += self.site.engine.run("inspect", "--format", "{{.State.StartedAt}}", name)
            found[node] = text.splitlines()
        return found

    def changed_since(self, before: dict[str, list[str]]) -> list[str]:
        """The lines that are missing, and those that are too many."""
        now = self.shown()
        return [line for node in before for line in difflib.unified_diff(before[node], now[node], node, node, n=0)]

    def pytest(self, task: Path, *words: str) -> tuple[str, list[dict[str, Any]]]:
        return self.site.pytest(str(task), f"--netbench-lab={self.name}", *words)

    def start(self, task: Path, *words: str) -> Any:
        return self.site.start(
            "-m", "pytest", *QUIET, str(task), "--netbench-backend=containerlab", f"--netbench-lab={self.name}", *words
        )

    @property
    def journals(self) -> list[str]:
        return [path.name for path in (self.site.folder / "state/netbench/attached").glob("[!.]*.json")]

    @property
    def left(self) -> list[str]:
        """Files of runs that are not locks, and of nobody else."""
        state = self.site.folder / "state/netbench/attached"
        found = [*state.rglob("*"), *(self.site.folder / "tmp").glob("netbench-attached-*")]
        return sorted(str(path) for path in found if path.suffix != ".lock")

    def await_journal(self) -> None:
        ends_at = time.monotonic() + 90
        while not self.journals and time.monotonic() < ends_at:
            time.sleep(0.05)
        assert self.journals


@pytest.fixture(scope="module")
def site(docker: Engine, image: str, tmp_path_factory: pytest.TempPathFactory) -> Site:
    found = Site(docker, tmp_path_factory.mktemp("attach"), image)
    (found.folder / "tmp").mkdir()
    found.environment["TMPDIR"] = str(found.folder / "tmp")
    return found


@pytest.fixture(scope="module")
def lab(site: Site, tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningLab]:
    running = RunningLab(site, "netbench-integration:frr", tmp_path_factory.mktemp("own"))
    deployed = running.containerlab("deploy", "--topo", str(running.file))
    assert deployed.endswith("status 0\n"), deployed
    ends_at = time.monotonic() + 60
    while "hostname r2" not in running.shown()["r2"] and time.monotonic() < ends_at:
        time.sleep(0.5)
    yield running
    running.containerlab("destroy", "--topo", str(running.file), "--cleanup")


def written(folder: Path, topology: str = _OWN, truth: str = "ip route 10.9.0.1/32 192.0.2.2", first: str = "") -> Path:
    path = folder / "loopback.task.yaml"
    path.write_text(TASK.format(topology=topology, truth=truth, first=first))
    return path


def test_the_oracle_passes_nop_fails_and_the_lab_is_as_it_was_line_by_line(lab: RunningLab, tmp_path: Path) -> None:
    before = lab.shown()
    shown, results = lab.pytest(written(tmp_path), "--agent=oracle", "--agent=nop")
    by_agent = {one["agent"]["id"]: one for one in results}
    assert by_agent["oracle"]["status"] == "passed", shown
    assert by_agent["nop"]["status"] == "failed", shown
    assert {one["environment"]["lab"] for one in results} == {lab.name}
    assert {one["environment"]["backend"] for one in results} == {"containerlab"}
    assert lab.changed_since(before) == []
    assert lab.journals == []


AGENT = """\
from pytest_netbench import AgentInfo, Submission


class Careless:
    info = AgentInfo(id="careless", strategy="careless")

    def run(self, brief, ani):
        ani.update_cfg("r1", [
            "hostname mine", "router ospf", "network 192.0.2.0/24 area 7", "interface eth2", "shutdown",
            "no ip route 198.51.100.0/24 Null0", "end", "write memory",
        ])
        ani.update_cfg("h1", [
            "ip link add left type dummy", "ip address flush dev eth1", "ip link set d0 down", "ip route flush all",
            "nft flush ruleset", "sysctl -w net.ipv4.ip_forward=1", "ip link set eth1 mtu 1300",
        ])
        return Submission(reasoning="done")
"""


def test_what_a_careless_agent_leaves_is_taken_back(lab: RunningLab, tmp_path: Path) -> None:
    before = lab.shown()
    (tmp_path / "careless.py").write_text(textwrap.dedent(AGENT))
    lab.site.environment["PYTHONPATH"] += f":{tmp_path}"
    shown, results = lab.pytest(written(tmp_path), "--agent=careless:Careless")
    assert [one["status"] for one in results] == ["failed"], shown
    assert lab.changed_since(before) == []


def test_a_topology_file_serves_the_task_and_names_the_lab(lab: RunningLab, tmp_path: Path) -> None:
    before = lab.shown()
    shutil.copy(lab.file, tmp_path / "own.clab.yml")
    # of an image with FRR in its name a host must say that it is one
    hosts = "[{name: h1, platform: linux}, {name: h2, platform: linux}]"
    task = written(tmp_path, topology=f"{{clab: own.clab.yml, nodes: {hosts}}}")
    shown, results = lab.site.pytest(str(task), f"--netbench-lab={lab.file}", "--agent=oracle")
    assert [one["status"] for one in results] == ["passed"], shown
    assert lab.changed_since(before) == []


def test_what_a_killed_run_has_changed_is_put_back_by_clean(lab: RunningLab, tmp_path: Path) -> None:
    before = lab.shown()
    process = lab.start(written(tmp_path), "--agent=nop")
    lab.await_journal()
    ends_at = time.monotonic() + 60
    while "192.0.2.1/30" not in str(lab.shown()["r1"]) and time.monotonic() < ends_at:
        time.sleep(0.2)
    os.killpg(process.pid, signal.SIGKILL)
    process.wait()
    assert lab.changed_since(before) != []
    shown = lab.site.run("-m", "pytest_netbench.cli", "clean")
    assert f"what a run had configured in lab {lab.name}" in shown
    assert lab.changed_since(before) == []
    assert lab.left == []
    assert "nothing to remove" in lab.site.run("-m", "pytest_netbench.cli", "clean")


def test_what_was_kept_of_a_failed_trial_goes_when_it_is_told_to_and_not_before(
    lab: RunningLab, tmp_path: Path
) -> None:
    before = lab.shown()
    task = written(tmp_path)
    shown, (result,) = lab.pytest(task, "--agent=nop", "--netbench-keep")
    assert result["status"] == "failed", shown
    assert f"lab {lab.name}" in shown
    assert "to remove them: netbench clean --kept" in shown
    assert f"docker exec -it clab-{lab.name}-r1 vtysh" in shown
    kept = lab.shown()
    assert "ip address 192.0.2.1/30" in "\n".join(kept["r1"])
    assert "nothing to remove" in lab.site.run("-m", "pytest_netbench.cli", "clean")
    refused, _ = lab.pytest(task, "--agent=oracle")
    assert "a failed trial is kept there (fix: netbench clean --kept)" in " ".join(refused.split())
    assert lab.changed_since(kept) == []
    removed = lab.site.run("-m", "pytest_netbench.cli", "clean", "--kept")
    assert f"what a run had configured in lab {lab.name}" in removed
    assert lab.changed_since(before) == []
    assert lab.left == []
    assert "nothing to remove" in lab.site.run("-m", "pytest_netbench.cli", "clean", "--kept")
    shown, (result,) = lab.pytest(task, "--agent=oracle")
    assert result["status"] == "passed", shown


def test_the_next_run_puts_back_what_a_killed_one_has_changed(lab: RunningLab, tmp_path: Path) -> None:
    before = lab.shown()
    process = lab.start(written(tmp_path), "--agent=nop")
    lab.await_journal()
    os.killpg(process.pid, signal.SIGKILL)
    process.wait()
    shown, (result,) = lab.pytest(written(tmp_path), "--agent=oracle")
    assert result["status"] == "passed", shown
    assert lab.changed_since(before) == []


def test_two_runs_use_the_lab_one_after_the_other(lab: RunningLab, tmp_path: Path) -> None:
    before = lab.shown()
    both = [lab.start(written(tmp_path), f"--netbench-results={tmp_path / str(n)}", "--agent=oracle") for n in (1, 2)]
    outputs = [process.communicate(timeout=300)[0] for process in both]
    assert [process.returncode for process in both] == [0, 0], outputs
    assert lab.changed_since(before) == []


def test_a_match_in_several_ways_is_an_error_with_the_candidates(lab: RunningLab, tmp_path: Path) -> None:
    path = tmp_path / "one.task.yaml"
    path.write_text(
        "task_name: One host\nintents: [none]\nplatform: linux\ntopology: {nodes: [x]}\n"
        "testcases: [{kind: show, name: up, device: x, commands: ip link, expected_output: lo, intent: 1}]\n"
    )
    shown, results = lab.pytest(path, "--agent=oracle")
    assert "x of the task can be h1 or h2: say which by the label `netbench-node: x`" in " ".join(shown.split())
    assert [one["status"] for one in results] != ["passed"]


def test_a_daemon_that_does_not_run_is_named_before_anything_is_changed(lab: RunningLab, tmp_path: Path) -> None:
    before = lab.shown()
    shown, _ = lab.pytest(written(tmp_path, truth="router bgp 65000"), "--agent=oracle", "-rs")
    assert "r1: the task needs bgpd, which does not run there (running: ospfd, staticd, zebra)" in " ".join(
        shown.split()
    )
    assert "1 skipped" in shown
    assert lab.changed_since(before) == []
    assert lab.journals == []


def test_a_lab_that_does_not_run_is_an_error_that_names_those_that_do(lab: RunningLab, tmp_path: Path) -> None:
    shown, _ = lab.site.pytest(str(written(tmp_path)), "--netbench-lab=none", "--agent=oracle")
    assert f"no lab 'none' of containerlab runs here (running: {lab.name})" in " ".join(shown.split())
