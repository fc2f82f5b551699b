"""The four methods over a lab: shapes, refusals, recording, and several callers at once."""

import json
import threading
import time

import pytest

from pytest_netbench.ani.family_methods import FamilyMethod
from pytest_netbench.ani.interface import AgentInterface
from pytest_netbench.ani.methods import spec_of
from pytest_netbench.ani.network import MAX_ANSWER_BYTES
from pytest_netbench.ani.policy import Policy
from pytest_netbench.ani.wire import Wire
from pytest_netbench.errors import AniError, BudgetExhausted, LabDied
from pytest_netbench.model.task import UNLIMITED, Budget
from tests.support.memory_lab import DIALECTS, chain

ALL = Policy()


def ani_of(lab, *, policy=ALL, **limits):
    return AgentInterface(lab, policy=policy, budget=Budget(**limits), dialects=DIALECTS)


@pytest.fixture
def lab():
    return chain()


@pytest.fixture
def ani(lab):
    return ani_of(lab)


def test_the_topology_has_the_drafts_shape(ani):
    assert ani.get_topology() == {
        "topology": {"nodes": ["branch", "edge", "web"], "links": ["branch e0 <-> edge e0", "edge e1 <-> web e0"]}
    }


@pytest.mark.parametrize(
    ("ours", "drafts", "params"),
    [
        ("get-topology", "get_topology", {"devices": ["edge"]}),
        ("get-running-cfg", "get_running_config", {"device": "edge"}),
        ("update-cfg", "update_config", {"device": "edge", "commands": ["mark 1"]}),
        ("execute-cmd", "execute_validation", {"device": "edge", "command": "show version"}),
    ],
)
def test_a_name_of_the_drafts_revision_02_is_the_same_method(lab, ours, drafts, params):
    one, other = ani_of(lab), ani_of(chain())
    assert other.call(drafts, params) == one.call(ours, params)
    assert [step.data["method"] for step in other.steps] == [ours]
    assert other.budget_used.calls == one.budget_used.calls == 1


def test_a_name_of_the_drafts_revision_02_is_forbidden_with_ours(lab):
    ani = ani_of(lab, policy=Policy(methods=frozenset({"get-topology"})))
    with pytest.raises(AniError, match="method 'execute-cmd' is not permitted"):
        ani.call("execute_validation", {"device": "edge", "command": "show version"})
    assert ani.violations == {"method": 1}


def test_an_empty_or_omitted_device_list_means_all(ani):
    assert ani.call("get-topology", {}) == ani.call("get-topology", {"devices": []}) == ani.get_topology()


def test_a_subset_keeps_only_the_links_within_it(ani):
    assert ani.get_topology(["branch", "edge"]) == {
        "topology": {"nodes": ["branch", "edge"], "links": ["branch e0 <-> edge e0"]}
    }


@pytest.mark.parametrize(
    ("method", "params"),
    [
        ("get-topology", {"devices": ["edgee"]}),
        ("get-running-cfg", {"device": "edgee"}),
        ("update-cfg", {"device": "edgee", "commands": ["mark 1"]}),
        ("execute-cmd", {"device": "edgee", "command": "show version"}),
    ],
)
def test_an_unknown_device_names_the_known_ones_and_the_nearest(ani, method, params):
    message = r"unknown device 'edgee' \(known: 'branch', 'edge', 'web'\)\. Did you mean 'edge'\?"
    with pytest.raises(AniError, match=message) as caught:
        ani.call(method, params)
    assert caught.value.code == -32602


def test_the_nearest_device_is_found_whatever_the_case(ani):
    with pytest.raises(AniError, match="Did you mean 'web'"):
        ani.get_running_cfg("WEB")


def test_the_running_config_has_the_drafts_shape(ani):
    assert ani.get_running_cfg("web") == {"running_config": "address e0 10.0.2.10"}


