"""One SSH session on an IOS command line, by scrapli over libssh2."""

from __future__ import annotations

import logging
from collections.abc import Callable
from typing import TYPE_CHECKING

from pytest_netbench.errors import LabError
from pytest_netbench.model.trial import SshLogin

if TYPE_CHECKING:
    from scrapli import Cli

_NANO = 1_000_000_000
_OPEN_TIMEOUT_S = 30.0
_READ_MIN_DELAY_NS = 50_000
_READ_MAX_DELAY_NS = 2_000_000
_HIGHEST_COLUMNS = 511
_PRIVILEGED = "#"
# one mode for all prompts: the driver itself enters and leaves configuration mode
_DEFINITION = r"""---
prompt_pattern: '^[\w.\-@/:]{1,63}(\([\w.\-@/:+]{0,32}\))?[>#]\s?+$'
default_mode: 'any'
modes:
  - name: 'any'
    prompt_pattern: '^[\w.\-@/:]{1,63}(\([\w.\-@/:+]{0,32}\))?[>#]\s?+$'
    accessible_modes: []
failure_indicators: []
on_open_instructions: []
on_close_instructions: []
"""


class IosSession:
    """A session from login to logout, without paging. Not for several threads at once.

    Args:
        node: Name of the node, for messages.
        login: Where, and with which credentials.
        enable: Whether to enter privileged mode.

    Raises:
        LabError: The device did not let this session in.
    """

    def __init__(self, node: str, login: SshLogin, *, enable: bool) -> None:
        self._node = node
        self._cli: Cli | None = _opened(node, login)
        try:
            if enable and not self.prompt.endswith(_PRIVILEGED):
                self._enable(login.enable_secret)
            for setting in ("terminal length 0", f"terminal width {_HIGHEST_COLUMNS}"):
                self.send(setting)
        except BaseException:
            self.close()
            raise

    @property
    def alive(self) -> bool:
        """Whether the session can still be used."""
        return self._cli is not None

    @property
    def prompt(self) -> str:
        """The prompt that stands there now.

        Raises:
            LabError: The device does not answer.
        """
        return self._ask(lambda cli: cli.get_prompt().result, "showing its prompt").strip()

    def send(self, line: str, *, timeout_s: float = 60.0) -> str:
        """Send one line and return what the device printed, without echo and prompt.

        Raises:
            LabError: The session is gone, or the prompt did not come back in time; the session is closed then.
        """
        return self._ask(
            lambda cli: cli.send_input(line, operation_timeout_ns=int(timeout_s * _NANO)).result, f"answering {line!r}"
        )

    def close(self) -> None:
        """End the session. Idempotent."""
        from scrapli.exceptions import ScrapliException  # noqa: PLC0415

        cli, self._cli = self._cli, None
        if cli is not None:
            try:
                cli.close(force=True)
            except ScrapliException:
                return  # the device has closed it already

    def _enable(self, secret: str) -> None:
        from scrapli.cli import InputHandling  # noqa: PLC0415

        self._ask(
            # the echo is not waited for: the secret has none
            lambda cli: (
                cli.send_prompted_input(
                    "enable", "Password:", "", secret, hidden_response=True, input_handling=InputHandling.IGNORE
                ).result
            ),
            "entering privileged mode",
        )
        if not self.prompt.endswith(_PRIVILEGED):
            raise LabError(f"{self._node}: the device refused its enable secret")

    def _ask(self, question: Callable[[Cli], str], what: str) -> str:
        from scrapli.exceptions import ScrapliException  # noqa: PLC0415

        if self._cli is None:
            raise LabError(f"{self._node}: the SSH session is closed")
        try:
            return question(self._cli)
        except ScrapliException as error:
            self.close()
            raise LabError(f"{self._node}: the device failed at {what}: {error}") from error


def _opened(node: str, login: SshLogin) -> Cli:
    logging.getLogger("scrapli").addHandler(logging.NullHandler())  # the LabError says what scrapli would log
    from scrapli import AuthOptions, Cli, SessionOptions, TransportSsh2Options  # noqa: PLC0415
    from scrapli.cli import LoadedDefinition  # noqa: PLC0415
    from scrapli.exceptions import ScrapliException  # noqa: PLC0415

    cli = Cli(
        host=login.host,
        port=login.port,
        definition_file_or_name=LoadedDefinition(platform_name="netbench_ios", definition=_DEFINITION),
        auth_options=AuthOptions(username=login.username, password=login.password),
        session_options=SessionOptions(
            read_min_delay_ns=_READ_MIN_DELAY_NS,
            read_max_delay_ns=_READ_MAX_DELAY_NS,
            operation_timeout_ns=int(_OPEN_TIMEOUT_S * _NANO),
        ),
        transport_options=TransportSsh2Options(),
    )
    try:
        cli.open()
    except ScrapliException as error:
        raise LabError(f"{node}: no login at {login.host} port {login.port}: {error}") from error
    return cli
