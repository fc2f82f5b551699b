"""ScrapliSession against a small command line of our own on a real pty."""

from __future__ import annotations

import os
import statistics
import subprocess
import sys
import time
from pathlib import Path

import pytest
from scrapli.helper import wait_for_available_operation_result

from pytest_netbench.errors import LabError
from pytest_netbench.lab.session import ScrapliSession
from pytest_netbench.platforms.frr import vtysh

DEFINITION = vtysh.DEFINITION
DEVICE = """
import os, sys, time
mode = ""
print("Hello, this is a device.")
while True:
    try:
        line = input(f"R1{mode}# ").strip()
    except EOFError:
        break
    if line == "configure terminal":
        mode = "(config)"
    elif line == "end":
        mode = ""
    elif line == "bulk":
        print("\\n".join(f"line {i} " + "x" * 90 for i in range(1000)))
    elif line == "slow":
        for char in "  metric 0 mtu 1500\\n  flags: <UP,BROADCAST,RUNNING,MULTICAST>\\n  Type: Ethernet\\n" * 12:
            print(char, end="", flush=True)
            time.sleep(0.0005)
    elif line == "indented":
        print("  first\\n second")
    elif line == "hang":
        time.sleep(60)
    elif line == "die":
        os._exit(1)
    elif line == "early prompt":
        print("R1#", flush=True); time.sleep(0.05); print("late words")
    elif line == "pid":
        print(os.getpid())
    elif line:
        print(f"% Unknown command: {line}")
"""


@pytest.fixture
def session(tmp_path: Path):
    device = tmp_path / "device.py"
    device.write_text(DEVICE)
    session = ScrapliSession(name="R1", bin=sys.executable, args=["-S", str(device)], definition=DEFINITION)
    yield session
    session.close()


def test_output_comes_without_echo_and_prompt_and_keeps_its_indentation(session):
    assert session.send("indented") == "  first\n second"
    assert session.send("foo") == "% Unknown command: foo"
    assert session.send("") == ""


def test_the_prompt_is_the_one_last_seen(session):
    assert session.prompt == "R1#"
    session.send("configure terminal")
    assert session.prompt == "R1(config)#"
    session.send("end")
    assert session.prompt == "R1#"


@pytest.mark.parametrize("words", ["x" * 400, "y " * 90, "bü ß", "trailing space ", "  leading"])
def test_long_and_odd_lines_are_echoed_whole(session, words):
    assert session.send(f"echo {words}") == f"% Unknown command: echo {words}".rstrip()


def test_bulky_output_arrives_whole(session):
    lines = session.send("bulk").split("\n")
    assert len(lines) == 1000
    assert lines[-1] == "line 999 " + "x" * 90


def test_the_rest_of_a_line_is_no_prompt_wherever_the_answer_comes_in_pieces(session):
    lines = session.send("slow").split("\n")
    assert len(lines) == 36, lines[-1]
    assert session.prompt == "R1#"


def test_a_short_answer_takes_at_most_five_milliseconds_at_the_median(session):
    times = []
    for _ in range(50):
        started = time.perf_counter()
        session.send("foo")
        times.append(time.perf_counter() - started)
    assert statistics.median(times) <= 0.005


def test_a_command_that_hangs_ends_the_session_with_what_was_sent(session):
    with pytest.raises(LabError, match=r"R1: no prompt within 0\.3 s after 'hang'"):
        session.send("hang", timeout_s=0.3)
    assert not session.alive
    with pytest.raises(LabError, match="R1: the session is closed"):
        session.send("foo")


