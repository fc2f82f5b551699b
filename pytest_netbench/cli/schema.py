"""netbench schema: print the JSON Schema of task files, or an OpenRPC document of the ANI."""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from typing import Any


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments: the schema, the family and the output file."""
    parser.add_argument(
        "of",
        nargs="?",
        choices=("task", "ani"),
        default="task",
        help="task: JSON Schema of task files (default); ani: OpenRPC document of the Agent-Network Interface",
    )
    parser.add_argument(
        "--family", default="configure", metavar="NAME", help="family of the task files (default: configure)"
    )
    parser.add_argument("--output", "-o", type=Path, metavar="FILE", help="write it to FILE instead of standard output")


def run(arguments: argparse.Namespace) -> int:
    """Print or write the schema. The output is identical for the same version."""
    schema = _ani() if arguments.of == "ani" else _task(arguments.family)
    text = json.dumps(schema, indent=2, ensure_ascii=False, allow_nan=False) + "\n"
    if arguments.output is None:
        print(text, end="")
    else:
        arguments.output.write_text(text, encoding="utf-8")
    return 0


def _task(family: str) -> dict[str, Any]:
    from pytest_netbench.taskfile.schema import task_schema  # imports pydantic

    return task_schema(family)


def _ani() -> dict[str, Any]:
    from pytest_netbench import __version__
    from pytest_netbench.ani.extras import EXTRAS  # imports pydantic
    from pytest_netbench.ani.methods import BUDGET_LEFT, METHODS  # imports pydantic
    from pytest_netbench.ani.schema import open_rpc  # imports pydantic
    from pytest_netbench.ani.submission import GET_BRIEF, TASK_DONE  # imports pydantic

    return open_rpc((*METHODS.values(), *EXTRAS.values(), BUDGET_LEFT, GET_BRIEF, TASK_DONE), version=__version__)
