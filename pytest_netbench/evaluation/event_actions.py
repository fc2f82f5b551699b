"""The actions of events: how each is done through the capabilities of a lab, and how it is brought back.

They work from outside the nodes: nothing that an agent configured keeps a cable from being cut. Bringing back means the
state before the event, not the actions backwards.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from pytest_netbench.errors import LabError
from pytest_netbench.lab.capabilities import LINKS, NODES
from pytest_netbench.lab.devices import canonical
from pytest_netbench.lab.protocols import Lab
from pytest_netbench.model.events import (
    Action,
    ChangeLink,
    Cut,
    Enter,
    Fail,
    LinkChange,
    Reboot,
    Recover,
    Restore,
    Stop,
    Typed,
)
from pytest_netbench.model.trial import in_one_line
from pytest_netbench.platforms.capabilities import DAEMONS
from pytest_netbench.platforms.power import Saving


class Acts:
    """The actions of one event.

    Args:
        lab: The running network.
    """

    def __init__(self, lab: Lab) -> None:
        self._lab = lab
        self._undo: dict[tuple[str, ...], Callable[[], None]] = {}

    def perform(self, action: Action) -> None:
        """Do one action.

        Raises:
            LabError: It cannot be done.
        """
        match action:
            case Cut(cut=end):
                self._switch(end.node, end.interface, cut=True)
            case Restore(restore=end):
                self._switch(end.node, end.interface, cut=False)
            case Fail(fail=node):
                self._switch_all(node, cut=True)
            case Recover(recover=node):
                self._switch_all(node, cut=False)
            case Reboot(reboot=node):
                self._reboot(node)
            case ChangeLink(link=change):
                self._link(change)
            case Enter(enter=typed):
                self._enter(typed)
            case Stop(stop=named):
                self._daemon(named.node, named.daemon, runs=False)
            case _:
                self._daemon(action.start.node, action.start.daemon, runs=True)

    def undoing(self) -> Iterator[tuple[str, Callable[[], None]]]:
        """Yield a node and what brings back one thing that was changed at it; the last change first."""
        while self._undo:
            (_, node, *_), back = self._undo.popitem()
            yield node, back

    @property
    def changed(self) -> bool:
        """Whether there is something to bring back."""
        return bool(self._undo)

    def _switch(self, node: str, interface: str, *, cut: bool) -> None:
        links = self._lab.capability(LINKS)
        was_cut = links.is_cut(node, interface)
        switch = links.cut if was_cut else links.restore
        name = canonical(self._lab, node, interface)
        self._undo.setdefault(("cable", node, name), lambda: switch(node, interface))
        (links.cut if cut else links.restore)(node, interface)

    def _switch_all(self, node: str, *, cut: bool) -> None:
        for interface in self._lab.topology.interfaces(node):
            self._switch(node, interface, cut=cut)

    def _daemon(self, node: str, daemon: str, *, runs: bool) -> None:
        daemons = self._lab.nodes[node].capability(DAEMONS)
        switch = daemons.start if daemon in daemons.running() else daemons.stop
        self._undo.setdefault(("daemon", node, daemon), lambda: switch(daemon))
        (daemons.start if runs else daemons.stop)(daemon)

    def _link(self, change: LinkChange) -> None:
        links, at = self._lab.capability(LINKS), change.at
        before = links.quality(at.node, at.interface)
        name = canonical(self._lab, at.node, at.interface)
        self._undo.setdefault(("link", at.node, name), lambda: links.set_quality(at.node, at.interface, before))
        links.set_quality(at.node, at.interface, change.changed(before))

    def _enter(self, typed: Typed) -> None:
        self._undo[("lines", typed.node, str(len(self._undo)))] = lambda: self._type(typed.node, typed.undo)
        self._type(typed.node, typed.commands)

    def _type(self, name: str, commands: Sequence[str]) -> None:
        statuses = self._lab.driver(name).apply(self._lab.nodes[name], commands)
        for one in statuses:
            if one.status == "error":
                raise LabError(f"{name} refuses {one.command.strip()!r}: {in_one_line(one.message, one.command)}")

    def _reboot(self, name: str) -> None:
        nodes, node, driver = self._lab.capability(NODES), self._lab.nodes[name], self._lab.driver(name)
        ran = driver.running_config(node)
        saved = driver.saved_config(node) if isinstance(driver, Saving) else None

        def back() -> None:
            if driver.running_config(node) != ran:
                nodes.reboot(name, config=ran)
            if isinstance(driver, Saving) and saved is not None:
                driver.save_config(node, saved)

        self._undo.setdefault(("config", name), back)
        nodes.reboot(name, config=ran if saved is None else saved)