def test_an_answer_that_scrapli_never_tells_of_is_not_waited_for_for_ever(session, monkeypatch):
    """Its thread and the caller share a pipe; here the caller listens to another one, as if a word were lost."""
    deaf, mouth = os.pipe()
    monkeypatch.setattr(
        "scrapli.cli.wait_for_available_operation_result",
        lambda fd, cancel, operation_id_ptr: wait_for_available_operation_result(deaf, cancel, operation_id_ptr),
    )
    monkeypatch.setattr("pytest_netbench.lab.session._GRACE_S", 0.1)
    began = time.monotonic()
    with pytest.raises(LabError, match=r"no prompt within 0\.3 s after 'pid'"):
        session.send("pid", timeout_s=0.3)
    assert time.monotonic() - began < 5
    monkeypatch.undo()
    os.close(mouth)
    os.close(deaf)


def test_a_device_that_dies_is_a_lab_error(session):
    with pytest.raises(LabError, match="after 'die'"):
        session.send("die")


def test_a_session_out_of_step_is_closed_rather_than_believed(session):
    assert session.send("early prompt") == ""
    time.sleep(0.2)
    with pytest.raises(LabError, match="out of step"):
        session.send("foo")
    assert not session.alive


@pytest.mark.parametrize("line", ["a\nb", "a\tb", "a\x15b", "a\x7f"])
def test_keystrokes_are_not_sent(session, line):
    with pytest.raises(ValueError, match="control characters"):
        session.send(line)


def test_a_program_that_is_not_a_command_line_is_a_lab_error():
    with pytest.raises(LabError, match=r"R1: the command line did not come up within 0\.5 s"):
        ScrapliSession(name="R1", bin="/bin/cat", definition=DEFINITION, open_timeout_s=0.5)


def test_an_argument_with_a_space_is_refused():
    with pytest.raises(ValueError, match="split on spaces"):
        ScrapliSession(name="R1", bin="/bin/sh", args=["-c", "exec cat"], definition=DEFINITION)


def test_close_ends_the_program(session):
    pid = int(session.send("pid"))
    session.close()
    session.close()
    deadline = time.monotonic() + 3
    while time.monotonic() < deadline and _runs(pid):
        time.sleep(0.01)
    assert not _runs(pid)


def _runs(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return "\nState:\tZ" not in Path(f"/proc/{pid}/status").read_text()


def test_a_process_that_leads_a_session_without_a_terminal_survives_its_sessions(tmp_path: Path):
    """As pytest does in a container without -t, under systemd, cron and in CI."""
    device = tmp_path / "device.py"
    device.write_text(DEVICE)
    code = (
        "import sys\n"
        "from pytest_netbench.lab.session import ScrapliSession\n"
        "for _ in range(2):\n"
        f"    open_one = lambda: ScrapliSession(name='R1', bin=sys.executable, args=['-S', {str(device)!r}], "
        f"definition={DEFINITION!r})\n"
        "    one, other = open_one(), open_one()\n"
        "    print(one.send('foo'), other.send('bar'))\n"
        "    one.close(); other.close()\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", code],
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        start_new_session=True,
        timeout=60,
        check=False,
    )
    assert (done.returncode, done.stdout) == (0, "% Unknown command: foo % Unknown command: bar\n" * 2), done.stderr


def test_a_session_that_was_given_up_while_it_opens_ends_nobody():
    """A thread of libscrapli logs when its own limit is over, and its Cli may be gone by then."""
    script = (
        "import gc, time, scrapli.cli\n"
        "from scrapli.exceptions import CancelledException\n"
        "from pytest_netbench.errors import LabError\n"
        "from pytest_netbench.lab.session import ScrapliSession\n"
        "def give_up(*_, **__):\n"
        "    raise CancelledException\n"
        "scrapli.cli.wait_for_available_operation_result = give_up\n"
        "for _ in range(4):\n"
        "    try:\n"
        f"        ScrapliSession(name='R1', bin='/bin/cat', definition={DEFINITION!r}, open_timeout_s=1.0)\n"
        "    except LabError as error:\n"
        "        assert 'did not come up' in str(error)\n"
        "gc.collect()\n"
        "time.sleep(2)\n"
        "print('alive')\n"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, timeout=60, check=False)
    assert (done.returncode, done.stdout) == (0, "alive\n"), done.stderr[-500:]
