"""The command line of a device that is reached by SSH, by scrapli over libssh2."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING

from pytest_netbench.errors import LabError
from pytest_netbench.model.trial import SshLogin
from pytest_netbench.platforms.access import CliLine

if TYPE_CHECKING:
    from scrapli import Cli

_NANO = 1_000_000_000
_OPEN_TIMEOUT_S = 30.0
_READ_MIN_DELAY_NS = 50_000
_READ_MAX_DELAY_NS = 2_000_000
_READ_BYTES = 65_536
# one mode for all prompts: the driver itself enters and leaves configuration mode
_DEFINITION = r"""---
prompt_pattern: '^[\w.\-@/:]{1,63}(\([\w.\-@/:+]{0,63}\))?[>#]\s?+\z'
default_mode: 'any'
modes:
  - name: 'any'
    prompt_pattern: '^[\w.\-@/:]{1,63}(\([\w.\-@/:+]{0,63}\))?[>#]\s?+\z'
    accessible_modes: []
failure_indicators: []
on_open_instructions: []
on_close_instructions: []
"""


class SshCommandLine:
    """Implements ``platforms.access.CommandLine``.

    Args:
        node: Name of the node, for messages.
        login: Where, and with which credentials.
    """

    def __init__(self, node: str, login: SshLogin) -> None:
        self._node = node
        self._login = login

    @property
    def enable_secret(self) -> str:
        return self._login.enable_secret

    def connect(self) -> CliLine:
        return _SshLine(self._node, self._login)


class _SshLine:
    def __init__(self, node: str, login: SshLogin) -> None:
        from scrapli.exceptions import ScrapliException

        self._node = node
        self._failures = ScrapliException
        self._cli = _closed(login)
        try:
            self._cli.open()
            self._cli.get_prompt()
        except ScrapliException as error:
            self.close()
            raise LabError(f"{node}: no login at {login.host} port {login.port}: {error}") from error

    def read(self) -> bytes:
        try:
            return bytes(self._cli.read(_READ_BYTES))
        except self._failures as error:
            raise LabError(f"{self._node}: the SSH session broke: {error}") from error

    def write(self, text: str) -> None:
        try:
            self._cli.write(text)
        except self._failures as error:
            raise LabError(f"{self._node}: the SSH session broke: {error}") from error

    def close(self) -> None:
        try:
            self._cli.close(force=True)
        except self._failures:
            return  # the device has closed it already


def _closed(login: SshLogin) -> Cli:
    logging.getLogger("scrapli").addHandler(logging.NullHandler())  # the LabError says what scrapli would log
    from scrapli import AuthOptions, Cli, SessionOptions, TransportSsh2Options
    from scrapli.cli import LoadedDefinition

    return Cli(
        host=login.host,
        port=login.port,
        definition_file_or_name=LoadedDefinition(platform_name="netbench_cli", definition=_DEFINITION),
        auth_options=AuthOptions(username=login.username, password=login.password),
        session_options=SessionOptions(
            read_min_delay_ns=_READ_MIN_DELAY_NS,
            read_max_delay_ns=_READ_MAX_DELAY_NS,
            operation_timeout_ns=int(_OPEN_TIMEOUT_S * _NANO),
        ),
        transport_options=TransportSsh2Options(),
    )
