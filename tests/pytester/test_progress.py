"""``--netbench-progress``: a status line that leaves pytest's output as it is."""

from __future__ import annotations

import re
import sys
import time

import pexpect
import pyte
import pytest

ROWS, COLUMNS = 30, 100
STATUS = re.compile(r"^\d of \d done( · .*)? so far")
SLOW = """
import time

from pytest_netbench.model.trial import AgentInfo, Submission


class Slow:
    info = AgentInfo(id="slow", strategy="own")

    def run(self, brief, ani):
        print("noise of the agent")
        time.sleep(1.6)
        return Submission()
"""


@pytest.fixture
def slow(bench, monkeypatch):
    for number in range(2):
        bench.task(f"t{number}")
    (bench.path / "slow.py").write_text(SLOW)
    for name in ("CI", "COLUMNS"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("TERM", "xterm")
    return bench


def screens(bench, *options: str) -> tuple[list[list[str]], list[str]]:
    """What a terminal showed while a run lasted, and all lines of it in the end, those that scrolled away too."""
    command = ["-m", "pytest", "tasks", "--agent=slow:Slow", *options]
    screen = pyte.HistoryScreen(COLUMNS, ROWS, history=1000, ratio=0.5)
    stream = pyte.ByteStream(screen)
    seen: list[list[str]] = []
    child = pexpect.spawn(sys.executable, command, cwd=str(bench.path), dimensions=(ROWS, COLUMNS), timeout=60)
    until = time.monotonic() + 60
    while time.monotonic() < until:
        try:
            stream.feed(child.read_nonblocking(65536, timeout=0.2))
        except pexpect.TIMEOUT:
            pass
        except pexpect.EOF:
            break
        seen.append([line.rstrip() for line in screen.display])
    child.close()
    above = ["".join(row[column].data for column in range(COLUMNS)).rstrip() for row in screen.history.top]
    return seen, above + [line.rstrip() for line in screen.display]


@pytest.mark.parametrize("options", [("--tb=short",), ("-n2", "-v", "--tb=no")], ids=["alone", "xdist"])
def test_a_status_line_stands_below_the_output_and_is_gone_in_the_end(slow, options):
    seen, end = screens(slow, *options)
    shown = [(number, line) for screen in seen for number, line in enumerate(screen) if STATUS.match(line)]
    assert any("t0[slow.Slow] 0:0" in line or "2 running" in line for _, line in shown), seen[-1]
    assert all(sum(bool(STATUS.match(line)) for line in screen) <= 1 for screen in seen)
    for screen in seen:
        below = [number for number, line in enumerate(screen) if STATUS.match(line)]
        assert all(not any(screen[number + 1 :]) for number in below), "it is the last line"
    assert not any("so far" in line for line in end)
    assert sum("noise of the agent" in line for line in end) == (2 if "--tb=short" in options else 0)
    assert any(re.search(r"=+ 2 failed in ", line) for line in end)
    if "-v" in options:
        assert sum(bool(re.search(r"\[gw\d\] \[ *\d+%\] FAILED tasks/access/t", line)) for line in end) == 2
    else:
        progress = [line for line in end if re.fullmatch(r"tasks/access/t\d\.task\.yaml F +\[ *\d+%\]", line)]
        assert len(progress) == 2


@pytest.mark.parametrize("option", ["-q", "-s", "--netbench-progress=off"])
def test_who_asks_for_less_sees_no_status(slow, option):
    seen, _ = screens(slow, option, "--tb=no", "-k", "t0")
    assert not any("so far" in line for screen in seen for line in screen)


def test_in_ci_there_is_no_status(slow, monkeypatch):
    monkeypatch.setenv("CI", "true")
    seen, _ = screens(slow, "-k", "t0")
    assert not any("so far" in line for screen in seen for line in screen)


def test_a_pipe_gets_lines_now_and_then_only_if_they_are_asked_for(slow, monkeypatch):
    done = slow.run("--agent=slow:Slow", "-k", "t0")
    assert "so far" not in done.stdout.str()
    assert "\x1b" not in done.stdout.str()
    (slow.path / "conftest.py").write_text(
        "from pytest_netbench.plugin import progress\nprogress.LINES_EVERY_S = 0.5\n"
    )
    asked = slow.run("--agent=slow:Slow", "-k", "t0", "--netbench-progress=on")
    asked.stdout.re_match_lines([r"netbench: 0 of 1 done · t0\[slow\.Slow\] 0:0\d · 0:\d\d so far"])
    assert "\x1b" not in asked.stdout.str()
    asked.assert_outcomes(failed=1)
