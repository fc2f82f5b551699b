"""The former place of ``SshCommandLine``. Deprecated: import it from ``pytest_netbench.platforms.cli_ssh.line``."""

from __future__ import annotations

import warnings

from pytest_netbench.platforms.cli_ssh.line import SshCommandLine

__all__ = ["SshCommandLine"]

warnings.warn(f"{__name__} is now pytest_netbench.platforms.cli_ssh.line", DeprecationWarning, stacklevel=2)
