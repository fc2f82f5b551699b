"""What a real device prints reaches a terminal, JUnit and results as visible escapes."""

from __future__ import annotations

import re

AGENT = r"""
from pytest_netbench.model.trial import AgentInfo, Submission


class Prints:
    info = AgentInfo(id="prints", strategy="own")

    def run(self, brief, ani):
        shown = r"printf '\033]0;owned\007\033[31m\302\2332J \342\200\256txt\302\205\033[0m\n' >&2; false"
        ani.update_cfg("h1", [shown])
        ani.execute_cmd("h1", shown)
        return Submission()
"""


def test_escape_sequences_of_a_failing_linux_command_act_nowhere(bench):
    bench.task()
    bench.write("mine.py", AGENT)
    ended = bench.pytest("tasks", "--agent=mine:Prints", "-rA", "-v")
    unsafe = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")
    assert unsafe.findall(ended.out) == []
    assert r"\x1b]0;owned\x07\x1b[31m" in ended.out
    assert r"\u202etxt" in ended.out
    assert unsafe.findall((ended.folder / "junit.xml").read_text(encoding="utf-8")) == []
    (refused,) = ended.of("mine.Prints")["commands"]
    assert refused["message"].startswith(r"\x1b]0;owned")
