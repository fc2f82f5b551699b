"""netbench schema: print the JSON Schema of task files."""

from __future__ import annotations

import argparse
import json
from pathlib import Path


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """For which family, and where the schema goes."""
    parser.add_argument(
        "--family", default="configure", metavar="NAME", help="family of the task files (default: configure)"
    )
    parser.add_argument("--output", "-o", type=Path, metavar="FILE", help="write it to FILE instead of standard output")


def run(arguments: argparse.Namespace) -> int:
    """Print or write the schema; the same bytes for the same version."""
    from pytest_netbench.taskfile.schema import task_schema  # noqa: PLC0415  (imports pydantic)

    text = json.dumps(task_schema(arguments.family), indent=2, ensure_ascii=False) + "\n"
    if arguments.output is None:
        print(text, end="")
    else:
        arguments.output.write_text(text, encoding="utf-8")
    return 0
