"""Port security and frames that waited while their port went down, as on a busy machine."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from pytest_netbench.platforms.cisco_ios.services.programs.switching.dataplane import Frame
from pytest_netbench.platforms.cisco_ios.services.programs.switching.port_security import PortSecurity

PORT = "GigabitEthernet0/0"
OWN, OTHER = "02:00:00:00:00:01", "02:00:00:00:0a:0a"
SECURITY = {"maximum": 1, "violation": "shutdown", "sticky": False, "static": [], "kept": [], "ageing": 0}


class Switch:
    """What port security asks of its switch."""

    def __init__(self) -> None:
        self.port = SimpleNamespace(name=PORT, number=1, up=True, disabled="", tags={10: 0})
        self.held = {PORT: self.port}
        self.config = {"ports": {PORT: {"security": SECURITY}}}
        self.orders: list[tuple[object, ...]] = []
        self.plane = None
        self.shared = SimpleNamespace(log=lambda *_: None)

    def order(self, *words: object) -> None:
        self.orders.append(words)

    def disable(self, attachment: Any, cause: str) -> None:
        attachment.disabled = cause


def from_address(mac: str) -> Frame:
    data = bytes(6) + bytes.fromhex(mac.replace(":", "")) + bytes(50)
    return Frame(why=0, port=1, domain=10, tci=0, offload=b"", data=data)


@pytest.fixture
def switch() -> Any:
    return Switch()


def test_frames_that_waited_neither_count_nor_teach_an_address(switch: Any) -> None:
    security = PortSecurity(switch)
    security.refresh()
    security.stranger(switch.port, from_address(OWN))
    security.stranger(switch.port, from_address(OTHER))
    assert switch.port.disabled == "psecure-violation"
    security.stranger(switch.port, from_address(OTHER))  # it came before the port was disabled
    assert security.state()[PORT]["violations"] == 1
    switch.port.up, switch.port.disabled = False, ""
    security.refresh()  # `shutdown` forgets what was learned
    security.stranger(switch.port, from_address(OTHER))
    assert security.state()[PORT]["addresses"] == []
    switch.port.up = True
    security.refresh()
    security.stranger(switch.port, from_address(OWN))
    assert security.state()[PORT]["addresses"] == [[10, OWN, "SecureDynamic"]]
    assert not switch.port.disabled
