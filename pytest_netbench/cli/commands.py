"""netbench commands: print which commands the IOS of the cisco_ios driver understands."""

from __future__ import annotations

import argparse
import sys


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the argument that selects the text."""
    parser.add_argument(
        "--manual", action="store_true", help="print the command reference that search-manual searches, instead"
    )


def run(arguments: argparse.Namespace) -> int:
    """Print the page or the command reference, generated from the grammar."""
    from pytest_netbench.platforms.cisco_ios.areas import grammar
    from pytest_netbench.platforms.cisco_ios.grammar.coverage import page  # the grammar is large

    sys.stdout.write(_manual() if arguments.manual else page(grammar()))
    return 0


def _manual() -> str:
    from pytest_netbench.dialects.cisco_ios.manual import render
    from pytest_netbench.platforms.cisco_ios.areas import grammar  # the grammar is large
    from pytest_netbench.platforms.cisco_ios.grammar.manual import sections

    return render(sections(grammar()))
