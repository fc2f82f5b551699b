"""Work on a lab with a time limit: each piece runs in a thread that can be abandoned."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Mapping
from typing import TypeVar

from pytest_netbench import deadline
from pytest_netbench.catching import Caught

T = TypeVar("T")


def run_all(work: Mapping[str, Callable[[], T]], *, within_s: float, side_by_side: int) -> dict[str, T | Exception]:
    """Run pieces of work side by side; return the result of each, or what it raised, by name.

    A piece that is not done in time is abandoned and missing from the result. It ends with the lab at the latest.

    Args:
        work: The pieces by name.
        within_s: Wall seconds for all together.
        side_by_side: How many run at a time.
    """
    done: dict[str, T | Exception] = {}
    places = threading.Semaphore(side_by_side)
    ends_at = time.monotonic() + within_s
    over = threading.Event()

    def run(name: str, piece: Callable[[], T]) -> None:
        with places:
            if over.is_set():
                return
            with Caught(Exception) as caught, deadline.within(ends_at - time.monotonic(), cancelled=over.is_set):
                result = piece()
        if not over.is_set():
            done[name] = result if caught.error is None else caught.error

    threads = [
        threading.Thread(target=run, args=item, name=f"netbench-evaluation {item[0]}", daemon=True)
        for item in work.items()
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(max(0.0, ends_at - time.monotonic()))
    over.set()
    return {name: done[name] for name in work if name in done}
