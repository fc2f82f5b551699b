"""The table of kinds: which container stands for which dialect."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import NamedTuple

from pydantic import BaseModel, ConfigDict, Field

from pytest_netbench.lab.kinds.logins import Login
from pytest_netbench.lab.kinds.table import VARIABLE, devices, read, refused

__all__ = ["VARIABLE", "Device", "Interfaces", "Kind", "Node", "table"]


class Interfaces(BaseModel):
    """The interfaces of a kind of device that can be cabled, and their numbers among the container's ``ethN``.

    ``pattern`` has a group ``port``, and ``slot`` if there are slots of ``ports`` ports each.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    pattern: str
    ports: int = 0
    shift: int = 0

    def has(self, interface: str) -> bool:
        """Whether there is such an interface, and it can be cabled."""
        return self._number(interface) > 0

    def kernel_name(self, interface: str) -> str:
        """The name of an interface in its container.

        Raises:
            ValueError: The device has no such interface, or none that can be cabled.
        """
        if not self.has(interface):
            raise ValueError(f"no interface {interface!r} that can be cabled")
        return f"eth{self._number(interface)}"

    def _number(self, interface: str) -> int:
        """Its number in the container, of which 0 is that of the management; not above 0 if it cannot be cabled."""
        found = re.fullmatch(self.pattern, interface, re.IGNORECASE)
        if found is None:
            return 0
        groups = found.groupdict()
        return int(groups["port"]) + self.ports * int(groups.get("slot") or 0) + self.shift


class Device(Login):
    """What is common to nodes of a vendor's kind, see ``lab/kinds/kinds.yaml``."""

    dialect: str
    driver: str
    interfaces: Interfaces
    management: str
    boot_s: float = Field(600.0, alias="boot-s", gt=0)


class Kind(BaseModel):
    """One entry of the table, see ``lab/kinds/kinds.yaml``."""

    model_config = ConfigDict(extra="forbid", frozen=True, populate_by_name=True)

    kind: str = "linux"
    image: str
    driver: str = ""
    entrypoint: str | None = None
    cmd: str | None = None
    memory: str | None = None
    cap_add: tuple[str, ...] = Field((), alias="cap-add")
    sysctls: Mapping[str, str | int] = {}
    privileged: bool | None = None
    device: str | None = None


class Node(NamedTuple):
    """What stands for a dialect.

    Attributes:
        kind: Its entry.
        driver: Name of the driver.
        device: What is known of it as a device that is reached by SSH; ``None`` if its container is entered.
    """

    kind: Kind
    driver: str
    device: Device | None = None

    def __str__(self) -> str:
        return f"kind {self.kind.kind}, image {self.kind.image}"


def table() -> dict[str, Node]:
    """By dialect: what stands for it, from the built-in table and the user's own.

    Raises:
        UsageError: The user's file cannot be read, or is no such table.
    """
    known = devices(Device)
    return {dialect: _node(dialect, kind, known) for dialect, kind in read(Kind).items()}


def _node(dialect: str, kind: Kind, known: Mapping[str, Device]) -> Node:
    if kind.device is not None and kind.device not in known:
        raise refused(f"{dialect}.device: no device {kind.device!r} (known: {', '.join(known)})")
    device = known.get(kind.device or kind.kind)
    driver = kind.driver or ("" if device is None else device.driver)
    if not driver:
        raise refused(f"{dialect}.driver: Field required")
    return Node(kind, driver, device)
