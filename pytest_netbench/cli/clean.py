"""netbench clean: remove labs of runs that were killed, where they belong to another program."""

from __future__ import annotations

import argparse


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Which backend."""
    parser.add_argument(
        "--kept", action="store_true", help="also remove the labs that --netbench-keep has left for a person"
    )
    parser.add_argument("--backend", metavar="NAME", help="only after this backend (default: all that need it)")


def run(arguments: argparse.Namespace) -> int:
    """Print a line for each lab that was removed; return 1 if something could not be removed.

    Raises:
        UsageError: There is no such backend, or it leaves nothing behind.
    """
    from pytest_netbench import parts
    from pytest_netbench.errors import LabError, UsageError
    from pytest_netbench.lab.keeping import RemovesKept  # imports pydantic
    from pytest_netbench.lab.protocols import Cleans
    from pytest_netbench.lab.resources import GROUPS, kinds

    names = [arguments.backend] if arguments.backend else [*parts.names("backends"), *parts.names("clusters")]
    status, told = 0, 0
    for name in names:
        backend = parts.load(GROUPS[kinds(name)[0]], name)()
        if not isinstance(backend, Cleans):
            if arguments.backend:
                raise UsageError(f"backend {name!r} leaves nothing behind: its labs end with the process that has them")
            continue
        kept = [backend.remove_kept] if arguments.kept and isinstance(backend, RemovesKept) else []
        for clean in (backend.clean, *kept):
            try:
                found = clean()
            except LabError as error:
                print(f"{name}: {error}")
                status = 1
                continue
            told += len(found.removed) + len(found.left_alone)
            print("".join(f"{name}: removed {lab}\n" for lab in found.removed), end="")
            print("".join(f"{name}: left alone: {sentence}\n" for sentence in found.left_alone), end="")
    if not status and not told:
        print("nothing to remove")
    return status
