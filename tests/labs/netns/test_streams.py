"""An agent's programs whose standard streams somebody else holds."""

from __future__ import annotations

import contextlib
import os
import select
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from pytest_netbench.errors import LabError
from pytest_netbench.platforms.access import Completed, SandboxLimits
from pytest_netbench.platforms.capabilities import AGENT_SHELL, EXEC, LOGS, PROCESSES, STREAMS, TerminalSize

Open = Callable[..., Any]
BINARY = bytes(range(256)) * 4096  # 1 MiB


@pytest.fixture
def node(lab: Any) -> Iterator[Any]:
    yield lab.nodes["a"]
    lab.nodes["a"].capability(STREAMS).clear()


@pytest.fixture
def start(node: Any) -> Iterator[Open]:
    """Start a program; it is ended after the test."""
    with contextlib.ExitStack() as stack:

        def start(*argv: str, **options: Any) -> Any:
            program = node.capability(STREAMS).stream(argv, **options)
            stack.callback(program.close)
            return program

        yield start


def can_be_read(fd: int, *, within_s: float = 10.0) -> bool:
    poller = select.poll()
    poller.register(fd, select.POLLIN)
    return bool(poller.poll(within_s * 1000))


def read_all(fd: int) -> bytes:
    found = b""
    while can_be_read(fd):
        try:
            chunk = os.read(fd, 1 << 16)
        except BlockingIOError:
            continue
        except OSError:  # the end of a terminal
            return found
        if not chunk:
            return found
        found += chunk
    raise AssertionError(f"no end after {found[-200:]!r}")


def status_of(program: Any) -> Completed:
    assert can_be_read(program.ended)
    done: Completed = program.status()
    return done


def run(start: Open, command: str, **options: Any) -> tuple[str, int]:
    program = start("sh", "-c", command, **options)
    program.close_stdin()
    output = read_all(program.stdout) + (read_all(program.stderr) if program.stderr is not None else b"")
    return output.decode(), status_of(program).returncode


def test_output_and_errors_come_apart_with_the_exit_status(start: Open) -> None:
    program = start("sh", "-c", "echo out; echo err >&2; exit 3")
    assert (read_all(program.stdout), read_all(program.stderr)) == (b"out\n", b"err\n")
    assert status_of(program).returncode == 3


def test_streams_carry_any_bytes_both_ways(start: Open) -> None:
    program = start("cat")
    sent, received = 0, b""
    while sent < len(BINARY) or len(received) < len(BINARY):
        with contextlib.suppress(BlockingIOError):
            sent += os.write(program.stdin, BINARY[sent : sent + 65536]) if sent < len(BINARY) else 0
        with contextlib.suppress(BlockingIOError):
            received += os.read(program.stdout, 1 << 16)
    program.close_stdin()
    program.close_stdin()
    assert received == BINARY
    assert status_of(program).returncode == 0


def test_a_program_on_a_terminal_knows_its_size_and_is_told_of_another(start: Open) -> None:
    size = TerminalSize(columns=91, rows=17)
    program = start("sh", "-c", "stty size; read x; stty size", terminal=size)
    assert can_be_read(program.stdout)
    assert program.stderr is None
    program.resize(columns=40, rows=9)
    os.write(program.stdin, b"\n")
    assert [line for line in read_all(program.stdout).decode().split("\r\n") if line] == ["17 91", "9 40"]


def test_the_end_of_input_ends_a_program_on_a_terminal(start: Open) -> None:
    program = start("cat", terminal=TerminalSize())
    program.close_stdin()
    assert status_of(program).returncode == 0


def test_the_status_of_a_program_that_runs_is_an_error(start: Open) -> None:
    with pytest.raises(LabError, match="has not ended"):
        start("sleep", "60").status()


def test_a_program_that_is_let_go_ends_with_all_it_started(start: Open, node: Any) -> None:
    program = start("sh", "-c", "sleep 4711 & echo begun; wait")
    assert can_be_read(program.stdout)
    assert processes(node, "sleep 4711") == 1
    program.close()
    program.close()
    wait_until(lambda: processes(node, "sleep 4711") == 0)


def test_a_program_ends_with_its_time(start: Open) -> None:
    done = status_of(start("sleep", "60", limits=SandboxLimits(timeout_s=0.2)))
    assert done.timed_out
    assert done.returncode == -9


