"""Tests that failed beside others and pass alone: reported, and a failure of the gate unless they are listed here.

``python -m tests.support.beside_others FIRST`` compares pytest's list of failed tests with an earlier copy of it.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Collection, Mapping
from pathlib import Path
from typing import Final

LAST_FAILED: Final = Path(".pytest_cache/v/cache/lastfailed")
LATE_CHANGE: Final = (
    "tests/labs/test_reference_behaviour.py"
    "::test_what_changes_late_while_others_wait_gives_the_reference_its_whole_time"
)
VIRTUAL_LINK: Final = "tests/labs/test_events.py::test_a_network_is_as_before_once_its_event_cancels_itself_out"
ALLOWED: Final[Mapping[str, str]] = {
    "tests/unit/backends/native/test_wire.py": "other labs on the same cores add to delays",
    "tests/unit/backends/native/test_waits.py": "a thread that gets its processor late holds the clock meanwhile",
    "tests/unit/generators/test_series.py": "cores that are shared take more processor time for the same work",
    "tests/labs/netns/test_traffic.py": "flows share a queue as they come, and a busy machine sends one of them late",
    "tests/labs/platforms/cisco_ios/test_ios_history.py": "it waits ten seconds for several recomputations of routes",
    "tests/labs/platforms/cisco_ios/test_l2security_commands.py": (
        "on a busy machine a frame of the strange host may be read after the port was opened again, and shuts it"
    ),
    "tests/labs/ssh/test_clients_on_ios.py": "it measures milliseconds that a line takes",
    LATE_CHANGE: "its changes have to be made within a second and a half",
    VIRTUAL_LINK: "a busy machine exchanges databases over a virtual link later than is waited for",
    "tests/labs/platforms/cisco_ios/test_ios_sla.py": "a probe of IP SLA is late if the machine is",
}
"""Modules and single tests that may fail beside others, and why."""


def judge(first: Collection[str], alone: Collection[str]) -> tuple[list[str], bool]:
    """What to print of tests that failed beside others and passed alone, and whether that is no failure.

    Args:
        first: Node ids of the tests that failed beside others.
        alone: Node ids of those that failed alone, too.
    """
    lines, good = [], True
    for nodeid in sorted({*first} - {*alone}):
        why = ALLOWED.get(nodeid) or ALLOWED.get(nodeid.partition("::")[0])
        good = good and why is not None
        lines.append(f"{nodeid} failed beside others and passed alone: {why or 'not listed, so the gate fails'}")
    return lines, good


def _failed(path: Path) -> list[str]:
    return list(json.loads(path.read_text() or "[]")) if path.exists() else []


if __name__ == "__main__":
    printed, is_good = judge(_failed(Path(sys.argv[1])), _failed(LAST_FAILED))
    print("\n".join(printed))
    sys.exit(0 if is_good else 1)
