"""What a model answers is recorded on one lab and replayed on fresh ones: without a model, a key and litellm."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

import pytest

from tests.end_to_end import models
from tests.end_to_end.conftest import Bench, Ended, scores
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

    return models.Models(
        curious=curious, single=models.answers_at_once, turns=in_turns, half=models.does_half, varies=varies
    )


@pytest.fixture(scope="module")
def recorded(tmp_path_factory: pytest.TempPathFactory) -> tuple[Bench, Ended, Sequence[str]]:
    """Five agents, recorded by two workers."""
    bench = Bench(tmp_path_factory.mktemp("cassettes") / "bench")
    bench.task()
    agents = [
        bench.agent("curious", settings={"temperature": 0.5}),
        bench.agent("single", strategy="single-turn"),
        bench.agent("turns", strategy="multi-turn"),
        bench.agent("half"),
        bench.agent("varies"),
    ]
    options = [*agents, "--netbench-trials=2"]
    with OpenAIServer(counting()) as server:
        done = bench.pytest("tasks", *options, "--netbench-record=tapes", "-n2", env=server.environment)
    return bench, done, options


def comparable(results: dict[str, dict]) -> dict[str, tuple]:
    return {
        name: (
            one["status"],
            one["usage"],
            one["budget_used"]["calls"],
            one["budget_used"]["tokens"],
            [(each["command"], each["status"]) for each in one["commands"]],
            {metric: value for metric, value in scores(one).items() if metric != "reasoning"},
        )
        for name, one in results.items()
    }


NO_LITELLM = "import sys\nsys.modules['litellm'] = None\n"
"""In a conftest.py: to import litellm is an error."""


@pytest.mark.parametrize("workers", [("-n2",), ()], ids=["xdist", "alone"])
def test_every_trial_is_replayed_on_a_fresh_lab_with_no_model(recorded, workers):
    bench, first, options = recorded
    assert first.code == 1, first.out
    assert "netbench: 10 trials recorded in tapes" in first.out
    was = comparable(first.results)
    bench.write("conftest.py", NO_LITELLM)
    chosen = options if workers else ["--agent=curious", "--agent=turns", "--netbench-trials=2"]
    with OpenAIServer([]) as server:  # a server that is asked nothing; and there is no key
        env = {name: value for name, value in server.environment.items() if "KEY" not in name}
        again = bench.pytest("tasks", *chosen, "--netbench-replay=tapes", *workers, "--netbench-results=again", env=env)
        assert server.requests == []
    assert "CassetteMiss" not in again.out, again.out
    replayed = read(bench.path / "again")
    assert comparable(replayed) == {name: one for name, one in was.items() if name in replayed}
    assert len(replayed) == (10 if workers else 4)
    assert {one["replayed"]["cassette"].partition("/")[0] for one in replayed.values()} == {"tapes"}
    assert all(one["replayed"]["requests"] == one["replayed"]["recorded"] for one in replayed.values())
    assert f"netbench: {len(replayed)} trials replayed from tapes: usage is that of the recording" in again.out


def read(folder: Path) -> dict[str, dict]:
    lines = (folder / "results.jsonl").read_text(encoding="utf-8").splitlines()
    return {one["node_id"].partition("::")[2]: one for one in map(json.loads, lines)}
