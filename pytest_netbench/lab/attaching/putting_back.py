"""Puts back what a run has changed: all of it side by side, and in a thread that the interpreter waits for."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Mapping
from concurrent.futures import Future
from threading import Lock, Thread
from typing import Final, TypeVar

from pytest_netbench.errors import LabError

K = TypeVar("K")
R = TypeVar("R")
_SIDE_BY_SIDE: Final = 6
_log = logging.getLogger("pytest_netbench.attaching")


def side_by_side(held: Mapping[str, K], work: Callable[[str, K], R]) -> dict[str, R]:
    """What work on each node returns; the first failure in their order is raised, once all are done."""
    futures: dict[str, Future[R]] = {node: Future() for node in held}
    waiting = iter(list(held.items()))
    taking = Lock()

    def run() -> None:
        while True:
            with taking:
                found = next(waiting, None)
            if found is None:
                return
            node, one = found
            try:
                futures[node].set_result(work(node, one))
            except BaseException as error:  # noqa: BLE001 - raised by whoever waits
                futures[node].set_exception(error)

    # no pool: what was changed is put back after the main thread has ended, when pools take no work any more
    threads = [Thread(target=run, name="netbench-side-by-side") for _ in range(min(_SIDE_BY_SIDE, len(held)))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return {node: future.result() for node, future in futures.items()}


def put_back_all(held: Mapping[str, K], restore: Callable[[str, K], object]) -> None:
    """Put all nodes back, whatever comes of one.

    Raises:
        LabError: Some are not as they were; the text names all.
    """
    failures: list[str] = []

    def put_back(node: str, one: K) -> None:
        try:
            restore(node, one)
        except (LabError, OSError) as error:
            failures.append(str(error))

    side_by_side(held, put_back)
    if failures:
        raise LabError("\n".join(failures))


class PuttingBack:
    """Puts something back while others go on.

    Args:
        what: What it is, for messages.
        put_back: Does it; raises ``LabError``.

    Attributes:
        took_s: Wall seconds that it took.
    """

    def __init__(self, what: str, put_back: Callable[[], None]) -> None:
        self.took_s = 0.0
        self._what = what
        self._put_back = put_back
        self._thread: Thread | None = None
        self._failure: BaseException | None = None

    def start(self) -> None:
        """Begin. Idempotent."""
        if self._thread is None:
            # not a daemon thread: the interpreter does not end before it does
            self._thread = Thread(target=self._run, name="netbench-put-back", daemon=False)
            self._thread.start()

    def wait(self) -> None:
        """Wait until all is as it was.

        Raises:
            LabError: It was not begun, or something is not as it was.
        """
        if self._thread is None:
            raise LabError("the lab was not destroyed")
        self._thread.join()
        if self._failure is not None:
            raise LabError(f"{self._what} is not as it was (fix: netbench clean): {self._failure}") from self._failure

    def _run(self) -> None:
        began = time.monotonic()
        try:
            self._put_back()
        except Exception as error:  # noqa: BLE001 - given to whoever waits
            self._failure = error
            _log.error("%s is not as it was (fix: netbench clean): %s", self._what, error)
        self.took_s = time.monotonic() - began
