from __future__ import annotations

import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from pytest_netbench.errors import LabDied, LabError, RequirementMissing
from pytest_netbench.lab import attribution
from pytest_netbench.lab.attribution import agent_may_have_caused
from pytest_netbench.model.trial import SshLogin
from pytest_netbench.platforms.access import Completed
from pytest_netbench.platforms.capabilities import CLI, EXEC, LOGIN

ERROR = LabError("R1 does not answer")


class Hosted:
    """A node that runs programs and has no login."""

    def __init__(self, status: int = 0) -> None:
        self._status = status

    def run(self, argv):
        return Completed(stdout="", stderr="", returncode=self._status)

    def capability(self, kind):
        return kind.of({EXEC.name: self}, owner="node R1")


class LoginOnly:
    """A node that offers an SSH login and nothing else."""

    def __init__(self, port: int) -> None:
        self._port = port

    def login(self) -> SshLogin:
        return SshLogin(
            host="127.0.0.1",
            port=self._port,
            username="u",
            password="p",
            enable_secret="e",
            platform="cisco_ios",
            host_key="k",
        )

    def capability(self, kind):
        return kind.of({LOGIN.name: self}, owner="node R1")


@contextmanager
def listening(says: bytes) -> Iterator[int]:
    """A port on loopback that says something to everyone who connects, and keeps the connection open."""
    kept: list[socket.socket] = []
    with socket.create_server(("127.0.0.1", 0)) as server:

        def serve() -> None:
            while True:
                try:
                    connection, _ = server.accept()
                except OSError:
                    return
                kept.append(connection)
                connection.sendall(says)

        thread = threading.Thread(target=serve, daemon=True)
        thread.start()
        yield server.getsockname()[1]
        server.shutdown(socket.SHUT_RDWR)
    thread.join(5)
    for connection in kept:
        connection.close()


def test_an_error_on_a_node_that_runs_programs_may_be_the_agents():
    assert agent_may_have_caused(ERROR, Hosted(), Hosted())
    assert not agent_may_have_caused(ERROR, Hosted(), Hosted(status=1))
    assert not agent_may_have_caused(LabDied("the supervisor is gone"), Hosted())


def test_an_error_on_a_node_with_nothing_but_a_login_may_be_the_agents_if_its_ssh_server_answers():
    with listening(b"SSH-2.0-Cisco-1.25\r\n") as port:
        assert agent_may_have_caused(ERROR, LoginOnly(port))
        assert agent_may_have_caused(ERROR, LoginOnly(port), Hosted())
    assert not agent_may_have_caused(ERROR, LoginOnly(port))


@pytest.mark.parametrize("says", [b"HTTP/1.1 400", b""], ids=["no SSH server", "silence"])
def test_a_login_where_no_ssh_server_answers_is_the_infrastructures(says, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(attribution, "_GREETING_S", 0.3)
    with listening(says) as port:
        assert not agent_may_have_caused(ERROR, LoginOnly(port))


class CommandLineOnly:
    """A node that offers the command line of a device and nothing else."""

    enable_secret = ""

    def __init__(self, *, answers: bool) -> None:
        self._answers = answers
        self.open = 0

    def connect(self):
        if not self._answers:
            raise LabError("R1: nobody is let in")
        self.open += 1
        return self

    def close(self):
        self.open -= 1

    def capability(self, kind):
        return kind.of({CLI.name: self}, owner="node R1")


def test_an_error_on_a_node_with_nothing_but_a_command_line_may_be_the_agents_if_that_answers():
    node = CommandLineOnly(answers=True)
    assert agent_may_have_caused(ERROR, node)
    assert node.open == 0
    assert not agent_may_have_caused(ERROR, CommandLineOnly(answers=False))


def test_a_node_that_has_neither_is_the_infrastructures():
    class Neither(Hosted):
        def capability(self, kind):
            return kind.of({}, owner="node R1")

    with pytest.raises(RequirementMissing):
        Neither().capability(LOGIN)
    assert not agent_may_have_caused(ERROR, Neither())
