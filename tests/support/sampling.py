"""Which tests the gate runs today: of the slow modules a share, every two days another one.

``make selftest``, and pytest by hand, run all of them. ``python -m tests.support.sampling`` prints the modules.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Final, Protocol, TypeVar
from zlib import crc32

DAY: Final = "NETBENCH_GATE_DAY"
"""The environment variable that the gate sets to the day of the year."""
SHARES: Final[Mapping[str, int]] = {
    "tests/end_to_end/test_ci_recipes.py": 3,
    "tests/labs/isolation/test_random_agents.py": 3,
    "tests/labs/test_device_faults.py": 2,
    "tests/labs/test_events.py": 2,
    "tests/labs/platforms": 2,
    "tests/labs/test_examples_in_docs.py": 3,
    "tests/labs/test_new_tasks.py": 3,
    "tests/pytester": 10,
    "tests/tasks": 3,
    "tests/unit/generators/test_drawn_networks.py": 2,
    "tests/unit/generators/test_variants.py": 4,
    "tests/unit/platforms/cisco_ios/session/test_ios_fuzz.py": 5,
}
"""A module or folder, and into how many parts its tests are divided."""
_ROOT: Final = Path(__file__).parents[2]


class Test(Protocol):
    """What is needed of an item of pytest."""

    @property
    def nodeid(self) -> str: ...
    @property
    def path(self) -> Path: ...


_T = TypeVar("_T", bound=Test)


def parts_of(path: Path) -> int:
    """Into how many parts the tests of the module ``path`` are divided."""
    inside = path.relative_to(_ROOT) if path.is_relative_to(_ROOT) else path
    return next((count for name, count in SHARES.items() if inside.is_relative_to(name)), 1)


def is_of_day(test: Test, day: int) -> bool:
    """Whether the gate runs ``test`` on that day of the year.

    Parts change every two days, since tests of options run with xdist on one day and without it on the next one.
    """
    return (day // 2 + crc32(test.nodeid.encode())) % parts_of(test.path) == 0


def left_out(tests: Sequence[_T]) -> list[_T]:
    """Those that the gate does not run today: none outside the gate."""
    day = os.environ.get(DAY)
    return [test for test in tests if not is_of_day(test, int(day))] if day else []


if __name__ == "__main__":
    print("\n".join(SHARES))
