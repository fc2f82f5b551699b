"""The family ``diagnose`` on real networks: what an agent sees, what it cannot do, and how its answer is judged."""

from __future__ import annotations

import base64
import subprocess
from typing import Any

import pytest

from pytest_netbench.agents.nop import Nop
from pytest_netbench.agents.oracle import Oracle
from pytest_netbench.ani.protocol import Ani
from pytest_netbench.errors import AniError, FaultHasNoEffect
from pytest_netbench.families.diagnose import DiagnoseFamily
from pytest_netbench.families.diagnose.evidence import EvidenceCheck
from pytest_netbench.families.diagnose.scene import DiagnoseScene
from pytest_netbench.families.proof import Extent
from pytest_netbench.faults.ospf_links import OSPF_TIMERS_WRONG
from pytest_netbench.faults.reasoning import repairs
from pytest_netbench.generators.diagnose import DiagnoseGenerator
from pytest_netbench.generators.diagnose_parameters import DiagnoseParameters
from pytest_netbench.generators.networks import NetworkParameters, draw_network, flow_groups
from pytest_netbench.model.diagnosis import diagnose_of
from pytest_netbench.model.task import Task
from pytest_netbench.model.trial import AgentInfo, Brief, Submission, TrialRecord
from pytest_netbench.scorers.apply import apply_scorers
from pytest_netbench.trial.selftest import selftest
from pytest_netbench.trial.stage import Stage

SMALL = {"shapes": ("line",), "size": "1", "hosts": "1", "level": "1", "names": "plain", "services": ()}
GATEWAY = {**SMALL, "faults": ("host-gateway-wrong",), "routings": ("static",), "platforms": ("frr",)}
CLUES = (
    "find /etc /run /tmp /var /root /home -printf '%p %s %m\\n' | sort",
    "ps -e -o args=",
    "env | sort",
    "ls /sys/class/net",
)


def drawn(**parameters: Any) -> Task:
    return DiagnoseGenerator().draw(DiagnoseParameters.model_validate(parameters), seed=2, index=0)


class Doctor:
    """Calls ``look`` with its interface."""

    info = AgentInfo(id="doctor", strategy="doctor")

    def __init__(self, look: Any) -> None:
        self.look = look

    def run(self, brief: Brief, ani: Ani) -> Submission:
        return Submission(answer=self.look(brief, ani))


def attempted(task: Task, agent: Any) -> TrialRecord:
    with Stage(task) as stage:
        stage.work(agent)
        return stage.evaluate()


def values(record: TrialRecord) -> dict[str, float | None]:
    return {score.metric: score.value for score in apply_scorers(record, DiagnoseFamily.scorers, where="worker")}


@pytest.mark.parametrize("healthy", [0.0, 1.0])
def test_the_oracle_is_right_and_saying_nothing_is_wrong(healthy: float) -> None:
    task = drawn(**GATEWAY, healthy=healthy)
    record = attempted(task, Oracle())
    assert set(values(record).values()) == {1.0}
    assert record.watch is not None
    assert bool(record.watch.wrong_before) is not bool(healthy)
    assert record.other["diagnosis"]
    assert set(values(attempted(task, Nop())).values()) == {0.0}


def test_devices_are_silent_once_the_diagnosis_is_fixed_and_only_then_the_lists_are_told() -> None:
    task = drawn(**GATEWAY, healthy=0.0)
    seen: dict[str, Any] = {}

    def look(brief: Brief, ani: Ani) -> None:
        host = next(name for name, platform in brief.devices.items() if platform == "linux")
        seen["before"] = ani.execute_cmd(host, "ip route")["output"]
        with pytest.raises(AniError, match="not permitted"):
            ani.update_cfg(host, ["ip route add 192.0.2.0/24 dev lo"])
        seen["lists"] = ani.call("submit-diagnosis", {"diagnosis": "a host has lost its way"})
        for request in (lambda: ani.execute_cmd(host, "ip route"), lambda: ani.get_running_cfg(host)):
            with pytest.raises(AniError, match="no device answers after 'submit-diagnosis'"):
                request()
        with pytest.raises(AniError, match="submitted already"):
            ani.call("submit-diagnosis", {"diagnosis": "now that I know the list"})

    record = attempted(task, Doctor(look))
    assert "default via" in seen["before"]
    payload = diagnose_of(task)
    assert [one["name"] for one in seen["lists"]["fault_types"]] == list(payload.fault_types)
    assert set(seen["lists"]["resources"]) >= {f"node/{node.name}" for node in payload.topology.nodes}
    after = record.other["diagnosed_after"]
    assert 0 < after["wall_s"] < record.agent_s + 1
    assert after["lab_s"] == pytest.approx(after["wall_s"] * record.environment.time_scale, rel=0.1, abs=1.0)
    assert record.other["diagnosis"] == "a host has lost its way"