def test_update_answers_per_command_and_goes_on_after_an_error(ani, lab):
    assert ani.update_cfg("web", ["mark 10", "bogus", "mark 12"]) == {
        "results": [
            {"command": "mark 10", "status": "success"},
            {"command": "bogus", "status": "error", "message": "% Unknown command: bogus"},
            {"command": "mark 12", "status": "success"},
        ]
    }
    assert lab.nodes["web"].lines[-2:] == ["mark 10", "mark 12"]
    assert [status.status for status in ani.commands] == ["success", "error", "success"]


def test_a_read_command_has_the_drafts_shape(ani, lab):
    lab.nodes["web"].outputs["show clock"] = "12:00"
    assert ani.execute_cmd("web", " show clock\n") == {"output": "12:00"}


def test_a_string_in_place_of_a_list_of_commands_is_not_taken_apart(ani):
    with pytest.raises(AniError, match="'commands' must be a list of strings, not a string"):
        ani.update_cfg("web", "mark 10")


def test_an_answer_longer_than_64_kib_is_cut_and_says_so(ani, lab):
    lab.nodes["web"].outputs["show log"] = "ä" * MAX_ANSWER_BYTES
    output = ani.execute_cmd("web", "show log")["output"]
    assert len(output.encode()) < MAX_ANSWER_BYTES + 200
    assert output.endswith("\n[netbench: cut here, 65536 of 131072 bytes left out; ask for less]")


def test_policy_refuses_methods_and_devices_and_says_what_is_permitted(lab):
    ani = ani_of(
        lab, policy=Policy(devices=frozenset({"edge"}), methods=frozenset({"get-topology", "get-running-cfg"}))
    )
    with pytest.raises(
        AniError, match=r"'update-cfg' is not permitted in this task \(permitted: 'get-running-cfg', 'get-"
    ) as caught:
        ani.update_cfg("edge", ["mark 1"])
    assert caught.value.code == -32000
    with pytest.raises(AniError, match=r"device 'web' is not permitted in this task \(permitted: 'edge'\)"):
        ani.get_running_cfg("web")


def test_the_topology_shows_all_devices_whatever_the_policy(lab):
    ani = ani_of(lab, policy=Policy(devices=frozenset({"edge"})))
    assert ani.get_topology()["topology"]["nodes"] == ["branch", "edge", "web"]
    assert ani.get_topology(["web"])["topology"]["nodes"] == ["web"]


def test_each_request_is_recorded_with_arguments_outcome_time_and_budget_left(lab):
    ani = ani_of(lab, calls=2, commands=10)
    ani.update_cfg("web", ["mark 10"])
    with pytest.raises(AniError):
        ani.get_running_cfg("nowhere")
    good, bad = ani.steps
    assert good.kind == "ani"
    assert good.data["method"] == "update-cfg"
    assert good.data["params"] == {"device": "web", "commands": ["mark 10"]}
    assert good.data["result"] == {"results": [{"command": "mark 10", "status": "success"}]}
    assert good.data["duration_s"] >= 0
    assert good.data["budget_left"]["calls"] == 1
    assert good.data["budget_left"]["commands"] == 9
    assert bad.data["error"]["code"] == -32602
    assert bad.data["budget_left"]["calls"] == 0
    assert good.at_s <= bad.at_s


def test_refusals_after_the_budget_is_used_up_are_recorded_once(lab):
    ani = ani_of(lab, calls=1)
    ani.get_topology()
    for _ in range(5):
        with pytest.raises(BudgetExhausted):
            ani.get_topology()
    assert [step.data.get("error", {}).get("code") for step in ani.steps] == [None, -32001]


def test_an_update_that_exceeds_the_commands_left_applies_nothing(lab):
    ani = ani_of(lab, commands=2)
    with pytest.raises(AniError, match="3 commands are more than the 2 left of 2; nothing was applied"):
        ani.update_cfg("web", ["mark 1", "mark 2", "mark 3"])
    assert lab.nodes["web"].lines == ["address e0 10.0.2.10"]
    ani.update_cfg("web", ["mark 1", "mark 2"])
    with pytest.raises(BudgetExhausted, match="commands"):
        ani.execute_cmd("web", "show clock")


