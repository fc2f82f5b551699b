"""A dialogue with a device of a lab by SSH, as a user at a terminal has it."""

from __future__ import annotations

import re

from pytest_netbench.model.trial import SshLogin


class Shell:
    """A dialogue over paramiko: type, and wait for what must come."""

    def __init__(self, login: SshLogin) -> None:
        import paramiko

        self.client = paramiko.SSHClient()
        self.client.set_missing_host_key_policy(paramiko.AutoAddPolicy())
        self.client.connect(
            login.host, login.port, login.username, login.password, look_for_keys=False, allow_agent=False
        )
        self.channel = self.client.invoke_shell(width=132, height=50)
        self.channel.settimeout(10)

    def type(self, text: str, wanted: str) -> str:
        """What is shown until ``wanted`` (a pattern) has come."""
        self.channel.sendall(text.encode())
        seen = ""
        while re.search(wanted, seen, re.MULTILINE) is None:
            try:
                piece = self.channel.recv(65536)
            except TimeoutError as error:
                raise AssertionError(f"{wanted!r} did not come: {seen!r}") from error
            assert piece, seen
            seen += piece.decode()
        return seen

    def leave(self) -> None:
        """Log out, and see the session end."""
        self.channel.sendall(b"exit\r")
        while self.channel.recv(65536):
            pass

    def run(self, command: str) -> tuple[str, int]:
        """One command on a channel of its own."""
        _, output, _ = self.client.exec_command(command, timeout=10)
        return output.read().decode(), output.channel.recv_exit_status()
