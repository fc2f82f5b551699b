"""Exchanges what a VPCS has been told, and puts the former back."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Any, Final

from pytest_netbench.errors import LabError
from pytest_netbench.lab.protocols import LabNode
from pytest_netbench.model.trial import RefusedLine
from pytest_netbench.platforms.vpcs.session import session_of
from pytest_netbench.platforms.vpcs.settings import Settings

_FACT: Final = re.compile(r"^(IP/MASK|GATEWAY|DNS|DOMAIN NAME|MTU):? *: *(.*?) *$", re.MULTILINE)
_LEASED: Final = re.compile(r"^DHCP", re.MULTILINE)
_USUAL_MTU: Final = ("0", "1500")


class VpcsConfigs:
    """The settings of one host. Its methods are those of ``configs.Configs``; what is saved are lines of ``show ip``.

    Args:
        driver: The driver ``vpcs``.
        node: The host.
    """

    def __init__(self, driver: Any, node: LabNode) -> None:
        self._driver = driver
        self._node = node

    def running(self) -> str:
        """The settings as they are now.

        Raises:
            LabError: They cannot be read, or a server has given them.
        """
        shown = session_of(self._node).send("show ip")
        if _LEASED.search(shown):
            raise LabError(f"{self._node.name}: its address was given by a DHCP server, and could not be put back")
        facts = {key: " ".join(value.split()) for key, value in _FACT.findall(shown)}
        if "IP/MASK" not in facts:
            raise LabError(f"{self._node.name}: cannot read its settings: {shown.strip()!r}")
        return "".join(f"{key}: {value}\n" for key, value in facts.items())

    def clear(self) -> None:
        """Take its address away, so that another host can have it."""
        session = session_of(self._node)
        session.send(Settings().command)
        session.send("clear arp")  # it takes no address that it has seen another host have

    def load(self, wanted: str) -> Sequence[RefusedLine]:
        """Exchange the settings for the lines of a startup config; return the refused lines."""
        self.clear()
        refused: Sequence[RefusedLine] = self._driver.boot(self._node, wanted)
        return refused

    def restore(self, saved: str) -> None:
        """Make the settings what they were.

        Raises:
            LabError: They are not; the text has the lines.
        """
        if self.running() == saved:
            return
        self.clear()
        said = [session_of(self._node).send(line).strip() for line in _typed(saved)]
        now = self.running().splitlines()
        if wrong := [f"+ {line}" for line in saved.splitlines() if line not in now]:
            shown = "; ".join(one for one in said if one)
            raise LabError("\n".join([f"{self._node.name}: settings differ from what was saved ({shown}):", *wrong]))


def _typed(saved: str) -> Iterator[str]:
    facts = {key: value for key, _, value in (line.partition(": ") for line in saved.splitlines())}
    now = Settings.shown("".join(f"{key} : {value}\n" for key, value in facts.items()))
    yield now.command
    if facts.get("DNS"):
        yield f"ip dns {facts['DNS']}"
    if facts.get("DOMAIN NAME"):
        yield f"ip domain {facts['DOMAIN NAME']}"
    if facts.get("MTU", "0") not in _USUAL_MTU:
        yield f"ip mtu {facts['MTU']}"
