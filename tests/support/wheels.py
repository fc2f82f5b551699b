"""Tiny wheels, and folders of them that answer as package indexes."""

from __future__ import annotations

import contextlib
import functools
import http.server
import threading
import zipfile
from collections.abc import Iterator
from pathlib import Path


def wheel(folder: Path, name: str, version: str, *requires: str, padding: int = 0) -> Path:
    """Write a wheel with one empty module into the place that an index has for it."""
    spelled = name.replace("-", "_")
    place = folder / "simple" / name / f"{spelled}-{version}-py3-none-any.whl"
    place.parent.mkdir(parents=True, exist_ok=True)
    needed = "".join(f"Requires-Dist: {one}\n" for one in requires)
    info = f"{spelled}-{version}.dist-info"
    contents = {
        f"{spelled}/__init__.py": "",
        f"{spelled}/padding": "x" * padding,
        f"{info}/METADATA": f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n{needed}",
        f"{info}/WHEEL": "Wheel-Version: 1.0\nGenerator: tests\nRoot-Is-Purelib: true\nTag: py3-none-any\n",
    }
    with zipfile.ZipFile(place, "w") as archive:
        for path, text in contents.items():
            archive.writestr(path, text)
        archive.writestr(f"{info}/RECORD", "".join(f"{path},,\n" for path in [*contents, f"{info}/RECORD"]))
    return place


class _Quiet(http.server.SimpleHTTPRequestHandler):
    def log_message(self, format: str, *args: object) -> None:
        pass


@contextlib.contextmanager
def served(folder: Path) -> Iterator[str]:
    """The folder on loopback; its listings of files are pages of an index. Gives the address of the index."""
    handler = functools.partial(_Quiet, directory=str(folder))
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        try:
            yield f"http://127.0.0.1:{server.server_address[1]}/simple/"
        finally:
            server.shutdown()
            thread.join()
