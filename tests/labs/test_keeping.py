"""``--netbench-keep`` with real labs: they stay until a person in a terminal is done."""

from __future__ import annotations

import asyncio
import os
import re
import select
import sys
import time
from pathlib import Path

import asyncssh
import pytest

from tests.support.pty_lines import PtyLine

ROOT = Path(__file__).parents[2]
TASK = "tasks/security/nat-port-forward.task.yaml"


@pytest.fixture
def run(tmp_path):
    command = [sys.executable, "-m", "pytest", TASK, "--agent=nop", "--netbench-keep", "-q", "-p", "no:cacheprovider"]
    words = ["sh", "-c", 'cd "$1" && shift && exec "$@"', "sh", str(ROOT), *command, f"--netbench-results={tmp_path}/r"]
    line = PtyLine(words, env={"COLUMNS": "200", "HOME": os.environ.get("HOME", "/")})
    yield line
    line.process.kill()
    line.close()


def shown_until(line: PtyLine, words: str, *, within_s: float = 120.0) -> str:
    text, ends_at = "", time.monotonic() + within_s
    while words not in text:
        assert time.monotonic() < ends_at, text
        if select.select([line.fd], [], [], 0.2)[0]:
            text += line.read().decode(errors="replace")
    return text


def login(text: str) -> tuple[int, str, str]:
    """Port and user of the first device, and the password."""
    port, user = re.findall(r"ssh -p (\d+) (\S+)@127", text)[0]
    return int(port), user, re.findall(r"password (\S+?),", text)[0]


async def typed(port: int, user: str, password: str, command: str) -> str:
    async with asyncssh.connect("127.0.0.1", port, username=user, password=password, known_hosts=None) as connection:
        done = await connection.run(command, timeout=30)
        return str(done.stdout)


@pytest.mark.parametrize("end", ["\n", "\x03"], ids=["enter", "ctrl-c"])
def test_a_kept_lab_answers_to_a_person_until_that_one_is_done(run, end):
    text = shown_until(run, "press Enter")
    assert "1 failed" not in text  # the last line of the run comes when the labs have ended
    before = asyncio.run(typed(*login(text), "ip -br address"))
    assert "lo" in before
    run.write(end)
    after = shown_until(run, "1 failed", within_s=30)
    assert "Traceback" not in after
    assert run.process.wait(30) == 1
    with pytest.raises(ConnectionRefusedError):
        asyncio.run(typed(*login(text), "ip -br address"))
