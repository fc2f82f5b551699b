"""DNS and web servers on hosts of a real network: what hosts get of them, and each fault of theirs."""

from __future__ import annotations

import re
import time
from typing import Any

import pytest

from pytest_netbench.agents.runbooks.expert import RunbookExpert
from pytest_netbench.ani.protocol import Ani
from pytest_netbench.dialects.linux.state_checks import STATE_CHECKS
from pytest_netbench.errors import AniError, FaultHasNoEffect
from pytest_netbench.families.diagnose import DiagnoseFamily
from pytest_netbench.families.diagnose.serving import Serving
from pytest_netbench.faults.injecting import inject_all
from pytest_netbench.faults.reasoning import known
from pytest_netbench.faults.servers import HOST_CPU_LIMITED, OnServer
from pytest_netbench.generators.default_faults import SERVED
from pytest_netbench.generators.diagnose import DiagnoseGenerator
from pytest_netbench.generators.diagnose_parameters import DiagnoseParameters
from pytest_netbench.generators.networks import NetworkParameters, draw_network, flow_groups
from pytest_netbench.lab.capabilities import NODES
from pytest_netbench.lab.clients import get, look_up
from pytest_netbench.lab.probing import Probe
from pytest_netbench.model.diagnosis import Diagnose, diagnose_of
from pytest_netbench.model.faulty import fault_of
from pytest_netbench.model.task import Task
from pytest_netbench.model.trial import AgentInfo, Brief, Submission
from pytest_netbench.scorers.apply import apply_scorers
from pytest_netbench.trial.stage import Stage
from tests.support.ios import await_that

FIXED: dict[str, Any] = {
    "shapes": ("star",),
    "routings": ("static",),
    "platforms": ("frr",),
    "services": ("dns", "web"),
    "size": "1",
    "hosts": "2",
    "names": "plain",
    "traffic": "none",
}
FAILED = {
    "dns-record-wrong": 5,
    "dns-server-down": 8,
    "dns-server-slow": 8,
    "dns-port-blocked": 8,
    "host-resolver-wrong": 2,
    "host-receive-window-small": 1,
}
"""Requests, of four for a page and four for a name. Those of web servers fail four."""
BUSY = STATE_CHECKS["short of processor time"].of()
CLUES = (
    "find /etc /run /tmp /var /root /home -printf '%p %s %m\\n' | sort",
    "ps -e -o args=",
    "env | sort",
    "ip route",
)


@pytest.fixture(scope="module")
def payload() -> Diagnose:
    given = {"shape": "star", "platform": "frr", "services": ("dns", "web"), "managed_hosts": True}
    network = draw_network(NetworkParameters.model_validate(given))
    fields = {**network.fields(), "flows": flow_groups(network), "faults": (), "fault_types": SERVED}
    return Diagnose.model_validate(fields)


@pytest.fixture(scope="module")
def lab(payload: Diagnose, deploy_task: Any) -> Any:
    task = Task.model_validate(
        {
            "task_name": "servers",
            "slug": "servers",
            "family": "diagnose",
            **{name: getattr(payload, name) for name in type(payload).model_fields},
        }
    )
    return deploy_task(task)


@pytest.fixture(scope="module")
def serving(lab: Any, payload: Diagnose) -> Serving:
    serving = Serving(lab, payload)
    serving.await_healthy()
    return serving


def server(payload: Diagnose, kind: str) -> str:
    return next(name for name, kinds in payload.topology.servers.items() if kind in kinds)


def client(payload: Diagnose) -> str:
    """A host without servers."""
    return next(
        node.name for node in payload.topology.nodes if node.services and node.name not in payload.topology.servers
    )


def test_each_host_gets_names_and_pages(lab: Any, payload: Diagnose, serving: Serving) -> None:
    assert serving.count == 4 + 4, "a page for each host, and each name"
    addresses = {name: address for group in payload.flows for name, address in group.targets.items()}
    node, web = lab.nodes[client(payload)], server(payload, "web")
    answer = look_up(node, web)
    assert (answer.status, answer.addresses) == ("NOERROR", (addresses[web],))
    assert look_up(node, "nobody").status == "NXDOMAIN"
    assert look_up(node, web, server=addresses[web]).error == "Connection refused"
    page = get(node, f"http://{web}/")
    (size,) = (one.page_bytes for one in payload.topology.node(web).services if one.kind == "web")
    assert (page.status, page.size, page.address) == (200, size, addresses[web])
    assert get(node, f"http://{web}/none").status == 404


def test_probes_of_the_ports_of_servers_work_beside_the_servers(lab: Any, payload: Diagnose, serving: Serving) -> None:
    addresses = {name: address for group in payload.flows for name, address in group.targets.items()}
    probes = [
        Probe(
            source=client(payload),
            target=addresses[target],
            protocol=protocol,  # type: ignore[arg-type]
            port=port,
            listen_on=target,
            timeout_s=2.0,
        )
        for target in (server(payload, "dns"), server(payload, "web"))
        for protocol, port in (("udp", 53), ("tcp", 53), ("tcp", 80))
    ]
    assert all(result.delivered for result in lab.prober.probe(probes))
    assert serving.failures() == ()


