"""An expert that keeps within its budget: hosts are asked once, and the calls for the answer are kept."""

from __future__ import annotations

from typing import Any

import pytest

from pytest_netbench.agents.runbooks.expert import RESERVE, Spent, Thrift


class Host:
    """Answers commands joined by ``;`` as a shell does, for a number of calls."""

    def __init__(self, calls: int | None) -> None:
        self.calls, self.asked = calls, 0

    def budget_left(self) -> dict[str, float | None]:
        return {"calls": None if self.calls is None else self.calls - self.asked}

    def call(self, _method: str, params: dict[str, Any]) -> dict[str, Any]:
        self.asked += 1
        lines = []
        for command in params["command"].split("; "):
            words = command.removeprefix("echo ").strip("'") if command.startswith("echo ") else f"[{command}]"
            lines.append(f"{words}\n")
        return {"output": "".join(lines)}


LOOKS = ("ip -j link show", "ip -j neighbor show nud permanent", "cat /proc/sys/net/ipv4/tcp_rmem")


def test_a_host_is_asked_once_for_all_that_does_not_change() -> None:
    host: Any = Host(None)
    thrift = Thrift(host)
    for device in ("h1", "h2", "h1"):
        for command in LOOKS:
            assert thrift.call("execute-cmd", {"device": device, "command": command})["output"] == f"[{command}]\n"
    assert host.asked == 2
    for _ in range(2):
        thrift.call("execute-cmd", {"device": "h1", "command": "cat /proc/net/snmp"})
    assert host.asked == 4


@pytest.mark.parametrize("command", [LOOKS[0], "cat /proc/net/snmp"])
def test_the_last_calls_are_kept_for_the_answer(command: str) -> None:
    host: Any = Host(RESERVE + 1)
    thrift = Thrift(host)
    thrift.call("execute-cmd", {"device": "h1", "command": command})
    with pytest.raises(Spent):
        thrift.call("execute-cmd", {"device": "h2", "command": command})
    assert host.asked == 1