def test_a_faulty_host_has_no_other_files_processes_or_names_than_a_healthy_one() -> None:
    found: list[dict[str, str]] = []

    def look(brief: Brief, ani: Ani) -> None:
        hosts = [name for name, platform in brief.devices.items() if platform == "linux"]
        found.append(
            {f"{host} {clue}": ani.execute_cmd(host, clue)["output"] for host in hosts for clue in CLUES}
            | {host: ani.execute_cmd(host, "ip route")["output"] for host in hosts}
        )

    for healthy in (0.0, 1.0):
        attempted(drawn(**GATEWAY, healthy=healthy), Doctor(look))
    faulty, sound = found
    other = {name for name in faulty if faulty[name] != sound[name]}
    (target,) = {one.parameters["node"] for one in diagnose_of(drawn(**GATEWAY, healthy=0.0)).faults}
    assert other == {target}, "nothing but the wrong route differs"
    assert all(faulty[name].strip() for name in faulty)


def test_a_fault_that_vanished_is_no_verdict() -> None:
    task = drawn(**GATEWAY, healthy=0.0)
    with Stage(task) as stage:
        stage.work(Nop())
        assert stage.lab is not None
        for _, node, commands in repairs(diagnose_of(task).faults):
            stage.lab.driver(node).apply(stage.lab.nodes[node], commands)
        with pytest.raises(FaultHasNoEffect, match="host-gateway-wrong"):
            stage.evaluate()


def test_a_fault_that_no_flow_shows_is_there_all_the_same() -> None:
    network = draw_network(NetworkParameters(shape="ring", routing="ospf", platform="frr", names="plain"))
    place = next(iter(OSPF_TIMERS_WRONG.places(network)))
    task = Task.model_validate(
        {
            "task_name": "a ring with one link too few",
            "slug": "latent",
            "family": "diagnose",
            "domain": "routing",
            **network.fields(),
            "flows": flow_groups(network),
            "faults": [{"fault": OSPF_TIMERS_WRONG.name, "parameters": place.model_dump(mode="json")}],
            "fault_types": [OSPF_TIMERS_WRONG.name],
        }
    )
    record = attempted(task, Oracle())
    assert record.watch is not None
    assert record.watch.wrong_before == record.watch.wrong_after == ()
    assert values(record)["root_cause"] == 1.0


@pytest.mark.parametrize("fault", ["ospf-area-wrong", "vlan-wrong"])
def test_after_the_repair_flows_and_routes_are_as_before(fault: str) -> None:
    shapes = ("campus",) if fault == "vlan-wrong" else ("line",)
    parameters = {**SMALL, "faults": (fault,), "platforms": ("cisco_ios",), "routings": ("ospf",), "shapes": shapes}
    found = selftest(drawn(**parameters, healthy=0.0), extent=Extent(repeats=1))
    assert found.problems == ()
    assert not found.shown["wrong flows"].startswith("0 ")


CUT = {**SMALL, "faults": ("link-down",), "routings": ("ospf",), "platforms": ("frr",), "healthy": 0.0}


def asked(ani: Ani, sql: str) -> list[list[Any]]:
    return [list(row) for row in ani.call("query-telemetry", {"sql": sql})["rows"]]


def test_telemetry_shows_the_onset_and_the_tools_the_present() -> None:
    task = drawn(**CUT)
    seen: dict[str, Any] = {}

    def look(brief: Brief, ani: Ani) -> None:
        seen["flows"] = asked(ani, "SELECT min(loss), max(loss) FROM flows GROUP BY source")
        seen["early"] = asked(ani, "SELECT time_s FROM flows GROUP BY time_s HAVING max(loss) < 0.2 AND time_s < 2.5")
        seen["clocks"] = asked(ani, "SELECT max(time_s), max(lab_s), max(stalled_ms) FROM flows")
        seen["up"] = asked(ani, "SELECT min(is_up), max(is_up) FROM neighbors")
        seen["sent"] = asked(ani, "SELECT node, max(sent_packets) - min(sent_packets) FROM interfaces GROUP BY node")
        seen["all"] = ani.call("check-reachability", {})
        one, other = [name for name, platform in brief.devices.items() if platform == "linux"][:2]
        seen["rate"] = ani.call("measure-rate", {"source": one, "target": other})
        for wrong, why in (
            (("measure-rate", {"source": "nobody", "target": other}), "is not one of the hosts"),
            (("check-reachability", {"protocol": "tcp"}), "tcp needs a port"),
            (("check-reachability", {"source": "nobody"}), "'nobody' is not one of the hosts"),
            (("check-reachability", {"page": 9}), "there is no page 9, only 1"),
            (("query-telemetry", {"sql": "DROP TABLE flows"}), "only one SELECT is allowed"),
        ):
            with pytest.raises(AniError, match=why):
                ani.call(*wrong)
        ani.call("submit-diagnosis", {"diagnosis": "a cable is cut"})
        with pytest.raises(AniError, match="no device answers after"):
            asked(ani, "SELECT 1")

    record = attempted(task, Doctor(look))
    assert [[0.0, 1.0]] * len(seen["flows"]) == seen["flows"], "first all arrived, then nothing"
    assert len(seen["early"]) >= 4, "several samples are older than the fault"
    ((wall_s, lab_s, stalled_ms),) = seen["clocks"]
    assert lab_s == pytest.approx(wall_s * record.environment.time_scale, rel=0.01)
    assert 0 <= stalled_ms < 1000 * wall_s
    assert seen["up"] in ([[0, 1]], [[1, 1]]), "FRR forgets a neighbor that is gone"
    assert min(count for _, count in seen["sent"]) > 0
    assert (seen["all"]["reached"], seen["all"]["failed"]) == (0, seen["all"]["tried"])
    assert [group["shares"] for group in seen["all"]["groups"]] == ["all"]
    assert 0 <= seen["rate"]["stalled_s"] < 1
    assert seen["rate"]["received_packets"] == 0 < seen["rate"]["sent_packets"]
    numbers = tuple(range(len(diagnose_of(task).demands)))
    assert record.other["breached_demands"] == {"before": numbers, "after": numbers}


