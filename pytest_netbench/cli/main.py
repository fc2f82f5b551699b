"""The ``netbench`` console command: arguments in, exit status out, errors as one line on stderr.

Exit statuses: 0 done; 1 a check failed; 2 wrong usage or input; 3 the machine refused (disk, permissions, something
missing); 130 interrupted. Imports only the standard library until a subcommand runs.
"""

from __future__ import annotations

import argparse
import os
import sys
import warnings
from collections.abc import Sequence
from typing import Any, Final

from pytest_netbench.cli import (
    a2a,
    clean,
    commands,
    compare,
    difficulty,
    doctor,
    explain,
    export,
    freeze,
    gate,
    generate,
    gns3,
    harbor,
    harvest,
    init,
    kube,
    lab,
    mcp,
    merge,
    new,
    portability,
    record,
    report,
    rescore,
    schema,
    seal,
    serve,
    show,
    summarize,
    unseal,
    validate,
    version,
)
from pytest_netbench.errors import InputError, NetbenchError

OK: Final = 0
NOT_IN_ORDER: Final = 1
WRONG_INPUT: Final = 2
MACHINE: Final = 3
INTERRUPTED: Final = 130

_COMMANDS: Final = (
    doctor,
    commands,
    schema,
    init,
    new,
    validate,
    generate,
    freeze,
    seal,
    unseal,
    record,
    explain,
    harvest,
    difficulty,
    portability,
    summarize,
    compare,
    gate,
    report,
    merge,
    lab,
    clean,
    gns3,
    kube,
    serve,
    harbor,
    show,
    mcp,
    a2a,
    rescore,
    export,
    version,
)


def parser() -> argparse.ArgumentParser:
    """The command line of ``netbench``."""
    top = argparse.ArgumentParser(
        prog="netbench",
        description="Tools beside pytest-netbench. Trials are run by pytest: pytest tasks/ --agent=oracle -n auto",
        epilog="exit status: 0 done, 1 a check failed, 2 wrong usage or input, 3 the machine refused",
        allow_abbrev=False,
    )
    subparsers = top.add_subparsers(dest="command", metavar="COMMAND", required=True)
    for module in _COMMANDS:
        name = module.__name__.rpartition(".")[2]
        help_text = (module.__doc__ or "").partition("\n")[0].rstrip(".").partition(": ")[2]
        sub = subparsers.add_parser(name, help=help_text, description=f"{help_text}.", allow_abbrev=False)
        module.add_arguments(sub)
        sub.set_defaults(run=module.run)
    return top


def main(argv: Sequence[str] | None = None) -> int:
    """Run ``netbench`` with ``argv`` (default: the process's) and return its exit status."""
    arguments = parser().parse_args(argv)
    try:
        with warnings.catch_warnings():
            warnings.showwarning = _warned
            status: int = arguments.run(arguments)
        sys.stdout.flush()
    except InputError as error:
        return _failed(error, WRONG_INPUT)
    except BrokenPipeError:
        # the reader (head, less) has seen enough; keep the interpreter's own flush at exit quiet
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return OK
    except (NetbenchError, OSError) as error:
        return _failed(error, MACHINE)
    except KeyboardInterrupt:
        return _failed("interrupted", INTERRUPTED)
    return status


def _warned(message: Warning | str, category: type[Warning], *_place: Any, **_others: Any) -> None:
    """Print a warning for users, of a word of an earlier version, as one line. Others are for developers."""
    if category is FutureWarning:
        print(f"netbench: warning: {message}", file=sys.stderr)


def _failed(error: object, status: int) -> int:
    text = (
        f"cannot use {error.filename}: {error.strerror}"
        if isinstance(error, OSError) and error.filename
        else str(error)
    )
    print(f"netbench: {' '.join(text.split())}", file=sys.stderr)
    return status
