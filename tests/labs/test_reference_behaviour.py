"""The reference behaviour on a real network: what a solution breaks beside the tested flow is found."""

from __future__ import annotations

import multiprocessing
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest

from pytest_netbench import parts
from pytest_netbench.ani.interface import AgentInterface
from pytest_netbench.ani.policy import Policy
from pytest_netbench.errors import RequirementMissing
from pytest_netbench.evaluation.reference import changes_at
from pytest_netbench.lab.request import request_of
from pytest_netbench.model.solutions import Solution, Solutions
from pytest_netbench.model.task import UNLIMITED, Task
from pytest_netbench.model.testcase import ReachabilityTestcase, RouteTestcase
from pytest_netbench.trial import Settings, Stage, record_behaviour
from tests.support.behaviours import reference

CORE = """hostname Core
interface GigabitEthernet0/0
 ip address 10.1.20.1 255.255.255.0
 no shutdown
interface GigabitEthernet0/1
 ip address 10.1.30.1 255.255.255.0
 ip access-group 110 out
 no shutdown
interface GigabitEthernet0/2
 ip address 10.0.0.1 255.255.255.252
 no shutdown
router ospf 1
 network 10.0.0.0 0.0.0.3 area 0
 network 10.1.20.0 0.0.0.255 area 0
access-list 110 deny udp any any eq 69
access-list 110 permit ip any any
ip route 10.7.0.1 255.255.255.255 10.1.30.10 200
"""
PROVIDER = """hostname provider
interface lo
 ip address 10.7.0.1/16
 ip ospf area 0
exit
interface eth0
 ip address 10.0.0.2/30
 ip ospf area 0
exit
router ospf
exit
"""


def host(address: str, gateway: str) -> str:
    return f"ip address add {address}/24 dev eth0\nip route add default via {gateway}\n"


def link(*ends: str) -> dict[str, Any]:
    return {"endpoints": [dict(zip(("node", "interface"), end.split(), strict=True)) for end in ends]}


TASK = Task.model_validate(
    {
        "task_name": "No telnet",
        "slug": "no-telnet",
        "platform": "cisco_ios",
        "intents": [{"text": "The PC 10.1.20.7 does not use telnet (TCP port 23) to the database 10.1.30.10."}],
        "topology": {
            "nodes": [
                {"name": "Core"},
                {"name": "pc", "platform": "linux", "control": "observed"},
                {"name": "db", "platform": "linux", "control": "observed"},
                {"name": "provider", "platform": "frr", "control": "foreign"},
            ],
            "links": [
                link("pc eth0", "Core GigabitEthernet0/0"),
                link("db eth0", "Core GigabitEthernet0/1"),
                link("provider eth0", "Core GigabitEthernet0/2"),
            ],
        },
        "startup_configs": {
            "Core": CORE,
            "provider": PROVIDER,
            "pc": host("10.1.20.7", "10.1.20.1"),
            "db": host("10.1.30.10", "10.1.30.1"),
        },
        "ground_truth_configs": {
            "Core": [
                "ip access-list extended NO-TELNET",
                "deny tcp host 10.1.20.7 host 10.1.30.10 eq 23",
                "permit ip any any",
                "interface GigabitEthernet0/0",
                "ip access-group NO-TELNET in",
            ]
        },
        "events": {"provider-lost": [{"cut": {"node": "Core", "interface": "GigabitEthernet0/2"}}]},
        "reference": {
            "flows": 1000,
            "changes": [{"intent": 1, "from": "pc", "to": "db", "protocol": "tcp", "ports": 23}],
        },
        "testcases": [
            {"name": "the rest", "kind": "reference", "role": "regression"},
            {
                "name": "the rest later",
                "kind": "reference",
                "role": "regression",
                "within_s": 5,
                "under": "provider-lost",
            },
        ],
    }
)
TRUTH = TASK.payload.ground_truth_configs["Core"]  # type: ignore[attr-defined]
OTHER_MECHANISM = ("no access-list 110", "access-list 110 deny udp any any eq 69")
OTHER_MECHANISM += (
    "access-list 110 deny tcp host 10.1.20.7 host 10.1.30.10 eq telnet",
    "access-list 110 permit ip any any",
)
STRICT = ("ip access-list extended STRICT", "10 deny tcp host 10.1.20.7 host 10.1.30.10 eq telnet")
STRICT += ("20 permit ip any any", "interface GigabitEthernet0/0", "ip access-group STRICT in")
RIGHT = Solutions(
    right=(
        Solution(name="in the list that is there", reason="it is asked anyway", configs={"Core": OTHER_MECHANISM}),
        Solution(name="with numbers", reason="the same packets", configs={"Core": STRICT}),
    )
)