def test_a_program_that_takes_too_much_memory_is_ended_and_says_so(start: Open) -> None:
    code = "x = bytearray(40 << 20); import time; time.sleep(60)"
    done = status_of(start("python3", "-c", code, limits=SandboxLimits(memory_bytes=32 << 20)))
    assert done.returncode
    if done.returncode == -9:
        assert "32 MiB of memory" in done.stderr


def test_a_program_that_is_not_there_says_so(start: Open) -> None:
    program = start("no-such-program")
    assert b"No such file" in read_all(program.stderr)
    assert status_of(program).returncode == 126


def test_programs_share_files_that_no_other_program_of_the_node_sees(start: Open, node: Any) -> None:
    assert run(start, "for d in /tmp /home /root /var/tmp; do echo kept > $d/file || exit 1; done") == ("", 0)
    assert run(start, "cat /tmp/file /home/file /root/file /var/tmp/file") == ("kept\n" * 4, 0)
    shell = node.capability(AGENT_SHELL)
    for writable in (True, False):
        assert shell.shell("ls /tmp /home", writable=writable).stdout.split() == ["/home:", "/tmp:"]
    assert node.capability(EXEC).run(["ls", "/tmp/file"]).returncode != 0


@pytest.mark.parametrize(
    "command",
    [
        "echo x > /etc/resolv.conf",
        "mkdir /run/x",
        "mount -t tmpfs x /mnt",
        "mount -o remount,rw /",
        "ip link set eth0 down",
        "ip addr add 10.9.9.9/24 dev eth0",
        "nft add table ip x",
        "sysctl -w net.ipv4.ip_forward=0",
        "unshare -Ur true",
        "nsenter -t 1 -n true",
        "hostname evil",
        "chroot / true",
        "python3 -c 'import socket; socket.socket(socket.AF_PACKET, socket.SOCK_RAW)'",
    ],
)
def test_a_program_has_no_rights_over_its_node(start: Open, command: str) -> None:
    output, status = run(start, command)
    assert status != 0, output


def test_a_program_sees_only_its_own_processes_and_no_capability(start: Open) -> None:
    output, _ = run(start, "ls -d /proc/[0-9]* | wc -l; grep CapEff /proc/self/status; id -u")
    count, _, capabilities, user = output.split()
    assert (int(count) <= 4, int(capabilities, 16), user) == (True, 0, "1000")


def test_a_program_has_the_name_and_the_variables_that_it_is_given(start: Open) -> None:
    output, _ = run(start, "hostname; echo $COLOUR $HOME", host_name="web-7", env={"COLOUR": "green", "HOME": "/root"})
    assert output == "web-7\ngreen /root\n"


def test_files_are_limited(start: Open) -> None:
    limits = SandboxLimits(disk_bytes=1 << 20)
    _, status = run(start, "head -c 3000000 /dev/zero > /tmp/file", limits=limits)
    assert status != 0


def test_clearing_a_node_ends_its_processes_and_forgets_files_and_logs(start: Open, node: Any) -> None:
    run(start, "echo kept > /tmp/file")
    node.capability(PROCESSES).start(["sh", "-c", "echo said; sleep 4712"], name="talker", lab_time=False)
    program = start("sleep", "4712")
    wait_until(lambda: node.capability(LOGS).log("talker") == "said\n" and processes(node, "sleep 4712") == 2)
    node.capability(STREAMS).clear()
    assert processes(node, "sleep 4712") == 0
    assert status_of(program).returncode == -9
    assert node.capability(LOGS).log("talker") == ""
    assert run(start, "ls /tmp") == ("", 0)


def test_many_programs_leave_no_descriptor_behind(start: Open) -> None:
    before = count_descriptors()
    for _ in range(30):
        program = start("true")
        assert status_of(program).returncode == 0
        program.close()
    assert count_descriptors() <= before


def count_descriptors() -> int:
    return len([*Path("/proc/self/fd").iterdir()])


def processes(node: Any, command: str) -> int:
    """How many processes of the lab have this command line; the count itself has it not.

    In a shell ``sleep`` is a script, which becomes the program by its full path.
    """
    pattern = f"^(/usr/bin/)?[{command[0]}]{command[1:]}$"
    return int(node.capability(EXEC).run(["pgrep", "-c", "-f", pattern]).stdout)


def wait_until(condition: Callable[[], bool], *, within_s: float = 10.0) -> None:
    deadline = time.monotonic() + within_s
    while not condition():
        assert time.monotonic() < deadline
        time.sleep(0.02)
