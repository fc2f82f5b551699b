"""Labs on real GNS3 servers, with real VPCS hosts; frames pass stand-ins for ubridge and dynamips."""

from __future__ import annotations

import contextlib
import json
import os
import re
import signal
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.integration.gns3 import Gns3, served, settings
from tests.support.programs import NotToBeHad

RELEASES = ("3.0.6", "2.2.61")
TASK = """\
task_name: An address for the printer
difficulty: easy
platform: linux
requirements: [probes]
intents:
  - The printer has the address 10.0.0.30/24, and the computers reach it.
topology:
  nodes:
    - {name: pc1, control: observed, role: computer}
    - {name: pc2, control: observed, role: computer}
    - {name: printer, control: managed, role: printer}
  links:
    - pc1 eth0 <-> pc2 eth0 <-> printer eth0
startup_configs:
  pc1: ip address add 10.0.0.10/24 dev eth0
  pc2: ip address add 10.0.0.20/24 dev eth0
  printer: ip address add 10.9.0.30/24 dev eth0
ground_truth_configs:
  printer:
    - ip address del 10.9.0.30/24 dev eth0
    - ip address add 10.0.0.30/24 dev eth0
health_checks:
  - {name: the computers reach each other, kind: reachability, from: pc1, to: pc2}
testcases:
  - {name: pc1 reaches the printer, kind: reachability, from: pc1, to: 10.0.0.30, within: 1s}
  - {name: pc2 prints, kind: reachability, from: pc2, to: 10.0.0.30, protocol: tcp, port: 9100, within: 1s}
"""
PROGRAM = """
import json, sys, time
from pytest_netbench import parts
from pytest_netbench.lab.capabilities import LINKS, NODES
from pytest_netbench.lab.probing import Probe
from pytest_netbench.lab.request import LabRequest
from pytest_netbench.model.topology import Endpoint, Link, LinkQuality, Node, Topology

def link(*ends, **quality):
    ends = [Endpoint(node=node, interface="eth0") for node in ends]
    return Link(endpoints=tuple(ends), quality=LinkQuality(**quality))

def deployed(name, nodes, *links):
    return parts.load("backends", "gns3")().deploy(LabRequest(
        name=name,
        topology=Topology(nodes=tuple(Node(name=node, platform="linux") for node in nodes), links=links),
        dialects=dict.fromkeys(nodes, "linux"),
        startup_configs={node: f"ip address add 10.0.0.{n}/24 dev eth0" for n, node in enumerate(nodes, 1)},
    ))

def icmp(lab, source="a", target="10.0.0.2"):
    (result,) = lab.prober.probe([Probe(source=source, target=target)], repetitions=2)
    return result

def tell(**found):
    print(json.dumps(found), flush=True)
"""

pytestmark = pytest.mark.skipif(os.geteuid() != 0, reason="the server is started in a namespace as root")


@pytest.fixture(scope="module", params=RELEASES)
def gns3(
    request: pytest.FixtureRequest, say: Callable[[str], None], tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Gns3]:
    try:
        with served(tmp_path_factory.mktemp("gns3"), request.param, say) as one:
            (one.folder / "printer.task.yaml").write_text(TASK)
            yield one
    except NotToBeHad as error:
        pytest.skip(str(error))


def told(shown: str) -> dict[str, object]:
    lines = [line for line in shown.splitlines() if line.startswith("{")]
    assert lines, shown
    found: dict[str, object] = json.loads(lines[-1])
    return found


def test_doctor_names_the_release_and_the_templates(gns3: Gns3) -> None:
    shown = gns3.netbench("doctor", "--backend", "gns3")
    assert f"GNS3 {gns3.release} at {gns3.environment['NETBENCH_GNS3']}, compute local" in shown
    assert "template 'VPCS', driver vpcs" in shown
    assert "the GNS3 server has no template 'Cisco IOSv' (known: ATM switch, Cloud," in shown
    assert "labs can run here" in shown


def test_a_task_of_hosts_is_passed_by_the_oracle_and_not_by_nop(gns3: Gns3) -> None:
    shown, results = gns3.pytest(str(gns3.folder / "printer.task.yaml"), "--agent=oracle", "--agent=nop")
    by_agent = {one["agent"]["id"]: one for one in results}
    assert by_agent["oracle"]["status"] == "passed", shown
    assert by_agent["nop"]["status"] == "failed", shown
    assert {one["environment"]["backend"] for one in results} == {"gns3"}
    assert by_agent["oracle"]["environment"]["platforms"]["linux"].startswith("VPCS ")
    assert gns3.projects() == []


