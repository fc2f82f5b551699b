"""Keeps an expert within its budget."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from pytest_netbench.agents.runbooks.services import BUFFERS
from pytest_netbench.ani.protocol import Ani

RESERVE: Final = 2
"""Calls that are kept: to hand in the diagnosis, and to say that the task is done."""
_LOOKS: Final = ("ip -j link show", "ip -j neighbor show nud permanent", f"cat {BUFFERS}")
"""What runbooks look at on each host, and what does not change meanwhile."""
_BETWEEN: Final = "--- next ---\n"


class Spent(Exception):
    """What is left of the budget is kept for the answer."""


class Thrift:
    """The methods of an interface, with one call for all that runbooks look at on a host.

    Args:
        ani: The interface.
    """

    def __init__(self, ani: Ani) -> None:
        self._ani = ani
        self._seen: dict[str, Mapping[str, str]] = {}

    def call(self, method: str, params: Mapping[str, Any]) -> dict[str, Any]:
        """As that of the interface.

        Raises:
            Spent: Only the calls for the answer are left.
        """
        if method == "execute-cmd" and params["command"] in _LOOKS:
            device = params["device"]
            if device not in self._seen:
                self._seen[device] = self._look(device)
            return {"output": self._seen[device][params["command"]]}
        return self._asked(method, params)

    def _look(self, device: str) -> Mapping[str, str]:
        command = f"; echo {_BETWEEN.strip()!r}; ".join(_LOOKS)
        output = str(self._asked("execute-cmd", {"device": device, "command": command})["output"])
        # what is missing of a long answer that was cut was not seen
        return dict.fromkeys(_LOOKS, "") | dict(zip(_LOOKS, output.split(_BETWEEN), strict=False))

    def _asked(self, method: str, params: Mapping[str, Any]) -> dict[str, Any]:
        left = self._ani.budget_left()["calls"]
        if left is not None and left <= RESERVE:
            raise Spent
        return self._ani.call(method, params)
