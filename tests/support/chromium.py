"""Drives a headless Chromium over its debugging pipe: pages at any width and in both color schemes."""

from __future__ import annotations

import base64
import json
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Literal

CHROMIUM = shutil.which("chromium")
FLAGS = (
    *("--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-sync"),
    *("--disable-background-networking", "--disable-component-update", "--disable-dev-shm-usage"),
    *("--disable-extensions", "--remote-debugging-pipe"),
)


class Browser:
    """One tab. Requests and answers are JSON with a zero byte behind each."""

    def __init__(self, to_browser: int, from_browser: int) -> None:
        self._to, self._from = os.fdopen(to_browser, "wb", 0), os.fdopen(from_browser, "rb", 0)
        self._rest = b""
        self._count = 0
        self._session: str | None = None
        self.events: list[dict[str, Any]] = []
        target = self.ask("Target.createTarget", url="about:blank")["targetId"]
        self._session = self.ask("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Log", "Network"):
            self.ask(f"{domain}.enable")

    def ask(self, method: str, **params: Any) -> dict[str, Any]:
        """Send a request and return its result; events that come before it are kept."""
        self._count += 1
        message = {"id": self._count, "method": method, "params": params}
        if self._session is not None:
            message["sessionId"] = self._session
        self._to.write(json.dumps(message).encode() + b"\0")
        while True:
            answer = self._read()
            if answer.get("id") == self._count:
                assert "error" not in answer, answer["error"]
                return dict(answer["result"])
            self.events.append(answer)

    def _read(self) -> dict[str, Any]:
        while b"\0" not in self._rest:
            chunk = self._from.read(1 << 16)
            assert chunk, "Chromium has ended"
            self._rest += chunk
        one, _, self._rest = self._rest.partition(b"\0")
        return dict(json.loads(one))

    def open(
        self,
        url: str,
        *,
        width: int = 1440,
        height: int = 900,
        scheme: Literal["light", "dark"] = "light",
        scripts: bool = True,
    ) -> None:
        """Show a page and wait until it is loaded."""
        self.ask("Emulation.setScriptExecutionDisabled", value=not scripts)
        self.ask("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=False)
        self.ask("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": scheme}])
        self._go("about:blank")  # another fragment alone would load nothing
        self._go(url)

    def _go(self, url: str) -> None:
        self.events.clear()
        self.ask("Page.navigate", url=url)
        while not any(one.get("method") == "Page.loadEventFired" for one in self.events):
            self.events.append(self._read())

    def evaluate(self, expression: str) -> Any:
        """The value of a JavaScript expression in the page, as JSON."""
        found = self.ask("Runtime.evaluate", expression=expression, returnByValue=True, awaitPromise=True)
        assert "exceptionDetails" not in found, found
        return found["result"].get("value")

    def picture(self, path: Path, *, whole: bool = True) -> None:
        """Write what is shown to a PNG file."""
        data = self.ask("Page.captureScreenshot", captureBeyondViewport=whole)["data"]
        path.write_bytes(base64.b64decode(data))

    @property
    def complaints(self) -> list[str]:
        """What the console said, and requests for anything but local files."""
        said = [json.dumps(one["params"]) for one in self.events if one.get("method") in _SAID]
        asked = [
            one["params"]["request"]["url"] for one in self.events if one.get("method") == "Network.requestWillBeSent"
        ]
        return said + [url for url in asked if not url.startswith(("file:", "about:"))]


# the browser reads descriptor 3 and writes descriptor 4; what is moved there first may be one of them
_EXECUTE = """
import os, sys
reads, writes = (os.dup(os.dup(int(one))) for one in sys.argv[1:3])
os.dup2(reads, 3), os.dup2(writes, 4)
os.execv(sys.argv[3], sys.argv[3:])
"""
_SAID = frozenset({"Runtime.consoleAPICalled", "Runtime.exceptionThrown", "Log.entryAdded"})


@contextmanager
def browser(home: Path) -> Iterator[Browser]:
    """A Chromium with a new profile in ``home``, which ends with the block."""
    assert CHROMIUM is not None
    their_read, our_write = os.pipe()
    our_read, their_write = os.pipe()

    argv = [sys.executable, "-c", _EXECUTE, str(their_read), str(their_write)]
    argv += [CHROMIUM, *FLAGS, f"--user-data-dir={home}"]
    # it leaves a folder there, and has a socket in it, whose path must be short
    with tempfile.TemporaryDirectory(prefix="chromium-", ignore_cleanup_errors=True) as temporary:
        process = subprocess.Popen(
            argv,
            pass_fds=(their_read, their_write),
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            cwd=home,
            env={**os.environ, "TMPDIR": temporary},
        )
        os.close(their_read)
        os.close(their_write)
        try:
            yield Browser(our_write, our_read)
        finally:
            process.terminate()
            process.wait(30)
