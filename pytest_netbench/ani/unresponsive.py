"""Nodes that have crashed: whoever asks one of them waits in vain."""

from __future__ import annotations

import time
from typing import Final

from pytest_netbench.errors import AniError
from pytest_netbench.lab.capabilities import crashed
from pytest_netbench.lab.protocols import Lab
from pytest_netbench.rpccodes import Code

PATIENCE_S: Final = 2.0
"""Wall seconds after which a connection to a silent node is given up. They pass as they would with a real one."""


def await_answer(lab: Lab, device: str, what: str) -> None:
    """Return if a node answers.

    Raises:
        AniError: It does not, which was waited for.
    """
    if device in crashed(lab):
        time.sleep(PATIENCE_S)  # nothing will come that could be waited for
        raise AniError(
            f"{device}: the device did not answer {what}: connection timed out after {PATIENCE_S:g} s",
            code=Code.DEVICE_ERROR,
        )