def test_the_running_config_of_a_host_has_its_resolver_and_its_zone(
    lab: Any, payload: Diagnose, serving: Serving
) -> None:
    dns = server(payload, "dns")
    text = lab.driver(dns).running_config(lab.nodes[dns])
    assert "file /etc/resolv.conf\n search corp.example\n nameserver 10." in text
    assert text.count(".corp.example\n") == len(payload.topology.nodes) - 1


@pytest.mark.parametrize(
    "name", [name for name in SERVED if name not in {"tcp-syn-flood", "web-flood", "host-cpu-limited"}]
)  # see test_floods
def test_a_fault_is_seen_by_hosts_and_goes_away(name: str, lab: Any, payload: Diagnose, serving: Serving) -> None:
    fault: Any = fault_of(name)
    given = {"shape": "star", "platform": "frr", "services": ("dns", "web"), "managed_hosts": True}
    found = list(fault.places(draw_network(NetworkParameters.model_validate(given))))
    web = server(payload, "web")
    # of the records, that of the web server is used
    one = next(one for one in found if name != "dns-record-wrong" or one.name.startswith(f"{web}."))
    with pytest.raises(FaultHasNoEffect):
        fault.observe(one, lab)
    configs = {node: lab.driver(node).running_config(lab.nodes[node]) for node in lab.nodes}
    inject_all([(fault, one)], lab)
    try:
        await_that(lambda: _holds(fault, one, lab), lambda: f"{name} is not there")
        failed = serving.failures()
        busy = lab.driver(one.node).execute(lab.nodes[one.node], BUSY.command)
    finally:
        if hasattr(fault, "undo"):
            fault.undo(one, lab)
        for node, commands in fault.recover(one).items():
            assert {status.status for status in lab.driver(node).apply(lab.nodes[node], commands)} == {"success"}
    expected = FAILED.get(name, 4)
    # a slow server answers for a moment every three seconds: a request that comes just then is answered
    assert (0 < len(failed) <= expected) if name.endswith("-slow") else len(failed) == expected
    assert not is_short(busy), "the host itself is not slow"
    serving.await_healthy()
    assert {node: lab.driver(node).running_config(lab.nodes[node]) for node in lab.nodes} == configs
    with pytest.raises(FaultHasNoEffect):
        fault.observe(one, lab)


def is_short(said: str) -> bool:
    """Whether a busy loop got little of a processor."""
    return bool(re.search(BUSY.pattern, said, re.MULTILINE))


def test_a_host_short_of_processor_time_is_late_in_all_but_pings(lab: Any, payload: Diagnose, serving: Serving) -> None:
    fault = HOST_CPU_LIMITED
    node, asking = server(payload, "dns"), client(payload)
    place = OnServer(node=node, platform="linux")
    addresses = {name: address for group in payload.flows for name, address in group.targets.items()}
    configs = {name: lab.driver(name).running_config(lab.nodes[name]) for name in lab.nodes}
    with pytest.raises(FaultHasNoEffect):
        fault.observe(place, lab)
    inject_all([(fault, place)], lab)
    try:
        await_that(lambda: _holds(fault, place, lab), lambda: "it is not there")
        answers = []
        for _ in range(2):
            answers.append(look_up(lab.nodes[asking], asking, server=addresses[node], timeout_s=5.0))
            time.sleep(0.3)  # the turn in which the first answer came is over, and the next one far
        assert [one.error for one in answers] == [None, None]
        assert (answers[1].time_ms or 0.0) > 500
        (ping,) = lab.prober.probe([Probe(source=asking, target=addresses[node], timeout_s=0.2)])
        assert ping.delivered
        assert is_short(lab.driver(node).execute(lab.nodes[node], BUSY.command))
        assert not is_short(lab.driver(asking).execute(lab.nodes[asking], BUSY.command)), "another host is not"
    finally:
        fault.undo(place, lab)
    serving.await_healthy()
    with pytest.raises(FaultHasNoEffect):
        fault.observe(place, lab)
    assert {name: lab.driver(name).running_config(lab.nodes[name]) for name in lab.nodes} == configs


@pytest.mark.parametrize("count", [0, 1])
def test_no_time_of_a_file_tells_what_was_changed(count: int, lab: Any, payload: Diagnose, serving: Serving) -> None:
    fault: Any = fault_of("host-resolver-wrong")
    given = {"shape": "star", "platform": "frr", "services": ("dns", "web"), "managed_hosts": True}
    places = list(fault.places(draw_network(NetworkParameters.model_validate(given))))
    before = time.time()
    inject_all([(fault, one) for one in places[:count]], lab)
    hosts = [node.name for node in payload.topology.nodes if node.services]
    script = "stat -c '%Z %Y' /etc/resolv.conf /etc/nsswitch.conf /etc/dnsmasq.conf /etc/dnsmasq.d/* 2>/dev/null; true"
    for host in hosts:
        times = lab.driver(host).execute(lab.nodes[host], script).split()
        assert len(times) >= 4
        assert all(int(one) >= int(before) for one in times), "each file is as new as the others"
    for one in places[:count]:
        for node, commands in fault.recover(one).items():
            lab.driver(node).apply(lab.nodes[node], commands)
    serving.await_healthy()


