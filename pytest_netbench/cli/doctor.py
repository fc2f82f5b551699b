"""netbench doctor: say what this machine can do, and the command that mends each lack."""

from __future__ import annotations

import argparse
import json
from dataclasses import asdict
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pytest_netbench.backends.netns.doctor import Check


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """How it is said."""
    parser.add_argument("--json", action="store_true", help="print a JSON list of the checks")


def run(arguments: argparse.Namespace) -> int:
    """Print one line per check; status 1 if something that labs need is lacking."""
    from pytest_netbench.backends.netns.doctor import report  # noqa: PLC0415  (probes the kernel)

    checks = report()
    if arguments.json:
        print(json.dumps([asdict(check) for check in checks], indent=2))
    else:
        print("\n".join(lines(checks)))
    return 1 if any(check.required and not check.ok for check in checks) else 0


def lines(checks: Sequence[Check]) -> list[str]:
    """The checks as text: state, name, detail, and the remedy of each lack below it."""
    width = max((len(check.name) for check in checks), default=0)
    text = []
    for check in checks:
        state = "ok     " if check.ok else "MISSING" if check.required else "lacking"
        text.append(f"{state} {check.name:<{width}}  {check.detail}".rstrip())
        if not check.ok and check.remedy is not None:
            text.append(f"{'':7} {'':{width}}  mend: {check.remedy}")
    required = [check.name for check in checks if check.required and not check.ok]
    text.append(f"labs cannot run here: {', '.join(required)}" if required else "labs can run here")
    return text