@pytest.fixture(scope="module")
def behaviour():
    lack = parts.load("backends", "netns")().lacks(request_of(TASK))
    if lack is not None:
        pytest.skip(f"{lack[0]}; fix: {lack[1]}")
    return record_behaviour(TASK, solutions=RIGHT)


@contextmanager
def configured(behaviour, lines, **settings) -> Iterator[Stage]:
    with Stage(TASK, Settings(reference=lambda _: behaviour, **settings)) as stage:
        ani = AgentInterface(stage.lab, policy=Policy(), budget=UNLIMITED)
        answer = ani.update_cfg("Core", list(lines))
        assert [one for one in answer["results"] if one["status"] == "error"] == []
        ani.close()
        yield stage


def verdicts(stage: Stage) -> dict[str, str]:
    results = stage.scene.evaluation.run_testcases(TASK.payload.testcases)  # type: ignore[attr-defined]
    return {result.name: "" if result.status == "pass" else result.actual for result in results}


def test_the_record_has_what_the_intent_asks_for_and_nothing_else(behaviour):
    held = reference(behaviour, managed=["Core"], **TASK.network.reference.model_dump(by_alias=True))
    for under in (None, "provider-lost"):
        changes = changes_at(held, under)
        assert {one.flow.port for _, flows in changes.by_change for one in flows} == {23}
        assert changes.unexplained == ()
    assert len(behaviour.flows) > 800


@pytest.mark.parametrize(
    "lines", [TRUTH, OTHER_MECHANISM], ids=["the ground truth", "another list at another interface"]
)
def test_a_right_solution_passes_whatever_its_mechanism(behaviour, lines):
    with configured(behaviour, lines) as stage:
        assert verdicts(stage) == {"the rest": "", "the rest later": ""}


@pytest.mark.parametrize(
    ("lines", "words"),
    [
        ((), "tcp/23 is allowed; expected denied, as intent 1 asks"),
        (
            [line.replace("eq 23", "range 22 24") for line in TRUTH],
            "10.1.20.7 (pc) -> 10.1.30.10 (db) tcp/22 is denied; expected allowed, as before the change",
        ),
        (
            (*TRUTH, "no access-list 110", "access-list 110 permit ip any any"),
            "udp/69 is allowed; expected denied, as before the change",
        ),
        (
            (*TRUTH, "router ospf 1", "network 10.1.30.0 0.0.0.255 area 0"),
            "provider: route 10.1.30.0/24 ospf via 10.0.0.1; expected none, as before the change",
        ),
    ],
    ids=["nothing done", "a neighboring port is denied too", "an older filter is widened", "a route leaks"],
)
def test_what_a_solution_breaks_beside_the_tested_flow_is_found(behaviour, lines, words):
    with configured(behaviour, lines or ["hostname Core"]) as stage:
        assert words in verdicts(stage)["the rest"]


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("deny icmp any any unreachable", "unreachable is denied; expected allowed, as before the change"),
        ("deny udp any lt 1024 any", "is denied; expected allowed, as before the change"),
        ("deny tcp any any range 25 143", "is denied; expected allowed, as before the change"),
    ],
    ids=["errors", "low source ports", "a service that nothing names"],
)
def test_what_a_solution_does_to_unusual_packets_is_found(behaviour, line, words):
    with configured(behaviour, (TRUTH[0], line, *TRUTH[1:])) as stage:
        assert words in verdicts(stage)["the rest"]


def test_what_a_solution_does_to_tunnels_is_found(behaviour):
    to_the_pc = ("ip access-list extended PC", "deny esp any any", "permit ip any any")
    with configured(behaviour, (*TRUTH, *to_the_pc, "interface Gi0/0", "ip access-group PC out")) as stage:
        assert "(pc) esp is denied; expected allowed, as before the change" in verdicts(stage)["the rest"]


def test_what_shows_only_under_an_event_is_found_there(behaviour):
    with configured(behaviour, (*TRUTH, "no ip route 10.7.0.1 255.255.255.255 10.1.30.10 200")) as stage:
        found = verdicts(stage)
    assert found["the rest"] == ""
    assert (
        "Core: route 10.7.0.1/32 none; expected static via 10.1.30.10, as before the change" in found["the rest later"]
    )


NEVER = RouteTestcase(name="never", device="Core", prefix="10.99.0.0/16", within_s=100)
LATER = ("ip route 10.98.0.0 255.255.0.0 10.1.30.10",)
"""A route that shows and changes no flow."""


def test_what_waited_beside_others_in_a_quiet_network_is_decided_by_one_look(behaviour):
    with configured(behaviour, ["hostname Core"]) as stage:
        never, rest = stage.scene.evaluation.run_testcases([NEVER, TASK.payload.testcases[0]])  # type: ignore[attr-defined]
    assert (never.status, rest.status) == ("fail", "fail")
    assert "tcp/23 is allowed; expected denied, as intent 1 asks" in rest.actual
    assert "; tried once, " in rest.actual


