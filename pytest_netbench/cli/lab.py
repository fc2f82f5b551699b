"""netbench lab: deploy one task, print how to log in, and destroy it at the end."""

from __future__ import annotations

import argparse
import json
import select
import sys
from typing import TYPE_CHECKING, Any

from pytest_netbench.cli import attending

if TYPE_CHECKING:
    from pytest_netbench.agents.external.interactive import Attendance

_LOOK_S = 0.2


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Which task, and what is printed."""
    attending.add_arguments(parser)
    parser.add_argument(
        "--json", action="store_true", help="print one JSON object with socket, logins and brief instead of words"
    )
    parser.add_argument("--no-ssh", action="store_true", help="devices do not answer with SSH")


def run(arguments: argparse.Namespace) -> int:
    """Keep the lab until Enter is pressed, a signal comes, or the work is handed in over the socket."""

    def attend(at: Attendance) -> None:
        print(json.dumps(_facts(at)) if arguments.json else _words(at), flush=True)
        _wait(at)

    with attending.terminated_as_interrupted():
        return attending.attended(arguments, attend, ssh=not arguments.no_ssh)


def _facts(at: Attendance) -> dict[str, Any]:
    ssh = None if at.brief.ssh is None else at.brief.ssh.model_dump(mode="json")
    brief = at.brief.model_dump(mode="json", exclude={"ssh"})
    return {"socket": str(at.socket), "ssh": ssh, "brief": brief}


def _words(at: Attendance) -> str:
    from pytest_netbench.agents.external.interactive import login_text, task_text  # imports pydantic
    from pytest_netbench.text import clean

    ends = "Enter ends the lab." if sys.stdin.isatty() else "The lab ends with this process (Ctrl-C, SIGTERM)."
    return clean(f"\n{task_text(at.brief)}\n\n{login_text(at.brief, at.socket)}\n\n{ends}")


def _wait(at: Attendance) -> None:
    """Until Enter is pressed, if a person is there, or something is handed in."""
    streams = [sys.stdin] if sys.stdin is not None and sys.stdin.isatty() else []
    while at.desk.submission is None:
        if select.select(streams, [], [], _LOOK_S)[0]:
            sys.stdin.readline()
            return
