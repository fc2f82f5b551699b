"""netbench mcp: serve a running trial's Agent-Network Interface by MCP, on stdio or by streamable HTTP."""

from __future__ import annotations

import argparse
from pathlib import Path


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Which socket, and how to serve it."""
    parser.add_argument(
        "socket", type=Path, metavar="SOCKET", help="the ANI's socket: NETBENCH_ANI_SOCKET, or from netbench lab"
    )
    add_http(parser)


def add_http(parser: argparse.ArgumentParser) -> None:
    """Where it is served, if not on stdio."""
    parser.add_argument(
        "--http",
        type=address,
        metavar="[HOST:]PORT",
        help="serve by streamable HTTP and print the URL (default host 127.0.0.1; port 0: any) instead of on stdio",
    )


def run(arguments: argparse.Namespace) -> int:
    """Serve until the client goes or the process is interrupted."""
    from pytest_netbench.agents.external import mcp_server  # imports pydantic

    mcp_server.require()
    from pytest_netbench.ani.mcp import serve_http, serve_stdio  # imports mcp

    if arguments.http is None:
        serve_stdio(arguments.socket)
    else:
        host, port = arguments.http
        serve_http(arguments.socket, host=host, port=port)
    return 0


def address(text: str) -> tuple[str, int]:
    """Host and port of ``--http``.

    Raises:
        argparse.ArgumentTypeError: It is none, or not of this machine.
    """
    host, _, port = text.rpartition(":")
    if not port.isdecimal() or int(port) > 65535:
        raise argparse.ArgumentTypeError(f"{text!r} is no [HOST:]PORT, e.g. 8000 or 127.0.0.1:0")
    if host and host not in {"127.0.0.1", "localhost", "::1", "[::1]"}:
        raise argparse.ArgumentTypeError(
            f"{text}: the tools change a network, so only addresses of this machine are served"
        )
    return host.strip("[]") or "127.0.0.1", int(port)
