"""Puts back what a run has changed: all of it side by side, and in a thread that the interpreter waits for."""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping
from concurrent.futures import Future
from threading import Lock, Thread
from typing import Final, TypeVar

from pytest_netbench.catching import Caught
from pytest_netbench.errors import LabError
from pytest_netbench.lab.cleanup import Cleanup

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
            with Caught(BaseException) as caught:
                futures[node].set_result(work(node, one))
            if caught.error is not None:
                futures[node].set_exception(caught.error)

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


def putting_back(what: str, put_back: Callable[[], object]) -> Cleanup:
    """What puts something back while others go on.

    Args:
        what: What it is, for messages.
        put_back: Does it; raises ``LabError``.
    """
    return Cleanup(put_back, wrong=f"{what} is not as it was (fix: netbench clean): ", tell=_log.error)
