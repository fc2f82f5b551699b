"""A worked example of a program that works over the ANI's Unix socket. Needs nothing but Python's standard library.

Each message in either direction is one JSON-RPC 2.0 object on one line. Methods and shapes are those of the draft
(§4.2); ``budget-left`` is an extension.
"""

from __future__ import annotations

import json
import os
import socket
import sys
from typing import Any

BUDGET_EXHAUSTED = -32001


class Refused(Exception):
    """A request was answered with an error."""

    def __init__(self, code: int, message: str) -> None:
        super().__init__(message)
        self.code = code


class Network:
    """The network, as far as this program may reach it."""

    def __init__(self, path: str) -> None:
        self._socket = socket.socket(socket.AF_UNIX)
        self._socket.connect(path)
        self._answers = self._socket.makefile("rb")
        self._number = 0

    def call(self, method: str, **params: Any) -> Any:
        """One request."""
        self._number += 1
        request = {"jsonrpc": "2.0", "id": self._number, "method": method, "params": params}
        self._socket.sendall(json.dumps(request).encode() + b"\n")
        answer = json.loads(self._answers.readline())
        if "error" in answer:
            raise Refused(answer["error"]["code"], answer["error"]["message"])
        return answer["result"]


def main() -> None:
    """Look at every device and say what was seen."""
    brief = json.load(sys.stdin)
    network = Network(os.environ["NETBENCH_ANI_SOCKET"])
    findings = [f"The task is {brief['task_name']}."]
    stop_reason = "done"
    try:
        topology = network.call("get-topology")["topology"]
        findings.append(f"There are {len(topology['nodes'])} devices.")
        accessible = [name for name in brief["devices"] if brief["control"].get(name) != "foreign"]
        for device in accessible:
            config = network.call("get-running-cfg", device=device)["running_config"]
            findings.append(f"{device} has {len(config.splitlines())} configuration lines.")
    except Refused as error:
        if error.code != BUDGET_EXHAUSTED:
            raise
        stop_reason = "budget"
    json.dump({"reasoning": " ".join(findings), "stop_reason": stop_reason}, sys.stdout)


if __name__ == "__main__":
    main()
