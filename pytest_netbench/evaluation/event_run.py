"""One event on a running lab: its actions and their undoing, each followed by waiting until the network settles."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager

from pytest_netbench.errors import AniError, LabDied, LabError
from pytest_netbench.evaluation.event_actions import Acts
from pytest_netbench.evaluation.holdtimes import longest_hold_s, longest_unwatched_s
from pytest_netbench.evaluation.settling import Settling
from pytest_netbench.lab.attribution import agent_may_have_caused
from pytest_netbench.lab.devices import canonical
from pytest_netbench.lab.protocols import Lab
from pytest_netbench.model.events import (
    Action,
    ChangeLink,
    Cut,
    Enter,
    Fail,
    Reboot,
    Recover,
    Restore,
    cancel_out,
    node_of,
    words,
)

_READERS = 8


class EventFailed(Exception):
    """An action had no effect because of what the agent left. The text says which."""


class Happening:
    """One event.

    Args:
        lab: The running network.
        configs: What its nodes are configured with; read if it is not given.
    """

    def __init__(self, lab: Lab, configs: Sequence[str] | None = None) -> None:
        self._lab = lab
        self._settling = Settling(lab)
        self._acts = Acts(lab)
        configs = configs_of(lab) if configs is None else configs
        self._hold_s = longest_hold_s(configs)
        self._unwatched_s = longest_unwatched_s(configs)
        self._before = self._settling.look()
        self._done: list[Action] = []

    def cause(self, actions: Sequence[Action]) -> None:
        """Perform actions, in order; the network settles after each.

        Once each action is undone by a later one, the network is waited for until it is as it was: routes may return
        later than the neighbors that are watched, for example over an OSPF virtual link. Some never do.

        Raises:
            EventFailed: One cannot be performed on what the agent left.
            LabError: One cannot be performed, and the agent did not cause that.
        """
        for action in actions:
            node = self._lab.nodes[node_of(action)]
            try:
                self._acts.perform(action)
            except LabError as error:
                if (
                    isinstance(error, LabDied)
                    or self._is_not_the_agents(action)
                    or not agent_may_have_caused(error, node)
                ):
                    raise
                raise EventFailed(f"{words(action)!r} cannot be done to what was left: {error}") from error
            self._done.append(action)
            self._settling.wait(
                hold_s=self._hold_s,
                unwatched_s=self._unwatched_s,
                silent=self._is_silent(action),
                usual=self._before,
                like=self._before if cancel_out(self._done) else None,
            )

    @property
    def changed_at(self) -> float:
        """When the network was last seen to change, by the stopwatch of the lab."""
        return self._settling.changed_at

    def undo(self, *, settle: bool = True) -> bool:
        """Bring back what the actions changed and wait until the network is as before; whether it is.

        Args:
            settle: Whether to wait. Without it the result is true.

        Raises:
            LabError: Something cannot be brought back, and the agent did not cause that.
        """
        if not self._acts.changed:
            return True
        for node, back in self._acts.undoing():
            try:
                back()
            except LabError as error:
                if isinstance(error, LabDied) or not agent_may_have_caused(error, self._lab.nodes[node]):
                    raise
        if not settle:
            return True
        return self._settling.wait(hold_s=self._hold_s, unwatched_s=self._unwatched_s, like=self._before)

    def _is_not_the_agents(self, action: Action) -> bool:
        """Whether the action types lines on a node that no agent configures: a refused one is the task's mistake."""
        control = {node.name: node.control for node in self._lab.topology.nodes}
        return isinstance(action, Enter) and control[action.enter.node] != "managed"

    def _is_silent(self, action: Action) -> bool:
        """Whether neighbors may notice the action only by waiting in vain: those in a LAN keep their carrier."""
        if isinstance(action, Cut | Restore | Fail | Recover | Reboot):
            node = node_of(action)
            lans = [link for link in self._lab.topology.links if len(link.endpoints) > 2]
            if isinstance(action, Cut | Restore):
                end = action.cut if isinstance(action, Cut) else action.restore
                ends = [one for link in lans for one in link.endpoints if one.node == node]
                return any(self._same(node, end.interface, one.interface) for one in ends)
            return any(one.node == node for link in lans for one in link.endpoints)
        return isinstance(action, ChangeLink) and bool(action.link.loss)

    def _same(self, node: str, one: str, other: str) -> bool:
        try:
            return canonical(self._lab, node, one) == canonical(self._lab, node, other)
        except ValueError:
            return False


@contextmanager
def happening(lab: Lab, actions: Sequence[Action]) -> Iterator[Happening]:
    """The network under an event; afterwards everything is brought back and has settled.

    Raises:
        EventFailed: An action cannot be performed on what the agent left.
        LabError: An action cannot be performed, and the agent did not cause that.
    """
    event = Happening(lab)
    try:
        event.cause(actions)
        yield event
    finally:
        event.undo()


def configs_of(lab: Lab) -> list[str]:
    """What the nodes of a lab are configured with; empty for those that the agent left unable to say it.

    Raises:
        LabError: A node does not say it, and the agent did not cause that.
    """

    def read(name: str) -> str:
        node = lab.nodes[name]
        try:
            return lab.driver(name).running_config(node)
        except LabError as error:
            if not agent_may_have_caused(error, node):
                raise
            return ""
        except AniError:  # a pod that is not there now
            return ""

    with ThreadPoolExecutor(max_workers=_READERS) as readers:
        return list(readers.map(read, lab.nodes))
