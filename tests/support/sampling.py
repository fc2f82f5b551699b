"""Which tests the gate runs: of the slow modules a share that depends on the commit alone.

A commit's number is its place on the first-parent line. Ten commits in a row run every test of ``tests/``. Of what is
larger than that, such as the forms of IOS commands, the gate takes a few by the number. ``make selftest``, and pytest
by hand, run all of them. ``python -m tests.support.sampling`` prints the modules, with ``number`` the commit's number.
"""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Final, Protocol, TypeVar
from zlib import crc32

NUMBER: Final = "NETBENCH_GATE_NUMBER"
"""The environment variable that the gate sets to the commit's number."""
PARTS: Final = 10
SHARES: Final[Mapping[str, int]] = {
    "tests/end_to_end/test_ci_recipes.py": 3,
    "tests/labs/isolation/test_random_agents.py": 3,
    "tests/labs/test_device_faults.py": 3,
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
"""A module or folder, and into how many parts its tests are divided; at most as many as ``PARTS``."""
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


def is_of_commit(test: Test, number: int) -> bool:
    """Whether the gate runs ``test`` on the commit with that number."""
    return (number % PARTS + crc32(test.nodeid.encode())) % parts_of(test.path) == 0


def left_out(tests: Sequence[_T]) -> list[_T]:
    """Those that the gate does not run on this commit: none outside the gate."""
    number = os.environ.get(NUMBER)
    return [test for test in tests if not is_of_commit(test, int(number))] if number else []


def number_of_commit(folder: Path) -> int | None:
    """The place of the checked-out commit on its first-parent line; ``None`` if git cannot tell.

    A shallow clone has not the whole line.
    """

    def git(*words: str) -> str:
        run = subprocess.run(["git", "-C", str(folder), *words], capture_output=True, text=True, check=False)
        return run.stdout.strip()

    if git("rev-parse", "--is-shallow-repository") != "false":
        return None
    number = git("rev-list", "--count", "--first-parent", "HEAD")
    return int(number) if number else None


def _print_number() -> None:
    number = number_of_commit(_ROOT)
    if number is None:
        print("the commit has no number here (a shallow clone, or no git): the gate takes part 0", file=sys.stderr)
    print(number or 0)


if __name__ == "__main__":
    if sys.argv[1:] == ["number"]:
        _print_number()
    else:
        print("\n".join(SHARES))
