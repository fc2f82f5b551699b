"""The relay between a terminal and a real program on a real pseudo-terminal of this machine."""

from __future__ import annotations

import os
import pty
import re
import struct
import subprocess
import termios
import threading
from contextlib import contextmanager, nullcontext
from fcntl import ioctl

import pytest

from pytest_netbench.platforms.relay import RelayConsole
from pytest_netbench.platforms.terminal import CommandNotPermitted, HungUp
from tests.support.terminal import Entered


class Program:
    """A program on a pty of this machine; implements ``platforms.access.PtyProgram``."""

    def __init__(self, columns: int, rows: int) -> None:
        self.fd, slave = pty.openpty()
        os.set_blocking(self.fd, False)
        self.resize(columns=columns, rows=rows)
        env = {"PATH": os.environ["PATH"], "PS1": "sh> ", "TERM": "dumb", "HISTFILE": ""}
        argv = ["setsid", "--ctty", "bash", "--norc", "--noprofile", "-i"]
        self.process = subprocess.Popen(argv, stdin=slave, stdout=slave, stderr=slave, env=env)
        os.close(slave)
        self.closed = False

    def resize(self, *, columns: int, rows: int) -> None:
        ioctl(self.fd, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))

    def close(self) -> None:
        if not self.closed:
            self.closed = True
            os.close(self.fd)
            self.process.kill()
            self.process.wait()


class Dialogue:
    """A terminal whose user types when an expected text appears; implements ``platforms.terminal.Terminal``."""

    def __init__(self, *steps: tuple[str, str], hang_up: bool = False, forbidden: str = "") -> None:
        self.steps = list(steps)
        self.columns, self.rows = 80, 24
        self.shown = ""
        self.entered: list[Entered] = []
        self.forbidden = forbidden
        self._hang_up = hang_up
        self._gone = False
        self._seen = 0
        self._news = threading.Condition()
        self._current: Entered | None = None

    waiting = stands_still = False

    def moving(self):
        return nullcontext()

    def _ready(self) -> bool:
        return re.search(self.steps[0][0], self.shown[self._seen :]) is not None

    def read(self, *, timeout_s: float | None = None) -> str:
        with self._news:
            if not self.steps:
                if self._hang_up:
                    raise HungUp
                raise EOFError
            if not self._news.wait_for(self._ready, timeout_s or 10):
                raise AssertionError(f"{self.steps[0][0]!r} did not come: {self.shown!r}")
            self._seen = len(self.shown)
            return self.steps.pop(0)[1]

    def write(self, text: str) -> None:
        with self._news:
            self.shown += text
            if self._current is not None:
                self._current.output += text
            self._news.notify_all()

    @contextmanager
    def command(self, line, *, kind="read"):
        if self.forbidden and self.forbidden in line:
            raise CommandNotPermitted("% not permitted")
        entry = self._current = Entered(line, kind)
        self.entered.append(entry)
        yield entry
        if self._current is entry:
            self._current = None


def talk(*steps, **settings) -> tuple[Dialogue, Program]:
    programs = []

    def start(columns, rows):
        programs.append(Program(columns, rows))
        return programs[0]

    dialogue = Dialogue(*steps, **settings)
    console = RelayConsole(
        open_program=start, run_command=lambda command: (f"<{command}>", 3), kind=lambda _p, _l: "read"
    )
    try:
        console.converse(dialogue)
    except HungUp:
        dialogue.shown += "<hung up>"
    return dialogue, programs[0]


def lines(dialogue) -> list[str]:
    return [one.line for one in dialogue.entered]


def test_what_is_typed_reaches_the_program_and_what_it_says_comes_back():
    dialogue, program = talk(("sh> ", "echo $((6 * 7))\r"), ("42\r\nsh> ", "exit\r"))
    assert lines(dialogue) == ["echo $((6 * 7))", "exit"]
    assert "42" in dialogue.entered[0].output
    assert program.closed


