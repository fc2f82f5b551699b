"""What a model answers is recorded on one lab and replayed on fresh ones: without a model, a key and litellm."""

from __future__ import annotations

import json

from tests.end_to_end import models
from tests.end_to_end.conftest import Ended, scores
from tests.support.openai_server import OpenAIServer, Request, Text, engineer

ROUTER = ["show ip route", "show interface", "show running-config", "show ip route json", "ping 10.0.12.2"]
HOST = [
    "ip addr",
    "ip -s link",
    "ip neigh",
    "ss -tunap",
    "ping -c 2 -i 0.2 10.2.0.10",
    "traceroute -n 10.2.0.10",
    "date",
]
LOOKS = [
    *[("execute_cmd", {"device": "R1", "command": command}) for command in ROUTER],
    *[("execute_cmd", {"device": "h1", "command": command}) for command in HOST],
]
curious = engineer(models.LOOK, models.CONFIGURE, LOOKS, LOOKS[:2], reasoning=models.REASONING)


def in_turns(request: Request) -> Text:
    """Reads, changes and is done, with no tools."""
    answers = [
        {"read": {"h1": HOST}, "change": {"R1": [models.R1], "R2": [models.R2]}},
        {"read": {"R1": ROUTER, "h1": HOST}},
        {"done": True},
    ]
    turn = sum(message["role"] == "assistant" for message in request["messages"])
    return Text(f"Now this.\n\n```json\n{json.dumps(answers[turn])}\n```")


def counting() -> models.Models:
    """Each trial of ``varies`` explains itself in other words."""
    made = iter(range(100))

    def varies(request: Request) -> Text:
        return models.solves(request) if request.get("tools") else Text(f"{models.REASONING} Variation {next(made)}.")

    return models.Models(curious=curious, single=models.answers_at_once, turns=in_turns, varies=varies)


def comparable(results: dict[str, dict]) -> dict[str, tuple]:
    return {
        name: (
            one["status"],
            one["usage"],
            one["budget_used"]["calls"],
            one["budget_used"]["tokens"],
            [(each["command"], each["status"]) for each in one["commands"]],
            scores(one),
        )
        for name, one in results.items()
    }


def explained(done: Ended, name: str) -> str:
    """The reasoning of a trial."""
    path = done.folder / "out" / done.results[name]["transcript"]
    return json.loads(path.read_text(encoding="utf-8"))["submission"]["reasoning"]


SOME = "netbench(trial=2) or not netbench(agent='single')"


def test_every_trial_is_replayed_on_a_fresh_lab_with_no_model_no_key_and_no_litellm(bench):
    bench.task(ground_truth_reasoning=None)
    agents = [
        bench.agent("curious", settings={"temperature": 0.5}),
        bench.agent("single", strategy="single-turn"),
        bench.agent("turns", strategy="multi-turn"),
        bench.agent("varies"),
    ]
    options = ["tasks", *agents, "--netbench-trials=2", "-n2", "-m", SOME]
    with OpenAIServer(counting()) as server:
        first = bench.pytest(*options, "--netbench-record=tapes", env=server.environment)
    assert first.code == 0, first.out
    assert "netbench: 7 trials recorded in tapes" in first.out
    was, said = first.results, {trial: explained(first, f"two-sites[{trial}]") for trial in ("varies", "varies-2")}
    assert said["varies"] != said["varies-2"]
    assert not [path for path in (bench.path / "tapes").rglob("*.json") if "key-of-the-test" in path.read_text()]
    (bench.path / "out").rename(bench.path / "first")
    bench.write("conftest.py", "import sys\nsys.modules['litellm'] = None\n")
    with OpenAIServer([]) as server:
        led = {name: value for name, value in server.environment.items() if "KEY" not in name}
        again = bench.pytest(*options, "--netbench-replay=tapes", env=led)
        assert server.requests == []
    assert again.code == 0, again.out
    assert comparable(again.results) == comparable(was)
    assert {trial: explained(again, f"two-sites[{trial}]") for trial in said} == said
    assert all(one["replayed"]["requests"] == one["replayed"]["recorded"] > 0 for one in again.results.values())
