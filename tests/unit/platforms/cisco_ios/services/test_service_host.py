"""The process that runs services, commanded over a vty socket like FRR's daemons."""

from __future__ import annotations

import json
import socket
import threading

import pytest

from pytest_netbench.platforms.cisco_ios.services.programs.common import frr
from pytest_netbench.platforms.cisco_ios.services.programs.common.host import FAILURE, SUCCESS, Host, TrackBoard
from pytest_netbench.platforms.cisco_ios.services.programs.common.loop import Loop
from pytest_netbench.platforms.cisco_ios.services.programs.messages.syslog import formatted, stamp


@pytest.fixture
def host(tmp_path):
    return Host("test", directory=str(tmp_path))


def ask(path, *commands):
    """Return the host's answers over its socket as (text, status) pairs."""
    answers = []
    with socket.socket(socket.AF_UNIX) as connection:
        connection.settimeout(5)
        connection.connect(str(path))
        for command in commands:
            connection.sendall(command.encode() + b"\0")
            answer = b""
            while len(answer) < 4 or answer[-4:-1] != b"\0\0\0":
                answer += connection.recv(65536)
            answers.append((answer[:-4].decode(), answer[-1]))
    return answers


def test_commands_over_the_socket_configure_a_service_and_tell_its_state(host, tmp_path):
    threading.Thread(target=host.run, daemon=True).start()
    hosts = json.dumps({"hosts": [{"address": "127.0.0.1", "port": 9}]})
    answers = ask(
        tmp_path / "ios-test.vty", "enable", f"configure syslog {hosts}", "syslog send 5 SYS RELOAD Now", "state syslog"
    )
    assert [status for _, status in answers] == [SUCCESS] * 4
    state = json.loads(answers[-1][0])
    assert [message["text"] for message in state["messages"]] == ["Now"]
    assert state["sent"] == {"127.0.0.1": 1}
    assert (tmp_path / "ios-test.pid").read_text().strip().isdigit()


def test_a_service_that_is_not_there_and_a_command_it_does_not_know_are_refused(host):
    for name in ("../etc", "nonesuch", "common.host", "os"):
        text, status = host.answer(f"state {name}")
        assert text.startswith(f"there is no service {name!r} (known: acllog, dhcp, ")
        assert status == FAILURE
    assert host.answer("syslog dance") == ("the service syslog knows no command 'dance'", FAILURE)


def test_a_configuration_that_fails_comes_back_with_its_reason_and_the_host_goes_on(host):
    text, status = host.answer("configure syslog {")
    assert status == FAILURE
    assert "Expecting property name" in text
    assert host.answer("configure syslog {}") == ("", SUCCESS)


def test_calls_are_made_in_the_order_they_are_due_and_cancelled_ones_never():
    loop, made = Loop(), []
    loop.after(0.02, lambda: made.append("late"))
    loop.after(0.01, lambda: made.append("early")).cancel()
    loop.after(0.0, lambda: made.append("now"))
    loop.after(0.0, lambda: made.append("now too"))
    loop.after(0.03, loop.stop)
    loop.run()
    assert made == ["now", "now too", "late"]


def test_what_can_be_read_is_served_before_a_timer_that_is_due():
    loop, made = Loop(), []
    one, other = socket.socketpair()
    loop.after(0.0, lambda: made.append("timer"))
    loop.watch(one.fileno(), lambda: made.append(one.recv(9)))
    other.send(b"hello")
    loop.turn(0)
    assert made == [b"hello", "timer"]


def test_listeners_hear_of_changed_objects_only():
    board, heard = TrackBoard(), []
    board.listen(lambda: heard.append(board.is_up(1)))
    board.publish({1: True})
    board.publish({1: True})
    board.publish({1: False})
    assert heard == [True, False]
    assert not board.is_up(2)


def test_messages_read_as_a_router_logs_them():
    entry = {
        "facility": "HSRP",
        "severity": 5,
        "mnemonic": "STATECHANGE",
        "text": "Gi0/0 Grp 1 state Standby -> Active",
    }
    assert formatted(entry) == "%HSRP-5-STATECHANGE: Gi0/0 Grp 1 state Standby -> Active"
    assert stamp(1_795_257_727.125) == "*Nov 21 10:42:07.125"


def test_a_daemon_is_configured_line_by_line_and_refusals_are_told(tmp_path):
    listener = socket.socket(socket.AF_UNIX)
    listener.bind(str(tmp_path / "staticd.vty"))
    listener.listen()
    heard = []

    def serve():
        connection, _ = listener.accept()
        pending = b""
        while data := connection.recv(4096):
            pending += data
            while b"\0" in pending:
                line, _, pending = pending.partition(b"\0")
                heard.append(line.decode())
                refused = line == b"ip route nonsense"
                connection.sendall((b"% Unknown command" if refused else b"") + b"\0\0\0" + bytes((2 * refused,)))

    server = threading.Thread(target=serve, daemon=True)
    server.start()
    lines = [("staticd", "ip route 10.0.0.0/8 192.0.2.1"), ("staticd", "ip route nonsense")]
    assert frr.configure(lines, directory=str(tmp_path)) == ["staticd: ip route nonsense: % Unknown command"]
    server.join(5)
    assert heard == ["enable", "configure terminal", "ip route 10.0.0.0/8 192.0.2.1", "ip route nonsense", "end"]
