"""netbench doctor: report what this machine supports for labs, and the command that fixes each lack."""

from __future__ import annotations

import argparse
import json
from dataclasses import asdict
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pytest_netbench.lab.report import Check

_DEFAULT = "netns"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments: the backend to ask and the output format."""
    parser.add_argument(
        "--backend",
        metavar="NAME",
        default=_DEFAULT,
        help=f"the backend to ask, as --netbench-backend (default: {_DEFAULT})",
    )
    parser.add_argument("--json", action="store_true", help="print a JSON list of the checks")


_OF = {"lab": "labs", "sandbox": "sandboxes", "cluster": "clusters"}


def run(arguments: argparse.Namespace) -> int:
    """Print one line per check; return 1 if something that all need is missing.

    Raises:
        UsageError: No backend of that name is installed.
    """
    from pytest_netbench.cli import extras  # importlib.metadata
    from pytest_netbench.lab.resources import backend_of, kinds  # imports pydantic

    served = kinds(arguments.backend)
    reports = [check for kind in served for check in backend_of(kind, arguments.backend).report()]
    checks = [*dict.fromkeys(reports), *extras.checks()]
    if arguments.json:
        print(json.dumps([asdict(check) for check in checks], indent=2))
    else:
        print("\n".join(lines(checks, of=_OF[served[0]])))
    return 1 if any(check.required and not check.ok for check in checks) else 0


def lines(checks: Sequence[Check], *, of: str = "labs") -> list[str]:
    """The checks as text: state, name, detail, and the remedy of each lack below it; then whether ``of`` can run."""
    width = max((len(check.name) for check in checks), default=0)
    text = []
    for check in checks:
        state = "ok     " if check.ok else "MISSING" if check.required else "lacking"
        text.append(f"{state} {check.name:<{width}}  {check.detail}".rstrip())
        if not check.ok and check.remedy is not None:
            text.append(f"{'':7} {'':{width}}  fix: {check.remedy}")
    required = [check.name for check in checks if check.required and not check.ok]
    text.append(f"{of} cannot run here: {', '.join(required)}" if required else f"{of} can run here")
    return text
