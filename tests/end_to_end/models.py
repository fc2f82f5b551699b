"""Models as agents meet them, good and bad: the server's answers by the name of the model that is asked."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable
from typing import Any

from tests.support.openai_server import Calls, Fault, Hang, Reply, Request, Text, engineer, single_turn

R1 = "ip route 10.2.0.0/24 10.0.12.2"
R2 = "ip route 10.1.0.0/24 10.0.12.1"
REASONING = "R1 and R2 each get a static route to the far site, through the other router."

LOOK = [("get_topology", {}), ("get_running_cfg", {"device": "R1"})]
CONFIGURE = [
    ("update_cfg", {"device": "R1", "commands": [R1]}),
    ("update_cfg", {"device": "R2", "commands": [R2]}),
]
CHECK = [("execute_cmd", {"device": "R1", "command": "show ip route static"})]
HALF = [("update_cfg", {"device": "R1", "commands": [R1]})]

solves = engineer(LOOK, CONFIGURE, CHECK, reasoning=REASONING)
does_half = engineer(LOOK, HALF, reasoning="Only R1 needs a route.")


def answers_at_once(request: Request) -> Reply:
    return single_turn({"R1": [R1], "R2": [R2]}, reasoning=REASONING)


def answers_half(request: Request) -> Reply:
    return single_turn({"R1": [R1], "R2": ["ip routee 10.1.0.0/24 10.0.12.1"]}, reasoning=REASONING)


def talks_of_others(request: Request) -> Reply:
    return single_turn({"R9": ["ip route 0.0.0.0/0 Null0"]})


def stumbles(request: Request) -> Reply:
    """Arguments that are no JSON, a tool that is not there, a device that is not there; then all is well."""
    bad: list[tuple[str, Any]] = [
        ("update_cfg", '{"device": "R1", "commands": ["ip rou'),
        ("configure", {"device": "R1"}),
        ("get_running_cfg", {"device": "R9"}),
        ("update_cfg", '["R1"]'),
    ]
    return engineer(bad, *([CONFIGURE]), reasoning=REASONING)(request)


def never_stops(request: Request) -> Reply:
    """Does half of the work and then looks at the network for ever."""
    if not request.get("tools"):
        return Text("I am not sure yet.")
    first = all(message["role"] != "assistant" for message in request["messages"])
    return Calls(*HALF) if first else Calls(("get_topology", {}))


def answers_nothing(request: Request) -> Reply:
    return Text(None)


def refuses(request: Request) -> Reply:
    return Fault(429, "Rate limit reached", retry_after=0.01)


def is_down(request: Request) -> Reply:
    return Fault(500, "The server had an error")


def never_answers(request: Request) -> Reply:
    return Hang()


def wrong_key(request: Request) -> Reply:
    return Fault(401, "Incorrect API key provided", code="invalid_api_key")


class Models:
    """A script of several models. ``busy`` are refused at first with 429, as a provider in demand does."""

    def __init__(self, **by_name: Callable[[Request], Reply]) -> None:
        self._by_name = {name.replace("_", "-"): one for name, one in by_name.items()}
        self.asked: Counter[str] = Counter()

    def __call__(self, request: Request) -> Reply:
        name = request["model"].rpartition("/")[2]
        self.asked[name] += 1
        if name not in self._by_name:
            return Fault(400, f"no such model {name}; known: {json.dumps(sorted(self._by_name))}")
        if name.startswith("busy") and self.asked[name] == 1:
            return Fault(429, "Rate limit reached", retry_after=0.2)
        return self._by_name[name](request)