def test_lines_inside_one_command_count_each(lab):
    ani = ani_of(lab, commands=2)
    with pytest.raises(AniError, match="3 commands are more than the 2 left"):
        ani.update_cfg("web", ["mark 1\nmark 2\n\nmark 3"])


def test_the_trace_holds_plain_values_only_and_cuts_what_is_huge(ani):
    ani.add_completion({"model": "m", "response": object(), "text": "x" * 200_000, "list": ({"a": 1.5},)}, tokens=5)
    ani.note("retried")
    completion, note = ani.steps
    assert completion.data["list"] == [{"a": 1.5}]
    assert completion.data["response"].startswith("<object object")
    assert "68928 of 200000 bytes left out" in completion.data["text"]
    assert note.data == {"text": "retried"}
    assert ani.budget_used.tokens == 5


def test_nonsense_of_any_depth_is_refused_and_recorded(ani):
    nested = "x"
    for _ in range(900):
        nested = [nested]
    with pytest.raises(AniError, match="'device' must be a string, not a list"):
        ani.call("get-running-cfg", {"device": nested})
    ani.add_completion({"nan": float("nan"), "k" * 1000: 1}, tokens=1)
    json.dumps([step.data for step in ani.steps], allow_nan=False)


def test_a_completion_beyond_the_tokens_is_recorded_and_exhausts(lab):
    ani = ani_of(lab, tokens=10)
    with pytest.raises(BudgetExhausted, match="tokens"):
        ani.add_completion({"model": "m"}, tokens=11)
    assert len(ani.steps) == 1
    with pytest.raises(BudgetExhausted, match="tokens"):
        ani.get_topology()


def test_after_close_everything_is_refused_and_nothing_is_recorded(ani):
    ani.get_topology()
    ani.close()
    ani.close()
    for request in (ani.get_topology, lambda: ani.update_cfg("web", ["mark 1"]), lambda: ani.note("x")):
        with pytest.raises(AniError, match="the trial has ended: no further requests are answered"):
            request()
    assert len(ani.steps) == 1


def test_a_hanging_device_is_the_agents_problem_while_the_node_is_well(ani):
    with pytest.raises(
        AniError, match="web: the device did not answer execute-cmd: web: no prompt within 30 s"
    ) as caught:
        ani.execute_cmd("web", "hang")
    assert caught.value.code == -32002
    assert ani.lab_error is None
    with pytest.raises(AniError, match="web: the device did not answer update-cfg"):
        ani.update_cfg("web", ["hang"])


def test_a_dead_lab_is_an_infrastructure_error_even_if_the_agent_swallows_it(ani):
    with pytest.raises(LabDied):
        ani.execute_cmd("web", "die")
    assert isinstance(ani.lab_error, LabDied)
    assert ani.steps[0].data["error"] == {"code": -32603, "message": "the supervisor is gone"}


def test_a_bug_of_a_driver_that_an_agent_finds_is_an_answer_while_the_node_is_well(ani):
    message = r"did not answer execute-cmd: web: driver memory failed at execute-cmd: RuntimeError\('a bug of the"
    with pytest.raises(AniError, match=message) as caught:
        ani.execute_cmd("web", "crash")
    assert caught.value.code == -32002
    assert ani.lab_error is None
    assert "a bug of the platform" in ani.steps[-1].data["error"]["message"]


def test_closing_does_not_wait_for_a_request_that_never_ends(lab, monkeypatch):
    monkeypatch.setattr("pytest_netbench.ani.interface.LONGEST_CLOSE_S", 0.2)
    ani = ani_of(lab)
    release = threading.Event()
    held = threading.Thread(target=lambda: ani.network.locks["web"].acquire() and release.wait())
    held.start()
    began = time.monotonic()
    ani.close()
    assert 0.1 < time.monotonic() - began < 2
    release.set()
    held.join()


def test_a_read_command_gets_no_more_time_than_the_agent_has_left(lab):
    ani = ani_of(lab, wall_s=5)
    with pytest.raises(AniError, match=r"no prompt within (4\.9|5)"):
        ani.execute_cmd("web", "hang")


