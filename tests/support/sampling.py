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
TESTS_OF: Final[Mapping[str, int]] = {
    "tests/docs/test_evidence_reference.py": 10,
    "tests/docs/test_measured_reasoning.py": 10,
    "tests/end_to_end/test_ci_recipes.py": 10,
    "tests/labs/isolation/test_random_agents.py": 10,
    "tests/labs/test_boots.py": 1,
    "tests/labs/test_device_faults.py": 10,
    "tests/labs/test_events.py": 10,
    "tests/labs/test_examples_in_docs.py": 10,
    "tests/labs/test_new_tasks.py": 10,
    "tests/labs/test_selftest_on_real_labs.py": 10,
    "tests/pytester": 10,
    "tests/tasks": 10,
    "tests/unit/generators/test_diagnose_generator.py": 10,
    "tests/unit/generators/test_drawn_networks.py": 10,
    "tests/unit/generators/test_series.py": 10,
    "tests/unit/generators/test_variants.py": 10,
    "tests/unit/platforms/cisco_ios/session/test_ios_fuzz.py": 10,
    "tests/unit/plugin/trials/test_process_embedder.py": 10,
    "tests/unit/trial/test_run_budgets.py": 10,
}
"""A module or folder, and into how many parts its tests are divided; at most as many as ``PARTS``."""
MODULES_OF: Final[Mapping[str, int]] = {
    "tests/agents": 5,
    "tests/end_to_end": 10,
    "tests/labs/netns": 10,
    "tests/labs/platforms": 10,
    "tests/labs": 10,
}
"""A folder, and into how many parts its modules are divided, whose tests share labs that take time to start."""
SHARES: Final[Mapping[str, int]] = {**TESTS_OF, **MODULES_OF}
"""All of them; of several that hold a test the first counts."""
FIRST: Final = (
    "tests/end_to_end/test_ci_recipes.py",
    "tests/labs/test_monitor_of_many_flows.py",
    "tests/end_to_end/test_models_on_real_routers.py",
    "tests/labs/test_new_tasks.py",
)
"""Modules with the longest tests: they begin first, so that nobody waits for one of them at the end."""
_ROOT: Final = Path(__file__).parents[2]


class Test(Protocol):
    """What is needed of an item of pytest."""

    @property
    def nodeid(self) -> str: ...
    @property
    def path(self) -> Path: ...


_T = TypeVar("_T", bound=Test)


def is_of_commit(test: Test, number: int) -> bool:
    """Whether the gate runs ``test`` on the commit with that number."""
    inside = test.path.relative_to(_ROOT) if test.path.is_relative_to(_ROOT) else test.path
    name = next((name for name in SHARES if inside.is_relative_to(name)), None)
    if name is None:
        return True
    chosen_by = str(inside) if name in MODULES_OF else test.nodeid
    return (number % PARTS + crc32(chosen_by.encode())) % SHARES[name] == 0


def left_out(tests: Sequence[_T]) -> list[_T]:
    """Those that the gate does not run on this commit: none outside the gate."""
    number = os.environ.get(NUMBER)
    return [test for test in tests if not is_of_commit(test, int(number))] if number else []


def longest_first(tests: Sequence[_T]) -> list[_T]:
    """The tests in their order, but those of ``FIRST`` before all others."""
    paths = [_ROOT / name for name in FIRST]
    return sorted(tests, key=lambda test: paths.index(test.path) if test.path in paths else len(paths))


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
