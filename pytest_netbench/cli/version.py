"""netbench version: print the versions that a bug report needs."""

from __future__ import annotations

import argparse
import platform
from importlib import metadata

from pytest_netbench import __version__


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """It takes none."""


def run(_arguments: argparse.Namespace) -> int:
    """Print one line per component."""
    print(f"pytest-netbench {__version__}")
    print(f"pytest {metadata.version('pytest')}")
    print(f"python {platform.python_version()}")
    print(f"kernel {platform.system()} {platform.release()}")
    return 0