def test_packets_are_captured_as_others_read_them() -> None:
    task = drawn(**{**CUT, "healthy": 1.0})
    demand = diagnose_of(task).demands[0]
    seen: dict[str, Any] = {}

    def look(brief: Brief, ani: Ani) -> None:
        place = {"node": demand.source, "interface": "eth0"}
        seen["all"] = ani.call("capture-packets", {**place, "packets": 200, "duration_s": 2.0, "pcap": True})
        seen["some"] = ani.call("capture-packets", {**place, "filter": f"udp dst port {demand.port}", "packets": 3})
        seen["none"] = ani.call("capture-packets", {**place, "filter": "tcp port 9", "duration_s": 0.2})
        router = next(name for name, platform in brief.devices.items() if platform != "linux")
        port = diagnose_of(task).topology.interfaces(router)[0]
        seen["router"] = ani.call("capture-packets", {"node": router, "interface": port, "packets": 2})
        for wrong, why in (
            ({"node": "nobody", "interface": "eth0"}, "'nobody' is not known"),
            ({**place, "interface": "eth9"}, "'eth9' is not known"),
            ({**place, "filter": "no such words"}, "filter: "),
            ({**place, "filter": "-w /tmp/x"}, "filter: "),
            ({**place, "filter": "'; touch /tmp/x; '"}, "filter: "),
            ({**place, "packets": 1000}, "packets"),
        ):
            with pytest.raises(AniError, match=why):
                ani.call("capture-packets", wrong)

    attempted(task, Doctor(look))
    assert len(seen["some"]["packets"]) == 3
    assert all(f".{demand.port}: UDP" in line for line in seen["some"]["packets"])
    assert seen["none"]["packets"] in ((), [])
    assert "pcap" not in seen["none"]
    assert len(seen["router"]["packets"]) == 2
    # another program reads the file
    pcap = base64.b64decode(seen["all"]["pcap"])
    packets = subprocess.run(["tcpdump", "-nn", "-r", "-"], input=pcap, capture_output=True, check=True).stdout
    assert len(packets.splitlines()) == len(seen["all"]["packets"]) > 20


def test_a_capture_on_a_trunk_shows_the_tags() -> None:
    campus = {"shapes": ("campus",), "routings": ("ospf",), "platforms": ("cisco_ios",), "size": "1"}
    task = drawn(**campus, faults=("host-address-wrong",), healthy=1.0)
    seen: list[str] = []

    def look(brief: Brief, ani: Ani) -> None:
        for name, platform in brief.devices.items():
            config = ani.call("get-running-cfg", {"device": name})["running_config"] if platform != "linux" else ""
            for section in config.split("\n!\n"):
                if "switchport mode trunk" in section:
                    port = section.split()[1]
                    wanted = {"node": name, "interface": port, "filter": "vlan", "packets": 20}
                    seen.extend(ani.call("capture-packets", wanted)["packets"])

    attempted(task, Doctor(look))
    assert {"vlan 10", "vlan 20"} <= {f"vlan {line.partition('vlan ')[2].partition(',')[0]}" for line in seen}


@pytest.mark.parametrize("traffic", ["uniform", "bursts"])
def test_the_traffic_of_a_healthy_network_arrives(traffic: str) -> None:
    record = attempted(drawn(**{**CUT, "healthy": 1.0, "traffic": traffic}), Oracle())
    assert record.other["breached_demands"] == {"before": (), "after": ()}
    assert values(record)["root_cause"] == 1.0


def test_evidence_holds_only_while_its_fault_is_there() -> None:
    task = drawn(**{**SMALL, "faults": ("link-down",), "routings": ("static",), "platforms": ("frr",)}, healthy=0.0)
    stage = Stage(task)
    try:
        stage.prepare()
        stage.health()
        assert isinstance(stage.scene, DiagnoseScene)
        check = EvidenceCheck(diagnose_of(task), patience_s=0.1)
        check.look_before(stage.scene)
        check.look_after(stage.scene)
        unseen = list(check.problems())
        stage.inject()
        stage.settle()
        check.look_after(stage.scene)
        found, _, count = check.shown.partition(" of ")
        check.look_before(stage.scene)
        *_, always = check.problems()
    finally:
        stage.destroy()
    assert found == count != "0"
    assert len(unseen) == int(count), "nothing is injected, so nothing shows it"
    assert all("Seen: " in one for one in unseen)
    assert always == "evidence of link-down: all holds in the healthy network"
