"""Events: what happens to a running network while testcases observe it. One model per action, each with one field."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from pydantic import Field

from pytest_netbench.model.base import Model
from pytest_netbench.model.topology import Endpoint, LinkQuality

EVENT_NAME: Final = r"^[a-z0-9][a-z0-9-]*$"


class DaemonOf(Model):
    """One daemon of one node, by the name that its network OS uses."""

    node: str
    daemon: str

    def __str__(self) -> str:
        return f"{self.node} {self.daemon}"


class LinkChange(Model):
    """Other properties of the link at an interface. Those that are not given stay as they are."""

    at: Endpoint
    delay_ms: float | None = Field(None, ge=0)
    jitter_ms: float | None = Field(None, ge=0)
    loss: float | None = Field(None, ge=0, le=1)
    rate_bps: int | None = Field(None, gt=0)

    def changed(self, quality: LinkQuality) -> LinkQuality:
        """Return ``quality`` with the properties that are given."""
        given = {name: value for name in LinkQuality.model_fields if (value := getattr(self, name)) is not None}
        return quality.model_copy(update=given)

    def __str__(self) -> str:
        return str(self.at)


class Typed(Model):
    """Configuration commands that somebody types on a node, and those that take them back."""

    node: str
    commands: tuple[str, ...] = Field(min_length=1)
    undo: tuple[str, ...] = Field(min_length=1, description="typed when the event is over")

    def __str__(self) -> str:
        more = "" if len(self.commands) == 1 else f" and {len(self.commands) - 1} more"
        return f"{self.node} {self.commands[0].strip()!r}{more}"


class Cut(Model):
    """The cable at an interface is cut: both ends lose carrier."""

    cut: Endpoint


class Restore(Model):
    """The cable at an interface is connected again."""

    restore: Endpoint


class Stop(Model):
    """A daemon ends in order."""

    stop: DaemonOf


class Start(Model):
    """A stopped daemon starts with the configuration that it had."""

    start: DaemonOf


class Reboot(Model):
    """A node restarts from its saved configuration."""

    reboot: str


class Fail(Model):
    """All cables of a node are cut."""

    fail: str


class Recover(Model):
    """All cables of a node are connected again."""

    recover: str


class ChangeLink(Model):
    """A link gets another delay, loss or rate."""

    link: LinkChange


class Enter(Model):
    """Somebody else configures a node: a provider announces a network, a host gets another address."""

    enter: Typed


Action = Cut | Restore | Stop | Start | Reboot | Fail | Recover | ChangeLink | Enter
ACTIONS: Final[dict[str, type[Model]]] = {
    next(iter(model.model_fields)): model
    for model in (Cut, Restore, Stop, Start, Reboot, Fail, Recover, ChangeLink, Enter)
}
"""By the word that a task file uses."""
REQUIREMENTS: Final[dict[type[Model], str]] = {
    Cut: "links",
    Restore: "links",
    Fail: "links",
    Recover: "links",
    ChangeLink: "links",
    Reboot: "nodes",
    Stop: "daemons",
    Start: "daemons",
}
"""The capability of a lab that each action needs; ``Enter`` needs none."""
_UNDOES: Final[dict[type[Model], type[Model]]] = {Restore: Cut, Start: Stop, Recover: Fail}
_IOS_DAEMONS: Final = ("bfdd", "bgpd", "isisd", "ospf6d", "ospfd", "ripd", "ripngd", "staticd")
_FRR_DAEMONS: Final = (
    *_IOS_DAEMONS,
    *("babeld", "eigrpd", "fabricd", "ldpd", "nhrpd", "pathd", "pbrd", "pim6d", "pimd", "vrrpd"),
)
DAEMONS: Final[dict[str, tuple[str, ...]]] = {"frr": _FRR_DAEMONS, "cisco_ios": _IOS_DAEMONS, "linux": ()}
"""By platform, the daemons that an event may stop. ``zebra`` is not among them: all others depend on it."""


def words(action: Action) -> str:
    """Return an action as a task file writes it: ``cut: R1 eth1``."""
    (name,) = type(action).model_fields
    return f"{name}: {getattr(action, name)}"


def node_of(action: Action) -> str:
    """Return the node that an action names."""
    (name,) = type(action).model_fields
    target = getattr(action, name)
    if isinstance(target, LinkChange):
        return target.at.node
    return target if isinstance(target, str) else str(target.node)


def interface_of(action: Action) -> str | None:
    """Return the interface that an action names, or ``None``."""
    (name,) = type(action).model_fields
    target = getattr(action, name)
    if isinstance(target, LinkChange):
        target = target.at
    return target.interface if isinstance(target, Endpoint) else None


def cancel_out(actions: Sequence[Action]) -> bool:
    """Return whether each action was undone by a later one, so that the network should become as it was."""
    broken = set()
    for action in actions:
        (target,) = (str(value) for _, value in action)
        if type(action) in _UNDOES:
            broken.discard((_UNDOES[type(action)], target))
        else:
            broken.add((type(action), target))
    return bool(actions) and not broken