def test_what_changes_late_while_others_wait_gives_the_reference_its_whole_time(behaviour):
    """The last line comes when the reference would be out of time, had nothing changed before."""
    # its moments are of the wall, which a clock that is moved by events does not wait for
    with configured(behaviour, ["hostname Core"], time_scale=20) as stage:
        ani = AgentInterface(stage.lab, policy=Policy(), budget=UNLIMITED)
        began = time.monotonic()

        def work() -> None:
            for at, lines in ((4.0, LATER), (5.5, TRUTH)):  # the others wait for 5 s, the reference has 3 s
                threading.Event().wait(began + at - time.monotonic())
                ani.update_cfg("Core", list(lines))

        late = threading.Thread(target=work)
        late.start()
        _, rest = stage.scene.evaluation.run_testcases([NEVER, TASK.payload.testcases[0]])  # type: ignore[attr-defined]
        late.join()
        ani.close()
    assert rest.status == "pass", rest.actual


def _burn() -> None:
    while True:
        pass


def test_repetitions_are_equal_beside_busy_loops(behaviour):
    loops = [multiprocessing.Process(target=_burn, daemon=True) for _ in range(4)]
    first = [TASK.payload.testcases[0]]  # type: ignore[attr-defined]
    with configured(behaviour, TRUTH) as stage:
        for loop in loops:
            loop.start()
        try:
            results = [stage.scene.evaluation.run_testcases(first)[0] for _ in range(10)]  # type: ignore[attr-defined]
        finally:
            for loop in loops:
                loop.kill()
                loop.join()
    assert [result.actual for result in results if result.status == "fail"] == []


class TypedProber:
    """A prober of a lab as if it typed on consoles: slowly, and not with forged sources. It counts what it sends."""

    probes_per_s = 2.0

    def __init__(self, prober: Any) -> None:
        self._prober = prober
        self.sent: list[Any] = []

    def beyond(self, probe: Any) -> str | None:
        own = probe.source_address in (None, *self._prober.addresses(probe.source))
        return None if own else "a console cannot forge a source address"

    def probe(self, probes: Any, **how: Any) -> Any:
        self.sent += probes
        assert [one for one in probes if self.beyond(one)] == []
        return self._prober.probe(probes, **how)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._prober, name)


@pytest.mark.parametrize(
    ("lines", "words"),
    [
        (TRUTH, None),
        (["hostname Core"], "tcp/23 is allowed; expected denied, as intent 1 asks"),
        ([line.replace("eq 23", "range 22 24") for line in TRUTH], "tcp/22 is denied; expected allowed"),
    ],
    ids=["the ground truth", "nothing done", "a neighboring port is denied too"],
)
def test_a_sample_has_what_an_intent_names_and_both_sides_of_it(behaviour, monkeypatch, lines, words):
    with configured(behaviour, lines) as stage:
        prober = TypedProber(stage.lab.prober)
        monkeypatch.setattr(stage.lab, "prober", prober)
        (result,) = stage.scene.evaluation.run_testcases(TASK.payload.testcases[:1], within_s=60)
    held = reference(behaviour, managed=["Core"], **TASK.network.reference.model_dump(by_alias=True)).compared()
    assert result.status == ("pass" if words is None else "fail")
    assert words is None or words in result.actual
    assert "flows: a console cannot forge a source address" in result.actual
    assert 0.1 < result.measured < 0.6
    assert result.command.startswith(f"{round(result.measured * len(held))} of {len(held)} flows")


def test_a_testcase_that_cannot_be_measured_is_named_before_an_agent_works(behaviour, monkeypatch):
    forged = ReachabilityTestcase(name="forged", source="pc", target="db", source_address="10.9.9.9", expected="denied")
    own = ReachabilityTestcase(name="own", source="pc", target="db", source_address="10.1.20.7", expected="allowed")
    with Stage(TASK, Settings(reference=lambda _: behaviour)) as stage:
        stage.scene.evaluation.require_measurable([forged, own])
        monkeypatch.setattr(stage.lab, "prober", TypedProber(stage.lab.prober))
        stage.scene.evaluation.require_measurable([own])
        # nobody has the forged address, so that the testcase fails by itself
        stage.scene.evaluation.require_measurable([forged])
        monkeypatch.setattr(TypedProber, "beyond", lambda *_: "the console is out of paper")
        with pytest.raises(RequirementMissing, match="testcase 'own' cannot be measured here: the console is out of"):
            stage.scene.evaluation.require_measurable([forged, own])
