"""Faults of Linux nodes: shell commands that inject, show and repair them."""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Mapping
from typing import ClassVar, Generic, TypeVar

from pytest_netbench.dialects.signs import Sign
from pytest_netbench.errors import FaultHasNoEffect
from pytest_netbench.faults.evidence.network import Observable
from pytest_netbench.faults.evidence.observation import Matches, Observation
from pytest_netbench.faults.protocol import Commands
from pytest_netbench.faults.site import Site
from pytest_netbench.faults.wording import about
from pytest_netbench.lab.protocols import Lab
from pytest_netbench.model.base import Model


class OnNode(Model):
    """Parameters of a fault of one node."""

    node: str


P = TypeVar("P", bound=OnNode)


class LinuxFault(ABC, Generic[P]):
    """What faults of one Linux node share. A subclass says by which commands it is injected, seen and repaired."""

    label: ClassVar[str]
    requires: tuple[str, ...] = ()
    platforms: tuple[str, ...] = ("linux",)
    called: Mapping[str, str] = {}
    domain: ClassVar[str] = "forwarding"

    def targets(self, site: Site) -> Iterator[P]:
        return iter(self._targets(site) if site.platform in self.platforms else ())

    def inject(self, parameters: P, lab: Lab) -> None:
        for node, commands in self.injection(parameters).items():
            for command in commands:
                done = lab.nodes[node].run(["/bin/sh", "-c", command])
                if done.returncode != 0:
                    said = (done.stderr or done.stdout).strip() or f"exit status {done.returncode}"
                    raise FaultHasNoEffect(self.name, f"{node} refused {command!r}: {said}")

    def observe(self, parameters: P, lab: Lab) -> None:
        for command, pattern, _ in self.signs(parameters):
            done = lab.nodes[parameters.node].run(["/bin/sh", "-c", command])
            if done.returncode != 0 or not re.search(pattern, done.stdout, re.MULTILINE):
                shown = " / ".join((done.stdout or done.stderr).split("\n")).strip() or "nothing"
                reason = f"{parameters.node}: {command!r} shows {shown}, expected a match of {pattern!r}"
                raise FaultHasNoEffect(self.name, reason)

    def recover(self, parameters: P) -> Commands:
        return {parameters.node: self.repair(parameters)}

    def explain(self, parameters: P) -> str:
        sign = next(iter(self.signs(parameters)))
        return f"{self.wrong(parameters)} On {parameters.node}, `{sign.command}` shows it."

    def evidence(self, parameters: P, network: Observable) -> Iterator[Observation]:  # noqa: ARG002  (it is on its node)
        for sign in self.signs(parameters):
            yield Observation(
                method="execute-cmd",
                params={"device": parameters.node, "command": sign.command},
                shows=Matches(pattern=sign.pattern),
                because=about(self),
            )

    def wrong(self, parameters: P) -> str:  # noqa: ARG002  (a subclass has more to say)
        """Sentences that say what is wrong and what follows from it."""
        return about(self)

    # what a subclass says

    name: str

    @abstractmethod
    def _targets(self, site: Site) -> Iterable[P]:
        """All parameters with which the fault has an effect on a site of its platform."""

    @abstractmethod
    def injection(self, parameters: P) -> Commands:
        """Shell commands that inject it, by node."""

    @abstractmethod
    def signs(self, parameters: P) -> Iterable[Sign]:
        """What shows that the node is in the state that the fault means."""

    @abstractmethod
    def repair(self, parameters: P) -> tuple[str, ...]:
        """Shell commands that repair the node."""
