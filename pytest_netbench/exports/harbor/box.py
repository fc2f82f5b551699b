"""A container without a container runtime: a program's own files and processes, by bubblewrap. For Harbor's trials.

Standard library only, since it runs in Harbor's environment. What is in a box can change nothing outside of it: files
go in and out as archives that processes in the box read and write.
"""

from __future__ import annotations

import asyncio
import base64
import contextlib
import io
import itertools
import json
import tarfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import Any, Final

PROGRAMS: Final = "/opt/netbench"
"""Where the command ``ani`` is in a box."""
HOME: Final = "/home/agent"
UID: Final = 1000
_PATH: Final = f"{PROGRAMS}:/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"
_LINKS: Final = ("bin", "sbin", "lib", "lib32", "lib64", "libx32")
_OF_HOST: Final = ("/etc/alternatives", "/etc/ld.so.cache", "/etc/ssl")
_FOLDERS: Final = ("etc", "home/agent", "logs", "opt/netbench", "run", "tests", "tmp", "usr", "var/tmp", "work")
_LONGEST_LINE: Final = 2**28
_MAPPED_S: Final = 60.0
_SERVER: Final = Path(__file__).with_name("box_server.py")


@dataclass(frozen=True)
class Done:
    """A command that has ended; ``status`` is ``None`` if its time was over."""

    status: int | None
    stdout: bytes
    stderr: bytes


