"""Logging in at a console that all who connect share, as GNS3 has it, of a device that asks as IOS does."""

from __future__ import annotations

import socket
import time
from collections.abc import Iterator
from functools import partial
from threading import Thread
from typing import Any

import pytest

from pytest_netbench import parts
from pytest_netbench.errors import LabError
from pytest_netbench.lab.consoles import Console, Credentials
from pytest_netbench.lab.telnet import TelnetLine
from pytest_netbench.platforms.access import OneLine
from pytest_netbench.platforms.capabilities import CLI

DIALOG = "Would you like to enter the initial configuration dialog? [yes/no]: "
AUTOINSTALL = "Would you like to terminate autoinstall? [yes]: "


class Device:
    """A device with one terminal line, on which each connection sees all that is shown.

    Args:
        boots: What it asks before its prompt, each with the answer that it takes.
        users: By user: the password. Without any, nobody has to log in.
    """

    def __init__(self, boots: list[tuple[str, str]], users: dict[str, str], *, silent: bool = False) -> None:
        self._asks = list(boots)
        self._users = users
        self._silent = silent
        self._mode = "R1>"
        self._waits_for = ""
        self._user: str | None = None if users else ""
        self.typed: list[str] = []
        self.connections: list[socket.socket] = []
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.port = self._listener.getsockname()[1]
        self._threads = [Thread(target=self._accept)]
        self._threads[0].start()

    def _accept(self) -> None:
        while True:
            try:
                connection, _ = self._listener.accept()
            except OSError:
                return
            self.connections.append(connection)
            self._threads.append(Thread(target=self._serve, args=(connection,)))
            self._threads[-1].start()

    def _serve(self, connection: socket.socket) -> None:
        line = b""
        while True:
            try:
                new = connection.recv(100)
            except OSError:
                return
            if not new:
                return
            for key in new.replace(b"\0", b""):
                if key != 13:
                    line += bytes((key,))
                    continue
                text, line = line.decode(), b""
                self._show(f"{'' if self._hides() else text}\r\n{self._answer(text)}")

    def _show(self, text: str) -> None:
        if self._silent:
            return
        for connection in list(self.connections):
            try:
                connection.sendall(text.encode())
            except OSError:
                self.connections.remove(connection)

    def _hides(self) -> bool:
        return self._waits_for in ("password", "secret")

    def _answer(self, text: str) -> str:
        self.typed.append(text)
        if self._asks:
            question, expected = self._asks[0]
            if text != expected:
                return question
            self._asks.pop(0)
            return self._asks[0][0] if self._asks else "\r\n*Mar 1 00:01: %SYS-5: booted\r\n" + self._greet()
        if self._user is None or self._waits_for == "secret":
            return self._log_in(text)
        return self._run(text)

    def _greet(self) -> str:
        if self._user is not None:
            return self._mode
        self._waits_for = "user"
        return "Username: "

    def _log_in(self, text: str) -> str:
        if self._waits_for == "secret":
            self._waits_for = ""
            self._mode = "R1#" if text == "s3cret" else self._mode
            return self._mode
        if self._waits_for == "user" and text:
            self._waits_for, self._named = "password", text
            return "Password: "
        if self._waits_for == "password":
            if self._users.get(self._named) == text:
                self._user, self._waits_for = self._named, ""
                return f"\r\n{self._mode}"
            return "\r\n% Login invalid\r\n\r\n" + self._greet()
        return self._greet()

    def _run(self, text: str) -> str:
        modes = {"disable": "R1>", "end": "R1#", "configure terminal": "R1(config)#"}
        if text == "enable" and self._mode == "R1>":
            self._waits_for = "secret"
            return "Password: "
        self._mode = modes.get(text, self._mode)
        rights = "privileged" if self._mode == "R1#" else "not privileged"
        return (f"Version 15.9, {rights}\r\n" if text in ("show version", "ping 10.0.0.1") else "") + self._mode

    def close(self) -> None:
        self._listener.shutdown(socket.SHUT_RDWR)
        self._listener.close()
        for connection in self.connections:
            connection.close()

    def console(self, *, within_s: float = 20.0, **credentials: str) -> Console:
        return Console(
            "R1", partial(TelnetLine, "R1", "127.0.0.1", self.port), Credentials(**credentials), within_s=within_s
        )


@pytest.fixture
def device(request: pytest.FixtureRequest) -> Iterator[Device]:
    one = Device(**request.param)
    yield one
    one.close()


class Node:
    """Implements ``NodeAccess``: a console, and nothing else."""

    name = "R1"

    def __init__(self, console: Console) -> None:
        self.memory: dict[str, Any] = {}
        self.console = console

    def capability(self, kind):
        return kind.of({CLI.name: self.console}, owner="node R1")


BOOTS = [(DIALOG, "no"), (AUTOINSTALL, "yes"), ("Press RETURN to get started!\r\n", "")]


@pytest.mark.parametrize("device", [{"boots": BOOTS, "users": {"admin": "right"}}], indirect=True)
def test_a_device_that_has_just_booted_is_talked_to_until_its_prompt(device: Device) -> None:
    line = device.console(username="admin", password="right").connect()
    assert [text for text in device.typed if text] == ["no", "yes", "admin", "right"]
    line.write("show version\n")
    time.sleep(0.3)
    assert b"not privileged" in line.read()
    line.close()


@pytest.mark.parametrize("device", [{"boots": [], "users": {}}], indirect=True)
def test_one_session_ends_before_the_next_begins_since_they_share_the_line(device: Device) -> None:
    console = device.console(enable_secret="s3cret")
    assert isinstance(console, OneLine)
    node, driver = Node(console), parts.load("drivers", "cisco_ios_ssh")()
    assert "Version 15.9, privileged" in driver.execute(node, "show version")
    assert driver.execute(node, "ping 10.0.0.1") == "Version 15.9, not privileged\n"
    assert "Version 15.9, privileged" in driver.execute(node, "show version")
    assert device.typed.count("s3cret") == 2
    assert device.typed.count("disable") == 1
    node.memory.clear()


@pytest.mark.parametrize("device", [{"boots": [], "users": {}}], indirect=True)
def test_a_line_that_was_left_in_configuration_mode_is_taken_out_of_it(device: Device) -> None:
    console = device.console()
    line = console.connect()
    line.write("configure terminal\n")
    time.sleep(0.2)
    line.close()
    console.connect().close()
    assert device.typed[-1] == "end"


@pytest.mark.parametrize("device", [{"boots": [], "users": {"admin": "right"}}], indirect=True)
def test_a_console_that_lets_nobody_in_is_said_without_the_password(device: Device) -> None:
    with pytest.raises(LabError) as caught:
        device.console(username="admin", password="wr0ng").connect()
    assert str(caught.value) == "R1: its console does not let user 'admin' in"
    with pytest.raises(LabError, match="its console asks for a user, and the table of kinds names none"):
        device.console().connect()


@pytest.mark.parametrize("device", [{"boots": [("Loading...", "never")], "users": {}}], indirect=True)
def test_a_device_without_a_prompt_is_named_with_what_it_shows(device: Device) -> None:
    with pytest.raises(LabError, match=r"R1: no prompt on its console within 1 s; it shows '.*Loading\.\.\.'"):
        device.console(within_s=1.0).connect()


@pytest.mark.parametrize("device", [{"boots": [], "users": {}, "silent": True}], indirect=True)
def test_a_device_that_says_nothing_is_named(device: Device) -> None:
    with pytest.raises(LabError, match="R1: no prompt on its console within 1 s; it shows ''"):
        device.console(within_s=1.0).connect()