def test_links_are_cut_restored_and_shaped_and_hosts_crash_and_reboot(gns3: Gns3) -> None:
    shown = gns3.run(
        "-c",
        PROGRAM
        + """
lab = deployed("links", ["a", "b"], link("a", "b", delay_ms=20))
links, nodes = lab.capability(LINKS), lab.capability(NODES)
try:
    found = {"at first": icmp(lab).round_trip_ms}
    links.cut("b", "eth0")
    found["cut"] = icmp(lab).delivered, links.is_cut("a", "eth0")
    links.restore("a", "eth0")
    found["restored"] = icmp(lab).round_trip_ms
    links.set_quality("a", "eth0", LinkQuality())
    found["plain"] = icmp(lab).round_trip_ms
    links.set_quality("a", "eth0", LinkQuality(loss=1))
    found["lossy"] = icmp(lab).delivered
    links.set_quality("a", "eth0", LinkQuality())
    nodes.crash("b")
    found["crashed"] = icmp(lab).delivered
    nodes.revive("b")
    found["revived"] = icmp(lab).delivered
    nodes.reboot("b")
    found["rebooted"] = icmp(lab).delivered
finally:
    lab.destroy()
    lab.await_cleanup()
tell(**found)
""",
    )
    found = told(shown)
    assert 40 <= float(str(found["at first"])) < 200
    assert found["cut"] == [False, True]
    assert 40 <= float(str(found["restored"])) < 200
    assert float(str(found["plain"])) < 40
    assert [found[what] for what in ("lossy", "crashed", "revived", "rebooted")] == [False, False, True, True]
    assert gns3.projects() == []


def test_four_labs_side_by_side_do_not_hear_each_other(gns3: Gns3) -> None:
    program = (
        PROGRAM
        + """
lab = deployed("side by side", ["a", "b", "c"], link("a", "b", "c"))
time.sleep(3)
answers = [icmp(lab, source, target).delivered for source, target in (("a", "10.0.0.2"), ("c", "10.0.0.1"))]
tell(found=answers, path=len(lab.prober.path("a", "10.0.0.3")))
lab.destroy()
lab.await_cleanup()
"""
    )
    processes = [gns3.open("-c", program) for _ in range(4)]
    for process in processes:
        output, _ = process.communicate(timeout=200)
        assert told(output) == {"found": [True, True], "path": 1}
        assert process.returncode == 0, output
    assert gns3.projects() == []


def test_an_agent_runs_no_program_on_the_machine_of_the_server(gns3: Gns3) -> None:
    shown = gns3.run(
        "-c",
        PROGRAM
        + f"""
lab = deployed("rights", ["a", "b"], link("a", "b"))
node, driver = lab.nodes["a"], lab.driver("a")
asked = ["! touch {gns3.folder}/broken", "ping 10.0.0.2 -c 1\\n! touch {gns3.folder}/broken", "set dump all", "show ip"]
tell(read=[driver.execute(node, one) for one in asked], write=[one.status for one in driver.apply(node, asked)])
lab.destroy()
lab.await_cleanup()
""",
    )
    found = told(shown)
    *refused, answered = list(found["read"])  # type: ignore[call-overload]
    assert all("This host is a VPCS. It answers: " in one for one in refused)
    assert "10.0.0.1/24" in answered
    assert found["write"] == ["error"] * 4
    assert not (gns3.folder / "broken").exists()


def test_wrong_credentials_and_a_missing_template_are_a_skip_with_the_fix(gns3: Gns3) -> None:
    task = str(gns3.folder / "printer.task.yaml")
    shown, results = gns3.pytest(task, "--agent=nop", "-rs", NETBENCH_GNS3_PASSWORD="wr0ng")
    assert "does not let user 'admin' in (fix: set NETBENCH_GNS3_USER and NETBENCH_GNS3_PASSWORD)" in shown
    assert "wr0ng" not in shown
    assert results == []
    kinds = gns3.folder / "kinds.yaml"
    kinds.write_text("linux: {gns3: {template: VPCS2}}\n")
    shown, _ = gns3.pytest(task, "--agent=nop", "-rs", NETBENCH_KINDS=str(kinds))
    assert "the GNS3 server has no template 'VPCS2'" in shown
    assert "Did you mean 'VPCS'?" in shown


def test_a_project_of_a_killed_run_is_deleted_by_clean_and_by_the_next_run(gns3: Gns3) -> None:
    program = PROGRAM + 'lab = deployed("killed", ["a", "b"], link("a", "b"))\ntell(up=1)\ntime.sleep(600)\n'
    for how in ("clean", "deploy"):
        process = gns3.open("-c", program)
        assert process.stdout is not None
        assert "up" in process.stdout.readline()
        assert "nothing to remove" in gns3.netbench("clean", "--backend", "gns3")
        os.killpg(process.pid, signal.SIGKILL)
        process.communicate()
        (left,) = gns3.projects()
        if how == "clean":
            assert f"gns3: removed {left}" in gns3.netbench("clean", "--backend", "gns3")
        else:
            shown, (result,) = gns3.pytest(str(gns3.folder / "printer.task.yaml"), "--agent=oracle")
            assert result["status"] == "passed", shown
        assert gns3.projects() == []


