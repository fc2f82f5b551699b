"""Commands that are waited for: the framework's own, and an agent's. Standard library only."""

from __future__ import annotations

import selectors
from typing import Any

from pytest_netbench.backends.netns.supervisor import sandbox, spawn
from pytest_netbench.backends.netns.supervisor.jobs import Done, Jobs
from pytest_netbench.backends.netns.supervisor.listing_server import ListingServer
from pytest_netbench.backends.netns.supervisor.network import Network
from pytest_netbench.backends.netns.supervisor.owner import Message, Owner
from pytest_netbench.backends.netns.supervisor.resource_counts import Growth
from pytest_netbench.backends.netns.supervisor.spawn import Stdio
from pytest_netbench.kernel.confinement import Limits

_LISTING_S = 5.0


class Commands:
    """Runs commands in nodes and answers with their output and status."""

    def __init__(self, *, owner: Owner, network: Network, jobs: Jobs, selector: selectors.BaseSelector) -> None:
        self._owner = owner
        self._spaces = network.spaces
        self._jobs = jobs
        self._selector = selector

    def run(self, request: Message) -> None:
        """Trusted commands one after the other."""
        waiting = list(request["argvs"])
        results: list[dict[str, Any]] = []
        data = (request.get("input") or "").encode()

        def next_one() -> None:
            if not waiting:
                self._owner.answer(request, {"results": results})
                return
            try:
                self._start(request["node"], waiting.pop(0), finished, timeout_s=request["timeout_s"], data=data)
            except OSError as error:
                self._owner.refuse(request, str(error))

        def finished(result: dict[str, Any]) -> None:
            results.append(result)
            next_one()

        next_one()

    def _start(self, node: str, argv: list[str], done: Done, *, timeout_s: float, data: bytes = b"") -> None:
        self._jobs.start(
            lambda stdio: spawn.trusted(self._spaces[node], argv, stdio), done, timeout_s=timeout_s, stdin=data
        )

    def shell(self, request: Message) -> None:
        """An agent's shell command."""
        limits = Limits.of(request)
        desk = self._open_desk(request) if request["reads"] else None

        def confined(stdio: Stdio) -> int:
            return sandbox.spawn_agent(
                self._spaces[request["node"]],
                ["/bin/sh", "-c", request["command"]],
                stdio,
                writable=request["writable"],
                limits=limits,
                keep=desk.theirs if desk else {},
            )

        def done(result: dict[str, Any]) -> None:
            if desk:
                desk.close()
            self._owner.answer(request, result)

        try:
            self._jobs.start(
                confined,
                done,
                timeout_s=request["timeout_s"],
                output_bytes=request["output_bytes"],
                memory_bytes=limits.memory_bytes,
                growth=Growth(self._spaces[request["node"]]) if request["writable"] else None,
            )
        except BaseException:
            if desk:
                desk.close()
            raise
        finally:
            if desk:
                desk.hand_over()

    def _open_desk(self, request: Message) -> ListingServer:
        return ListingServer(
            selector=self._selector,
            allowed=frozenset(request["reads"]),
            start=lambda argv, answer: self._start(request["node"], argv, answer, timeout_s=_LISTING_S),
        )
