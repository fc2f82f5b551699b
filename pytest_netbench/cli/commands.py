"""netbench commands: print which commands the IOS of the cisco_ios platform understands."""

from __future__ import annotations

import argparse
import sys


def add_arguments(_parser: argparse.ArgumentParser) -> None:
    """None."""


def run(_arguments: argparse.Namespace) -> int:
    """Print the page, generated from the grammar."""
    from pytest_netbench.platforms.cisco_ios.coverage import page  # noqa: PLC0415 - the grammar is large
    from pytest_netbench.platforms.cisco_ios.grammar.book import book  # noqa: PLC0415

    sys.stdout.write(page(book()))
    return 0
