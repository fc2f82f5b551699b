"""Boxes, in which agents of Harbor work without Docker: what commands print, and that they reach nothing outside."""

from __future__ import annotations

import asyncio
import os
import shutil
import subprocess
import threading
import time
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest

from pytest_netbench.exports.harbor.box import Box

pytestmark = pytest.mark.skipif(shutil.which("bwrap") is None, reason="no bubblewrap; fix: apt-get install bubblewrap")


def within(folder: Path, work: Callable[[Box], Awaitable[Any]], network_of: int | None = None, **shown: Path) -> Any:
    """What ``work`` returns in a box whose files are in ``folder``."""

    async def run() -> Any:
        places = {f"/{name}": path for name, path in shown.items()}
        box = Box(folder / "box", variables={"WHO": "me"}, shown=places)
        try:
            await box.open(network_of=network_of)
            return await work(box)
        finally:
            await box.close()

    return asyncio.run(run())


def test_a_command_has_its_status_its_outputs_and_its_input(tmp_path: Path) -> None:
    async def work(box: Box) -> None:
        done = await box.run(
            "cat; echo $WHO $MORE >&2; pwd; exit 3", variables={"MORE": "x"}, cwd="/tmp", stdin=b"in\n"
        )
        assert (done.status, done.stdout, done.stderr) == (3, b"in\n/tmp\n", b"me x\n")
        assert (await box.run("id -u; echo $HOME; ls /home/agent")).stdout == b"1000\n/home/agent\n"
        both = await asyncio.gather(
            box.run("echo a >/tmp/x; sleep 0.1; cat /tmp/y"), box.run("echo b >/tmp/y; cat /tmp/x")
        )
        assert all(one.status is not None for one in both)
        assert (await box.run("true", cwd="/nowhere")).status == 126

    within(tmp_path, work)


def test_what_takes_too_long_is_ended_and_what_is_left_behind_holds_nothing_up(tmp_path: Path) -> None:
    async def work(box: Box) -> None:
        assert (await box.run("sleep 600", timeout_s=0.2)).status is None
        began = time.monotonic()
        assert (await box.run("sleep 600 & echo $!")).status == 0
        assert time.monotonic() - began < 60
        assert (await box.run("pgrep -c sleep")).stdout == b"1\n"

    within(tmp_path, work)


def test_it_sees_what_it_is_shown_and_changes_nothing_of_the_host(tmp_path: Path) -> None:
    (tmp_path / "secret").write_text("secret")
    (tmp_path / "tests").mkdir()

    async def work(box: Box) -> None:
        assert (await box.run("echo x >/tests/x; echo x >/usr/x; echo x >/etc/x && ls /tests /usr/x")).status != 0
        assert (await box.run(f"cat {tmp_path}/secret")).status == 1
        assert (await box.run("ls /proc | grep -c '^[0-9]'")).stdout.strip() in {b"4", b"5", b"6"}
        assert (await box.run("ip -br link | wc -l")).stdout == b"1\n"

    within(tmp_path, work, tests=tmp_path / "tests")
    assert list((tmp_path / "tests").iterdir()) == []


def test_it_joins_a_process_once_that_has_its_numbers(tmp_path: Path) -> None:
    # bubblewrap tells its process before it has mapped users and groups; until then nobody can join it
    with subprocess.Popen(["unshare", "--user", "--net", "sleep", "60"]) as process:
        try:
            own = Path(f"/proc/{process.pid}")
            while (own / "ns/user").readlink() == Path("/proc/self/ns/user").readlink():
                time.sleep(0.01)
            assert (own / "gid_map").read_text() == ""

            def mapped() -> None:
                (own / "uid_map").write_text(f"0 {os.getuid()} 1\n")
                (own / "setgroups").write_text("deny\n")
                (own / "gid_map").write_text(f"0 {os.getgid()} 1\n")

            async def work(box: Box) -> bytes:
                return (await box.run("ip -br link | wc -l")).stdout

            later = threading.Timer(1, mapped)
            later.start()
            assert within(tmp_path, work, network_of=process.pid) == b"1\n"
            later.join()
        finally:
            process.kill()
    with pytest.raises(RuntimeError, match="there is no process"):
        within(tmp_path / "another", work, network_of=process.pid)


def test_files_go_in_and_out_and_links_lead_nowhere(tmp_path: Path) -> None:
    source, host = tmp_path / "source", tmp_path / "host"
    (source / "inner").mkdir(parents=True)
    host.mkdir()
    (source / "inner/run").write_text("#!/bin/sh\necho ran\n")
    (source / "inner/run").chmod(0o755)

    async def work(box: Box) -> None:
        await box.put(source, "/work/given")
        assert (await box.run("/work/given/inner/run")).stdout == b"ran\n"
        await box.put(source / "inner/run", "/work/one/other")
        await box.get("/work/one/other", tmp_path / "back/again", is_folder=False)
        assert (
            await box.run(f"ln -s {host} /logs/out; ln -s /etc/passwd /logs/link; echo kept >/logs/kept")
        ).status == 0
        with pytest.raises(RuntimeError, match="cannot be written"):
            await box.put(source, "/logs/out")
        await box.get("/logs", tmp_path / "logs", is_folder=True)
        with pytest.raises(RuntimeError, match="cannot be read"):
            await box.get("/nowhere", tmp_path / "nowhere", is_folder=False)

    within(tmp_path, work)
    assert (tmp_path / "back/again").read_text() == (source / "inner/run").read_text()
    assert list(host.iterdir()) == []
    assert [path.name for path in (tmp_path / "logs").iterdir()] == ["kept"]


def test_who_ends_the_box_from_within_is_told_at_the_next_command(tmp_path: Path) -> None:
    async def work(box: Box) -> None:
        with pytest.raises(RuntimeError, match="the box has ended"):
            await box.run("kill -9 -1; kill -9 $PPID; sleep 60")
        with pytest.raises(RuntimeError, match="the box has ended"):
            await box.run("true")

    within(tmp_path, work)
