"""netbench gns3: start a GNS3 server on this machine."""

from __future__ import annotations

import argparse

_PORT = 3080


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """What to do, and where."""
    parser.add_argument("action", choices=["serve"], help="start a server that ends with this command")
    parser.add_argument("--port", type=int, default=_PORT, metavar="PORT", help=f"its TCP port (default: {_PORT})")
    parser.add_argument(
        "--no-kvm", action="store_true", help="run devices in QEMU without /dev/kvm, even if it is there"
    )
    parser.add_argument("--release", metavar="RELEASE", help="of PyPI's gns3-server, 3.x or 2.2 (default: 3.0.6)")


def run(arguments: argparse.Namespace) -> int:
    """Serve until the command is interrupted.

    Raises:
        UsageError: The port is in use, or the release is none.
        LabError: The server cannot be installed or started, or ends by itself.
    """
    from pytest_netbench import parts
    from pytest_netbench.errors import UsageError
    from pytest_netbench.lab.protocols import Serves  # imports pydantic

    backend = parts.load("backends", "gns3")()
    if not isinstance(backend, Serves):
        raise UsageError("the backend 'gns3' that is installed starts no server")
    backend.serve(port=arguments.port, release=arguments.release, kvm=not arguments.no_kvm, say=_say)
    return 0


def _say(line: str) -> None:
    print(line, flush=True)
