"""A real GNS3 server whose hosts and routers are guests of QEMU.

By hand, tasks by the oracle and by nop, with as many guests at once as a task has nodes:

    python -m tests.integration.gns3_guests RELEASE TASK…
"""

from __future__ import annotations

import contextlib
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from tests.integration import guests
from tests.integration.gns3 import Gns3, served

_TRIAL_S = 1500.0  # by hand
_ADAPTERS = 6  # as many links as a node of a shipped task has
_KINDS = f"""\
linux:
  gns3: &guest
    template: Guest
    driver: linux
    console: shell
    username: {guests.USER}
    password: $GUEST_PASSWORD
    boot-s: 400
frr: {{gns3: {{<<: *guest, driver: frr}}}}
"""


@contextlib.contextmanager
def served_with_guests(folder: Path, release: str, say: Callable[[str], None]) -> Iterator[Gns3]:
    """A server that runs, with a template of guests for the dialects ``linux`` and ``frr``.

    Raises:
        NotToBeHad: It cannot be had here.
    """
    guest = guests.guest(say=say)
    with served(folder, release, say) as one:
        one.add_template("Guest", guest, adapters=_ADAPTERS)
        kinds = folder / "kinds.yaml"
        kinds.write_text(_KINDS)
        one.environment |= {"NETBENCH_KINDS": str(kinds), "GUEST_PASSWORD": guests.PASSWORD}
        yield one


def verdicts(results: list[dict[str, Any]]) -> dict[str, tuple[str, dict[str, str]]]:
    """By agent: the status of its trial, and of each testcase."""
    return {
        one["agent"]["id"]: (one["status"], {case["name"]: case["status"] for case in one["testcase_results"]})
        for one in results
    }


def main() -> None:
    """Print the verdicts of each task, and what is not as on ``netns``."""
    release, *tasks = sys.argv[1:]
    with tempfile.TemporaryDirectory() as folder, served_with_guests(Path(folder), release, print) as gns3:
        gns3.run_s = _TRIAL_S
        for task in tasks:
            for agent in ("oracle", "nop"):
                found = {backend: _verdict(gns3, task, agent, backend) for backend in ("netns", "gns3")}
                print(task, agent, "equal" if found["gns3"] == found["netns"] else "DIFFERS", flush=True)


def _verdict(gns3: Gns3, task: str, agent: str, backend: str) -> dict[str, tuple[str, dict[str, str]]]:
    try:
        shown, results = gns3.pytest(task, f"--agent={agent}", backend=backend)
    except subprocess.TimeoutExpired:
        print(task, agent, backend, f"took more than {_TRIAL_S:g} s", gns3.netbench("clean"), flush=True)
        return {}
    if not results:
        print(shown, flush=True)
    for one in results:
        times = f"deploy {one['deploy_s']:.0f} s, evaluation {one['evaluate_s']:.0f} s"
        print(task, agent, backend, one["status"], times, one["error"] or "", flush=True)
        for case in one["testcase_results"]:
            print(
                "   ", case["status"], f"{case['duration_s']:.0f} s", case["name"], case["measured"] or "", flush=True
            )
    return verdicts(results)


if __name__ == "__main__":
    main()
