"""What an agent sees in networks that stand still while it thinks: ``python -m benchmarks.standing_still``.

The same scripted agent works on drawn troubleshooting tasks with other pauses between its calls. Its answers are
compared line by line, after a list of masks; what differs still is printed by command, beside what differs between two
trials without pauses. No mask hides a counter or a whole line.
"""

from __future__ import annotations

import argparse
import json
import re
import sys
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Any, Final

from pytest_netbench.ani.protocol import Ani
from pytest_netbench.errors import NetbenchError
from pytest_netbench.generators.series import read_series
from pytest_netbench.model.task import Task
from pytest_netbench.model.trial import AgentInfo, Brief, Submission
from pytest_netbench.scorers.apply import apply_scorers
from pytest_netbench.trial.settings import Settings
from pytest_netbench.trial.stage import Stage, family_of

SERIES: Final = "troubleshoot:n={count},seed={seed},level=1,platforms=frr"
PAUSES_S: Final = (0.0, 0.0, 1.0, 20.0)
MASKS: Final = (
    (re.compile(r"time=[\d.]+ ms"), "time=# ms"),
    (re.compile(r"rtt min/avg/max/mdev = [\d./]+ ms"), "rtt #"),
    (re.compile(r"\btime \d+ms"), "time #ms"),
    (re.compile(r"\b(pid|PID)[ =]\d+"), r"\1 #"),
    (re.compile(r"(?<=[.:])(3[2-9]|4\d|5\d|6[0-5])\d{3}\b"), "#port"),  # ephemeral ports
    (re.compile(r"\b0x[0-9a-f]{4}\b"), "#checksum"),
)
ROUTER: Final = (
    "show ip route",
    "show ip ospf neighbor",
    "show ip ospf database",
    "show ip bgp summary",
    "show version",
)
HOST: Final = ("ip addr", "ip route", "ip neigh")
NEWEST: Final = "select count(*), min(loss), max(loss) from flows"


class Script:
    """Looks at everything in a fixed order, and thinks for ``pause_s`` after each call."""

    info = AgentInfo(id="script", strategy="script")

    def __init__(self, task: Task, pause_s: float) -> None:
        self._task, self._pause_s = task, pause_s
        self.seen: list[tuple[str, str]] = []

    def run(self, _brief: Brief, ani: Ani) -> Submission:
        for method, params in self._requests():
            try:
                answer: Any = ani.call(method, params)
            except NetbenchError as error:
                answer = {"error": str(error)}
            what = " ".join([method, *map(str, params.values())])
            text = answer.get("output") or json.dumps(answer, indent=0, sort_keys=True)
            self.seen.append((what, text))
            time.sleep(self._pause_s)
        return Submission()

    def _requests(self) -> Iterator[tuple[str, dict[str, Any]]]:
        yield "get-topology", {}
        for node in self._task.network.topology.nodes:
            if node.control == "foreign":
                continue
            is_router = self._task.network.platform_of(node.name) != "linux"
            yield "get-running-cfg", {"device": node.name}
            for command in ROUTER if is_router else HOST:
                yield "execute-cmd", {"device": node.name, "command": command}
        yield "query-telemetry", {"sql": NEWEST}
        yield "check-reachability", {}


def masked(text: str) -> list[str]:
    """The lines of an answer with what may differ replaced."""
    for pattern, word in MASKS:
        text = pattern.sub(word, text)
    return text.splitlines()


def differing(one: Sequence[tuple[str, str]], other: Sequence[tuple[str, str]]) -> Counter[str]:
    """By command: lines that differ."""
    found: Counter[str] = Counter()
    for (what, first), (_, second) in zip(one, other, strict=True):
        lines = Counter(masked(first))
        lines.subtract(masked(second))
        if several := sum(map(abs, lines.values())):
            found[re.sub(r"^(\S+) \S+ ", r"\1 ", what)] += several
    return found


def equal_answers(one: Sequence[tuple[str, str]], other: Sequence[tuple[str, str]]) -> int:
    """How many answers are equal byte by byte once they are masked."""
    return sum(masked(first) == masked(second) for (_, first), (_, second) in zip(one, other, strict=True))


def trial(task: Task, pause_s: float) -> tuple[Script, str, float]:
    """What a trial showed, its verdict, and the lab seconds that it took."""
    script = Script(task, pause_s)
    with Stage(task, Settings(clock="calls")) as stage:
        stage.work(script)
        record = stage.evaluate()
    scores = apply_scorers(record, family_of(task).scorers, where="worker")
    verdict = json.dumps({one.metric: one.value for one in scores if one.metric not in {"latency", "outage"}})
    return script, verdict, record.budget_used.lab_s or 0.0


def main() -> int:
    """Compare, and return 1 if a verdict differs."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--count", type=int, default=2)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--pauses", type=float, nargs="+", default=PAUSES_S, help="wall seconds after each call")
    parser.add_argument("--show", action="store_true", help="print the lines that differ")
    arguments = parser.parse_args()
    unequal = 0
    for index in range(arguments.count):
        task = read_series(SERIES.format(count=arguments.count, seed=arguments.seed)).source(index).load()
        first, *others = [trial(task, pause_s) for pause_s in arguments.pauses]
        calls = len(first[0].seen)
        print(f"{task.slug}: {calls} calls, {first[2]:.1f} lab s", flush=True)
        for pause_s, (script, verdict, lab_s) in zip(arguments.pauses[1:], others, strict=True):
            lines = sum(len(masked(text)) for _, text in script.seen)
            found = differing(first[0].seen, script.seen)
            unequal += verdict != first[1]
            same = "equal" if verdict == first[1] else "DIFFERENT"
            differ = f"{sum(found.values())} of {lines} lines differ"
            differ += f", {equal_answers(first[0].seen, script.seen)} of {calls} answers equal"
            print(f"  pauses {pause_s:g} s: {lab_s:.1f} lab s, verdict {same}, {differ}")
            for what, count in found.most_common():
                print(f"    {count:4d}  {what}")
            if arguments.show:
                _show(first[0].seen, script.seen)
    return int(unequal > 0)


def _show(one: Sequence[tuple[str, str]], other: Sequence[tuple[str, str]]) -> None:
    for (what, first), (_, second) in zip(one, other, strict=True):
        mine, theirs = Counter(masked(first)), Counter(masked(second))
        for line in mine - theirs:
            print(f"    - {what}: {line}")
        for line in theirs - mine:
            print(f"    + {what}: {line}")


if __name__ == "__main__":
    sys.exit(main())