def _holds(fault: Any, one: Any, lab: Any) -> bool:
    try:
        fault.observe(one, lab)
    except FaultHasNoEffect:
        return False
    return True


def test_servers_run_again_after_a_reboot(lab: Any, payload: Diagnose, serving: Serving) -> None:
    for kind in ("dns", "web"):
        lab.capability(NODES).reboot(server(payload, kind))
    serving.await_healthy()


# ---- trials ----


class Looks:
    """Looks at a network and answers that it is healthy."""

    info = AgentInfo(id="looks", strategy="looks")

    def __init__(self, look: Any) -> None:
        self.found: Any = None
        self._look = look

    def run(self, brief: Brief, ani: Ani) -> Submission:
        self.found = self._look(brief, ani)
        return Submission(answer={"is_anomaly": False, "root_causes": []})


def drawn(**parameters: Any) -> Task:
    return DiagnoseGenerator().draw(DiagnoseParameters.model_validate({**FIXED, **parameters}), seed=4, index=0)


def test_a_server_that_is_down_leaves_no_other_trace_and_agents_can_ask() -> None:
    def look(brief: Brief, ani: Ani) -> Any:
        hosts = [name for name, platform in brief.devices.items() if platform == "linux"]
        servers = ani.call("get-topology", {})["topology"]["services"]
        (web,) = (name for name, kinds in servers.items() if "web" in kinds)
        page = ani.call("http-get", {"node": hosts[0], "url": f"http://{web}/", "timeout_s": 2})
        name = ani.call("lookup-name", {"node": hosts[0], "name": web})
        assert name["addresses"]
        for method, params in (
            ("http-get", {"node": "r0", "url": f"http://{web}/"}),
            ("http-get", {"node": hosts[0], "url": "file:///etc/passwd"}),
            ("lookup-name", {"node": hosts[0], "name": "-x; ls"}),
            ("lookup-name", {"node": hosts[0], "name": web, "server": "x"}),
        ):
            with pytest.raises(AniError):
                ani.call(method, params)
        clues = {f"{host} {clue}": ani.execute_cmd(host, clue)["output"] for host in hosts for clue in CLUES}
        return page, clues

    found = []
    for healthy in (0.0, 1.0):
        agent = Looks(look)
        task = drawn(faults=("web-server-down",), level="1", healthy=healthy)
        with Stage(task) as stage:
            stage.work(agent)
            record = stage.evaluate()
        found.append(agent.found)
        failed = record.other["failed_requests"]
        assert len(failed) == (0 if healthy else 4)
    (faulty, hidden), (sound, shown) = found
    assert (faulty.get("status"), sound.get("status")) == (None, 200)
    assert hidden == shown
    assert all(shown.values())


def test_the_runbook_expert_names_two_faults_of_servers() -> None:
    task = drawn(faults=("dns-record-wrong", "web-server-slow"), level="2", healthy=0.0)
    assert {one.fault for one in diagnose_of(task).faults} == {"dns-record-wrong", "web-server-slow"}
    with Stage(task) as stage:
        stage.work(RunbookExpert())
        record = stage.evaluate()
    scores = {score.metric: score.value for score in apply_scorers(record, DiagnoseFamily.scorers, where="worker")}
    assert scores["root_cause"] == 1.0


def test_faults_are_known_by_their_parameters() -> None:
    """What a task file has is enough to inject and repair it."""
    for name in SERVED:
        fault, parameters = known(diagnose_of(drawn(faults=(name,), level="1", healthy=0.0)).faults[0])
        assert fault.name == name
        assert fault.touches(parameters)


def test_requests_of_hosts_are_in_the_telemetry_from_before_the_fault() -> None:
    parameters = {**FIXED, "traffic": "web", "faults": ("web-server-down",), "level": "1", "healthy": 0.0}
    task = DiagnoseGenerator().draw(DiagnoseParameters.model_validate(parameters), seed=1, index=0)
    seen: list[list[Any]] = []

    class Reader:
        info = AgentInfo(id="reader", strategy="reader")

        def run(self, brief: Brief, ani: Ani) -> Submission:
            assert "Hosts ask for these pages all the time" in brief.intents[0]
            time.sleep(1.0)
            sql = "SELECT time_s, client, status, total_ms, error FROM requests ORDER BY time_s"
            seen.extend(list(row) for row in ani.call("query-telemetry", {"sql": sql})["rows"])
            return Submission()

    with Stage(task) as stage:
        stage.work(Reader())
    answered = [row for row in seen if row[2] == 200]
    refused = [row for row in seen if row[4] is not None]
    assert answered
    assert refused
    assert max(row[0] for row in answered) < min(row[0] for row in refused), "first all are answered, then none"


def test_requests_need_a_web_server() -> None:
    with pytest.raises(ValueError, match="traffic=web needs services=web"):
        DiagnoseParameters.model_validate({**FIXED, "traffic": "web", "services": ("dns",)})