def test_a_paste_is_seen_line_by_line():
    dialogue, _ = talk(("sh> ", "echo a\necho b\nexit\n"))
    assert lines(dialogue) == ["echo a", "echo b", "exit"]


def test_a_line_that_is_not_permitted_does_not_reach_the_program():
    dialogue, _ = talk(("sh> ", "echo for''bidden\r"), ("(?s)permitted.*sh> $", "exit\r"), forbidden="for''bidden")
    assert "\nforbidden" not in dialogue.shown
    assert "% not permitted\r\n" in dialogue.shown


def test_corrections_are_part_of_the_line_that_is_recorded():
    dialogue, _ = talk(("sh> ", "ecco hi\x7f\x7f\x7f\x7f\x7fho hi\r"), ("\r\nhi\r\nsh> ", "exit\r"))
    assert lines(dialogue) == ["echo hi", "exit"]


def test_a_line_from_the_history_is_read_off_the_screen():
    dialogue, _ = talk(
        ("sh> ", "echo once\r"), ("once\r\nsh> ", "\x1b[A"), ("echo once", "\r"), ("once\r\nsh> ", "exit\r")
    )
    assert lines(dialogue) == ["echo once", "echo once", "exit"]


def test_control_c_reaches_a_program_that_runs():
    program = "sh -c 'echo re''ady; cat'"
    dialogue, _ = talk(("sh> ", f"{program}\r"), ("ready\r\n", "hi\r"), ("hi\r\nhi\r\n", "\x03"), ("sh> ", "exit\r"))
    assert lines(dialogue) == [program, "hi", "exit"]


def test_the_end_of_the_keys_is_the_end_of_the_program_s_input():
    dialogue, program = talk(("sh> ", "echo last\r"))
    assert "last\r\n" in dialogue.shown
    assert program.closed


def test_who_hangs_up_ends_a_program_that_says_nothing():
    dialogue, program = talk(("sh> ", "sleep 60\r"), hang_up=True)
    assert dialogue.shown.endswith("<hung up>")
    assert program.process.returncode is not None


def test_the_program_s_window_follows_the_terminal_s():
    class Growing(Dialogue):
        def read(self, *, timeout_s=None):
            keys = super().read(timeout_s=timeout_s)
            if "stty" in keys:
                self.columns, self.rows = 132, 50
            return keys

    dialogue = Growing(("sh> ", "stty size\r"), ("50 132\r\nsh> ", "exit\r"))
    RelayConsole(open_program=Program, run_command=lambda _c: ("", 0), kind=lambda _p, _l: "read").converse(dialogue)
    assert "50 132" in dialogue.shown


def test_a_long_paste_is_neither_lost_nor_shuffled(tmp_path):
    words = [f"echo {number} >>{tmp_path}/heard" for number in range(300)]
    dialogue, _ = talk(("sh> ", "\n".join([*words, "exit", ""])))
    assert lines(dialogue) == [*words, "exit"]
    assert (tmp_path / "heard").read_text().split() == [str(number) for number in range(300)]


def test_one_command_is_answered_with_its_output_and_status():
    dialogue = Dialogue()
    console = RelayConsole(
        open_program=Program, run_command=lambda command: (f"<{command}>", 3), kind=lambda _p, _l: "read"
    )
    assert console.execute(dialogue, "date") == 3
    assert dialogue.shown == "<date>"
    assert lines(dialogue) == ["date"]


def test_one_command_that_is_not_permitted_fails():
    dialogue = Dialogue(forbidden="date")
    console = RelayConsole(open_program=Program, run_command=lambda _c: ("", 0), kind=lambda _p, _l: "read")
    assert console.execute(dialogue, "date") == 1
    assert dialogue.shown == "% not permitted\r\n"


@pytest.mark.parametrize("enter", ["\r", "\n"])
def test_both_enters_are_one(enter):
    assert lines(talk(("sh> ", f"exit{enter}"))[0]) == ["exit"]