def test_the_project_of_a_failed_trial_stays_until_it_is_told_to_go(gns3: Gns3) -> None:
    task = str(gns3.folder / "printer.task.yaml")
    shown, results = gns3.pytest(task, "--agent=nop", "--agent=oracle", "--netbench-keep", "-n", "2")
    assert {one["agent"]["id"]: one["status"] for one in results} == {"nop": "failed", "oracle": "passed"}, shown
    (name,) = gns3.projects()
    assert f"  project {name} of {gns3.environment['NETBENCH_GNS3']}\n" in shown
    assert "to remove them: netbench clean --kept" in shown
    consoles = dict(re.findall(r"^ +(\w+): telnet 127\.0\.0\.1 (\d+)$", shown, re.MULTILINE))
    assert consoles.keys() == {"pc1", "pc2", "printer"}
    assert "10.9.0.30/24" in " ".join(settings("printer", int(consoles["printer"])))
    assert "nothing to remove" in gns3.netbench("clean", "--backend", "gns3")
    _, results = gns3.pytest(task, "--agent=oracle")
    assert [one["status"] for one in results] == ["passed"]
    assert gns3.projects() == [name]
    assert f"gns3: removed {name}" in gns3.netbench("clean", "--kept", "--backend", "gns3")
    assert gns3.projects() == []


def test_a_server_that_is_killed_takes_all_its_programs_with_it_and_the_lab_is_an_error(gns3: Gns3) -> None:
    program = (
        PROGRAM
        + """
lab = deployed("server killed", ["a", "b"], link("a", "b"))
tell(up=1)
from pytest_netbench.errors import LabDied, LabError
try:
    while True:
        lab.capability(LINKS).set_quality("a", "eth0", LinkQuality(delay_ms=1))
        lab.capability(LINKS).set_quality("a", "eth0", LinkQuality(delay_ms=2))
except LabDied as error:
    tell(died=str(error))
try:
    icmp(lab)
except LabError as error:
    tell(console=str(error))
lab.destroy()
try:
    lab.await_cleanup()
except LabError as error:
    tell(left=str(error))
"""
    )
    process = gns3.open("-c", program)
    assert process.stdout is not None
    assert "up" in process.stdout.readline()
    assert any("vpcs" in one for one in gns3.processes())
    gns3.end(signal.SIGKILL)
    assert gns3.gone()
    output, _ = process.communicate(timeout=120)
    gns3.start()
    assert "no GNS3 server answers: Connection refused" in output or "ended its answer midway" in output
    assert "a: the console is gone" in output or "a: no console at" in output
    assert "could not be deleted (fix: netbench clean)" in output
    assert process.returncode == 0, output
    (left,) = gns3.projects()
    assert f"gns3: removed {left}" in gns3.netbench("clean")
    assert gns3.projects() == []


@pytest.mark.parametrize("gns3", RELEASES[:1], indirect=True)  # it waits for a minute
def test_a_server_that_hangs_in_a_deployment_is_an_error_of_the_run(gns3: Gns3) -> None:
    kinds = gns3.folder / "kinds.yaml"
    kinds.write_text("linux: {gns3: {boot-s: 5}}\n")
    process = gns3.open("-c", PROGRAM + 'deployed("hangs", ["a", "b"], link("a", "b"))\n', NETBENCH_KINDS=str(kinds))
    while not gns3.projects():
        assert process.poll() is None
        time.sleep(0.01)
    stopped = [int(place.name) for place in Path("/proc").glob("[0-9]*") if _is_server(place, gns3)]
    assert stopped
    for one in stopped:
        os.kill(one, signal.SIGSTOP)
    try:
        output, _ = process.communicate(timeout=200)
    finally:
        for one in stopped:
            os.kill(one, signal.SIGCONT)
    said = output.strip().splitlines()[-1]
    assert "LabError: " in said or "Unreachable: " in said
    assert "no answer within" in said or "no prompt on its console within 5 s" in said or "no console at" in said
    gns3.netbench("clean")
    assert gns3.projects() == []


def _is_server(place: Path, gns3: Gns3) -> bool:
    with contextlib.suppress(OSError):
        words = (place / "cmdline").read_bytes().decode(errors="replace").split("\0")
        return words[0].endswith("/python") and f"{gns3.folder}/data" in "".join(words)
    return False


def test_nothing_runs_after_the_server_was_asked_to_end(gns3: Gns3) -> None:
    gns3.end()
    assert gns3.gone()
    shown = gns3.netbench("doctor", "--backend", "gns3")
    assert "no GNS3 server answers: Connection refused" in shown
    assert "fix: start one by `netbench gns3 serve`, or name one in NETBENCH_GNS3" in shown
    assert "labs cannot run here: server" in shown
