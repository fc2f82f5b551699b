"""A log of our tasks in Inspect's own viewer, in Chromium."""

from __future__ import annotations

import os
import socket
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from urllib.request import urlopen

import pytest

from tests.integration.inspect_site import Site
from tests.integration.test_inspect_loop import solving_star, stars
from tests.support.chromium import CHROMIUM, Browser, browser
from tests.support.openai_server import OpenAIServer

pytestmark = pytest.mark.skipif(CHROMIUM is None, reason="there is no Chromium (fix: apt-get install chromium)")
SHOTS = os.environ.get("NETBENCH_SCREENSHOTS")
"""A folder that screenshots are kept in, to be looked at."""


@contextmanager
def viewer(site: Site) -> Iterator[str]:
    """Inspect's viewer of the logs; its address."""
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    argv = site.command("view", "start", f"--port={port}", f"--log-dir={site.logs}")
    process = subprocess.Popen(
        argv, cwd=site.folder, env=site.environment(), stdout=subprocess.DEVNULL, stderr=subprocess.STDOUT
    )
    address = f"http://127.0.0.1:{port}/"
    try:
        ends = time.monotonic() + 120
        while True:
            try:
                urlopen(address, timeout=5).close()
                break
            except OSError:
                assert time.monotonic() < ends
                assert process.poll() is None
                time.sleep(0.2)
        yield address
    finally:
        process.terminate()
        process.wait(30)


def text_with(tab: Browser, word: str) -> str:
    """The text of the page, once it has a word."""
    ends = time.monotonic() + 180
    while True:
        text = str(tab.evaluate("document.body.innerText"))
        if word in text:
            return text
        assert time.monotonic() < ends, f"{word!r} is not shown: {text}"
        time.sleep(0.2)


def test_the_viewer_shows_verdict_scores_and_requests(inspect_site: Site, tmp_path: Path) -> None:
    with OpenAIServer(solving_star) as server:
        log = inspect_site.evaluate(*stars(1), server=server)
    (sample,) = log["samples"]
    shots = Path(SHOTS) if SHOTS else tmp_path
    name = Path(log["file"]).name
    with viewer(inspect_site) as address, browser(tmp_path) as tab:
        tab.open(f"{address}#/logs/{name}")
        text_with(tab, sample["id"])
        tab.picture(shots / "inspect-log.png", whole=False)
        place = f"{address}#/logs/{name}/samples/sample/{sample['id']}/1"
        tab.open(f"{place}/scoring")
        shown = text_with(tab, sample["scores"]["correctness"]["explanation"])
        tab.picture(shots / "inspect-scores.png", whole=False)
        assert "every gating score reaches its pass mark" in shown
        tab.open(f"{place}/messages")
        text_with(tab, "update_cfg")
        tab.picture(shots / "inspect-messages.png", whole=False)
