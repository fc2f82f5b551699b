"""netbench a2a: serve a running trial's Agent-Network Interface as an A2A agent."""

from __future__ import annotations

import argparse
from pathlib import Path

from pytest_netbench.cli.mcp import address


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Which socket, and where it is served."""
    parser.add_argument(
        "socket", type=Path, metavar="SOCKET", help="the ANI's socket: NETBENCH_ANI_SOCKET, or from netbench lab"
    )
    parser.add_argument(
        "--http",
        type=address,
        default=("127.0.0.1", 0),
        metavar="[HOST:]PORT",
        help="where it is served (default host 127.0.0.1, any free port); the URL is printed",
    )


def run(arguments: argparse.Namespace) -> int:
    """Serve until the process is interrupted."""
    from pytest_netbench.agents.external import a2a_agent  # imports pydantic

    a2a_agent.require()
    from pytest_netbench.ani.a2a.serving import serve_http  # imports a2a

    host, port = arguments.http
    serve_http(arguments.socket, host=host, port=port)
    return 0