class Box:
    """A place for commands, until it is closed.

    Args:
        folder: Its files; made here.
        variables: The environment of its commands.
        shown: Files of the host that it may read, by their places in it.
        hidden: Folders of the host's ``/usr`` that it may not see.
    """

    def __init__(
        self, folder: Path, *, variables: Mapping[str, str], shown: Mapping[str, Path], hidden: Sequence[Path] = ()
    ) -> None:
        self._folder = folder
        self._variables = {"PATH": _PATH, "HOME": HOME, "LANG": "C.UTF-8", **variables}
        self._shown = shown
        self._hidden = hidden
        self._ids = itertools.count(1)
        self._waiting: dict[int, asyncio.Future[dict[str, Any]]] = {}
        self._process: asyncio.subprocess.Process | None = None
        self._reader: asyncio.Task[None] | None = None

    async def open(self, *, network_of: int | None = None) -> None:
        """Start it.

        Args:
            network_of: A process of this user whose user and network namespaces it joins; by default it has a network
                of its own, which leads nowhere.

        Raises:
            RuntimeError: It cannot be started.
        """
        for name in _FOLDERS:
            (self._folder / name).mkdir(parents=True, exist_ok=True)
        etc = {
            "passwd": f"agent:x:{UID}:{UID}::{HOME}:/bin/bash\n",
            "group": f"agent:x:{UID}:\n",
            "hosts": "127.0.0.1 localhost lab\n",
        }
        for name, text in etc.items():
            (self._folder / "etc" / name).write_text(text)
        if network_of is not None:
            await _mapped(network_of)
        joined = () if network_of is None else ("nsenter", "-t", str(network_of), "--user", "--net", "--wd=/")
        self._process = await asyncio.create_subprocess_exec(
            *joined,
            *self._words(own_network=network_of is None),
            *("--", "/usr/bin/python3", "-I", "-c", _SERVER.read_text(encoding="utf-8")),
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
            limit=_LONGEST_LINE,
        )
        self._reader = asyncio.create_task(self._read(self._process))
        if (await self.run("true", timeout_s=60)).status != 0:
            raise RuntimeError("a box cannot be started: `netbench doctor` says what this machine lacks")

    def _words(self, *, own_network: bool) -> list[str]:
        words = ["bwrap", "--unshare-user", "--unshare-pid", "--unshare-ipc", "--unshare-uts", "--unshare-cgroup-try"]
        words += ["--unshare-net"] if own_network else []
        words += ["--uid", str(UID), "--gid", str(UID), "--hostname", "main", "--die-with-parent", "--new-session"]
        words += ["--cap-drop", "ALL", "--clearenv", "--bind", str(self._folder), "/", "--ro-bind", "/usr", "/usr"]
        for name in _LINKS:
            if Path(f"/{name}").is_symlink():
                words += ["--symlink", f"usr/{name}", f"/{name}"]
        for place in _OF_HOST:
            words += ["--ro-bind-try", place, place]
        for hidden in self._hidden:
            words += ["--tmpfs", str(hidden)]
        for place, path in self._shown.items():
            words += ["--ro-bind", str(path), place]
        return [*words, "--proc", "/proc", "--dev", "/dev", "--chdir", "/"]

    async def run(
        self,
        command: str,
        *,
        cwd: str | None = None,
        variables: Mapping[str, str] | None = None,
        timeout_s: float | None = None,
        stdin: bytes = b"",
    ) -> Done:
        """What a command of ``bash`` prints. What it leaves in the background goes on.

        Raises:
            RuntimeError: The box is closed, or somebody in it has ended it.
        """
        if self._process is None or self._process.stdin is None:
            raise RuntimeError("the box is not open")
        number = next(self._ids)
        request = {
            "id": number,
            "command": command,
            "cwd": cwd or HOME,
            "env": {**self._variables, **(variables or {})},
            "timeout_s": timeout_s,
            "stdin": base64.b64encode(stdin).decode(),
        }
        future = self._waiting[number] = asyncio.get_running_loop().create_future()
        if self._reader is None or self._reader.done():
            self._give_up()
        with contextlib.suppress(ConnectionError):
            self._process.stdin.write(json.dumps(request).encode() + b"\n")
            await self._process.stdin.drain()
        found = await future
        return Done(found["status"], *(base64.b64decode(found[name]) for name in ("stdout", "stderr")))

    async def _read(self, process: asyncio.subprocess.Process) -> None:
        assert process.stdout is not None
        with contextlib.suppress(ValueError, KeyError, TypeError, ConnectionError):
            while line := await process.stdout.readline():
                found = json.loads(line)
                self._waiting.pop(found["id"]).set_result(found)
        self._give_up()

    def _give_up(self) -> None:
        for future in self._waiting.values():
            if not future.done():
                future.set_exception(RuntimeError("the box has ended"))
        self._waiting.clear()

    async def put(self, source: Path, target: str) -> None:
        """Copy a file to a path, or what is in a folder to a folder.

        Raises:
            RuntimeError: It cannot be written.
        """
        place = PurePosixPath(target)
        content = io.BytesIO()
        with tarfile.open(fileobj=content, mode="w") as archive:
            archive.add(source, arcname="." if source.is_dir() else place.name)
        folder = place if source.is_dir() else place.parent
        done = await self.run(
            'mkdir -p "$FOLDER" && tar -xf - --no-same-owner -C "$FOLDER"',
            variables={"FOLDER": str(folder)},
            cwd="/",
            stdin=content.getvalue(),
        )
        if done.status != 0:
            raise RuntimeError(f"{target} cannot be written: {done.stderr.decode(errors='replace').strip()}")

    async def get(self, source: str, target: Path, *, is_folder: bool) -> None:
        """Copy a file to a path, or what is in a folder to a folder. Links out of the folder and devices are left out.

        Raises:
            RuntimeError: It cannot be read.
        """
        words = '"$SOURCE" .' if is_folder else '"$(dirname "$SOURCE")" "$(basename "$SOURCE")"'
        done = await self.run(f"tar -cf - -C {words}", variables={"SOURCE": source}, cwd="/")
        if done.status != 0:
            raise RuntimeError(f"{source} cannot be read: {done.stderr.decode(errors='replace').strip()}")
        place = target if is_folder else target.parent
        place.mkdir(parents=True, exist_ok=True)
        with tarfile.open(fileobj=io.BytesIO(done.stdout)) as archive:
            archive.extractall(place, filter=_harmless)  # noqa: S202  (nothing that leads elsewhere)
        name = PurePosixPath(source).name
        if not is_folder and name != target.name and (place / name).exists():
            (place / name).replace(target)

    async def close(self) -> None:
        """End all that runs in it. Idempotent."""
        process, self._process = self._process, None
        if process is None:
            return
        with contextlib.suppress(ProcessLookupError):
            process.kill()
        await process.wait()
        if self._reader is not None:
            await self._reader


async def _mapped(process: int) -> None:
    """Wait until a process can be joined: bubblewrap tells which it is before its users and groups are mapped."""
    loop = asyncio.get_running_loop()
    ends_at = loop.time() + _MAPPED_S
    try:
        while not Path(f"/proc/{process}/gid_map").read_text(encoding="utf-8"):  # the last one that is written
            if loop.time() > ends_at:
                raise RuntimeError(f"process {process} has no users within {_MAPPED_S:.0f} s, so no box can join it")
            await asyncio.sleep(0.01)  # nothing tells when the kernel has been given a map
    except (FileNotFoundError, ProcessLookupError):
        raise RuntimeError(f"there is no process {process} whose network a box could join") from None


def _harmless(member: tarfile.TarInfo, path: str) -> tarfile.TarInfo | None:
    try:
        return tarfile.data_filter(member, path)
    except tarfile.FilterError:
        return None
