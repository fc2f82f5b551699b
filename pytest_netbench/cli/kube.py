"""netbench kube: install the programs of a Kubernetes control plane."""

from __future__ import annotations

import argparse


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """What to do, and which release."""
    parser.add_argument("action", choices=["install"], help="bring the programs into the user's cache")
    parser.add_argument("--version", metavar="VERSION", help="of Kubernetes (default: the one that is tested, 1.36.3)")
    parser.add_argument(
        "--from",
        dest="source",
        choices=["release", "modules"],
        help=(
            "released programs, or programs built by `go` from their public modules"
            " (default: released ones, else modules where the servers cannot be reached)"
        ),
    )


def run(arguments: argparse.Namespace) -> int:
    """Install.

    Raises:
        UsageError: The version is none.
        RequirementMissing: The programs can neither be fetched nor built.
    """
    from pytest_netbench.backends.kube.installation import installing

    installing.install(arguments.version or installing.VERSION, say=_say, source=arguments.source)
    return 0


def _say(line: str) -> None:
    print(line, flush=True)
