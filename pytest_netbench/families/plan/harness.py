"""Runs an agent's program on the graph. It runs in the sandbox, and nothing that it prints is trusted outside.

The parent is PID 1 of the sandbox: the program, which runs in a child, cannot signal it, trace it or read its memory.
So the time it measures is right. The result is plain JSON, written by the child to a pipe.

Standard library and networkx only: this file is copied into the sandbox.
"""

from __future__ import annotations

import contextlib
import ctypes
import json
import os
import selectors
import signal
import sys
import time
import traceback
from pathlib import Path
from typing import Any, NoReturn

GRAPH = "/home/graph.json"
PROGRAM = "/home/program.py"
LONGEST_RESULT = 8 * 2**20
LONGEST_PRINTED = 16 * 2**10
LONGEST_ERROR = 4_000
_PR_SET_DUMPABLE = 4
_CHUNK = 65536


def main() -> None:
    """Run the program and print a line of JSON about it, then the result as it wrote it."""
    import networkx as nx  # its time is not the program's

    described = json.loads(Path(GRAPH).read_text(encoding="utf-8"))
    graph = nx.DiGraph()
    graph.add_nodes_from((name, attributes) for name, attributes in described["nodes"])
    graph.add_edges_from(described["edges"])
    source = Path(PROGRAM).read_text(encoding="utf-8")
    ctypes.CDLL(None).prctl(_PR_SET_DUMPABLE, 0, 0, 0, 0)
    began = time.monotonic()
    printed, result, status = _watched(lambda ends: _run(source, graph, ends))
    seconds = time.monotonic() - began
    head = {"seconds": round(seconds, 6), "printed": printed, "result": len(result), "ended": status}
    sys.stdout.write(json.dumps(head) + "\n")
    sys.stdout.flush()
    sys.stdout.buffer.write(result)
    sys.stdout.flush()
    os._exit(0)


def _watched(run: Any) -> tuple[str, bytes, str]:
    """Fork; return what the child printed, its result, and how it ended. What exceeds a limit is cut."""
    out_reader, out_writer = os.pipe()
    result_reader, result_writer = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(out_reader)
        os.close(result_reader)
        run((out_writer, result_writer))
    os.close(out_writer)
    os.close(result_writer)
    limits = {out_reader: LONGEST_PRINTED, result_reader: LONGEST_RESULT}
    found: dict[int, bytearray] = {fd: bytearray() for fd in limits}
    ended = os.pidfd_open(child)
    with selectors.DefaultSelector() as selector:
        for fd in (*limits, ended):
            selector.register(fd, selectors.EVENT_READ)
        while True:
            ready = [key.fd for key, _ in selector.select()]
            for fd in ready:
                if fd != ended and not _take(fd, found[fd], limits[fd]):
                    selector.unregister(fd)
            # once the child has ended, only what is in the pipes belongs to it: others may hold them open
            if ready == [ended]:
                break
    _, status = os.waitpid(child, 0)
    code = os.waitstatus_to_exitcode(status)
    words = "" if code == 0 else _signal_words(-code) if code < 0 else f"exit status {code}"
    if len(found[result_reader]) >= LONGEST_RESULT:
        words = f"its result is longer than {LONGEST_RESULT >> 20} MiB"
    return bytes(found[out_reader]).decode("utf-8", "replace"), bytes(found[result_reader]), words


def _take(fd: int, buffer: bytearray, limit: int) -> bool:
    chunk = os.read(fd, _CHUNK)
    buffer += chunk[: max(0, limit - len(buffer))]
    return bool(chunk)


def _signal_words(number: int) -> str:
    with contextlib.suppress(ValueError):
        return f"ended by {signal.Signals(number).name}"
    return f"ended by signal {number}"


# ---- in the child: nothing here is safe from the program ----


def _run(source: str, graph: Any, ends: tuple[int, int]) -> NoReturn:
    out, result = ends
    null = os.open(os.devnull, os.O_RDONLY)
    for fd, number in ((null, 0), (out, 1), (out, 2)):
        os.dup2(fd, number)
    try:
        text = json.dumps({"value": _value(source, graph)})
    except BaseException as error:  # noqa: BLE001  (whatever the program raises is its result)
        text = json.dumps({"error": _error(error)})
    with contextlib.suppress(BaseException):
        sys.stdout.flush()
    _write(result, text.encode("utf-8", "replace"))
    os._exit(0)


def _write(fd: int, content: bytes) -> None:
    view = memoryview(content)
    while view:
        view = view[os.write(fd, view) :]


def _value(source: str, graph: Any) -> dict[str, Any]:
    import networkx as nx

    names: dict[str, Any] = {"__name__": "answer", "networkx": nx, "nx": nx}
    exec(compile(source, "<code>", "exec"), names)  # noqa: S102  (this is what the sandbox is for)
    function = names.get("process_graph")
    if not callable(function):
        raise TypeError("the code defines no function process_graph(graph_data)")
    returned = function(graph)
    if isinstance(returned, nx.Graph):
        returned = {"graph": returned}
    if not isinstance(returned, dict) or not returned.keys() <= {"data", "graph"}:
        raise TypeError(
            f"process_graph must return a dict with the keys 'data' and 'graph', and returned {type(returned).__name__}"
        )
    left = returned.get("graph", graph)
    if isinstance(returned.get("data"), nx.Graph):
        left = returned.pop("data")
    if not isinstance(left, nx.Graph) or not left.is_directed():
        raise TypeError(f"'graph' must be a networkx DiGraph, not {type(left).__name__}")
    return {
        "data": _plain(returned.get("data")),
        "nodes": [[name, _plain(dict(attributes))] for name, attributes in left.nodes(data=True)],
        "edges": [[one, other, _plain(dict(attributes))] for one, other, attributes in left.edges(data=True)],
    }


def _plain(value: Any) -> Any:
    """The value as JSON types; sets become lists."""
    if value is None or isinstance(value, str | int | float):
        return value
    if isinstance(value, dict):
        return {str(key): _plain(one) for key, one in value.items()}
    if isinstance(value, list | tuple | set | frozenset) or hasattr(value, "__next__"):
        return [_plain(one) for one in value]
    raise TypeError(f"a {type(value).__name__} is not plain data: use numbers, strings, lists and dicts")


def _error(error: BaseException) -> str:
    with contextlib.suppress(BaseException):  # the methods of an error may be the program's
        steps = traceback.extract_tb(error.__traceback__)
        where = [f"line {step.lineno}" for step in steps if step.filename == "<code>"]
        words = f"{type(error).__name__}: {error}"
        at = f" ({where[-1]} of the code)" if where else ""
        return f"{words[:LONGEST_ERROR]}{at}"
    return "an error that cannot be shown"


if __name__ == "__main__":
    main()