def test_two_updates_of_one_device_do_not_interleave(lab):
    ani = ani_of(lab, calls=None, commands=None)
    threads = [
        threading.Thread(target=lambda n=n: [ani.update_cfg("web", [f"mark {n}"] * 20) for _ in range(10)])
        for n in range(4)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not lab.interleaved
    marks = [line for line in lab.nodes["web"].lines if line.startswith("mark")]
    assert len(marks) == 800
    assert all(len(set(marks[at : at + 20])) == 1 for at in range(0, 800, 20))
    assert len(ani.commands) == 800
    assert ani.budget_used.calls == 40


def test_parallel_calls_never_get_more_than_the_budget(lab):
    ani = ani_of(lab, calls=50)
    answered = []

    def work():
        for _ in range(20):
            try:
                answered.append(ani.get_topology())
            except BudgetExhausted:
                return

    threads = [threading.Thread(target=work) for _ in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(answered) == 50
    assert ani.budget_left()["calls"] == 0


def test_close_waits_for_the_request_under_way_and_the_one_queued_behind_it_is_refused(lab):
    ani = ani_of(lab)
    lab.gate.clear()
    outcomes = []

    def update(command):
        try:
            outcomes.append(ani.update_cfg("web", [command])["results"][0]["status"])
        except AniError as error:
            outcomes.append(str(error))

    first = threading.Thread(target=update, args=("mark 1",))
    first.start()
    wait_for(lambda: lab._writers.get("web"))
    second = threading.Thread(target=update, args=("mark 2",))
    second.start()
    wait_for(lambda: ani.budget_used.calls == 2)
    closing = threading.Thread(target=ani.close)
    closing.start()
    wait_for(ani._ledger.closed.is_set)
    assert closing.is_alive()
    lab.gate.set()
    for thread in (first, second, closing):
        thread.join()
    assert outcomes == ["success", "the trial has ended: no further requests are answered"]
    assert "mark 2" not in lab.nodes["web"].lines


def wait_for(condition):
    deadline = time.monotonic() + 5
    while not condition():
        assert time.monotonic() < deadline
        time.sleep(0.001)


class Said(Wire):
    text: str


def with_own_method(lab, policy=ALL, **fields):
    spec = spec_of("conclude", "Say it.", Said, Said)
    own = FamilyMethod(spec=spec, params=Said, answer=lambda params: Said(text=params.text.upper()), **fields)
    return AgentInterface(lab, policy=policy, budget=UNLIMITED, dialects=DIALECTS, methods=[own])


def test_a_method_of_the_scene_is_answered_beside_the_devices():
    ani = with_own_method(chain())
    assert "conclude" in [spec.name for spec in ani.offered()]
    assert ani.call("conclude", {"text": "done"}) == {"text": "DONE"}
    assert ani.get_running_cfg("edge")
    assert [step.data["method"] for step in ani.steps] == ["conclude", "get-running-cfg"]


def test_an_unknown_method_names_those_that_this_agent_has():
    ani = with_own_method(chain(), policy=Policy(methods=frozenset({"get-topology"})))
    with pytest.raises(AniError, match=r"unknown method 'help' \(known: 'get-topology', 'conclude'\)"):
        ani.call("help", {})


def test_no_device_answers_after_the_method_that_ends_the_work():
    ani = with_own_method(chain(), effect="devices-rest")
    ani.get_running_cfg("edge")
    with pytest.raises(AniError, match="text"):
        ani.call("conclude", {"words": "wrong parameter"})
    ani.get_running_cfg("edge")
    ani.call("conclude", {"text": "done"})
    for request in (
        lambda: ani.get_running_cfg("edge"),
        lambda: ani.execute_cmd("edge", "show"),
        lambda: ani.update_cfg("edge", ["deny icmp any any"]),
    ):
        with pytest.raises(AniError, match="no device answers after 'conclude'"):
            request()
