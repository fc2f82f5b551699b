"""An environment of Harbor that runs exported tasks without Docker and without root: ``harbor run --env …:Rootless``.

The only module that imports ``harbor``, whose environment it runs in; the lab runs in that of this package.
"""

from __future__ import annotations

import asyncio
import contextlib
import importlib.util
import json
import os
import shutil
import tempfile
from pathlib import Path
from typing import Any, Final

from harbor.environments.base import BaseEnvironment, ExecResult
from harbor.environments.capabilities import EnvironmentCapabilities

from pytest_netbench.exports.harbor.box import PROGRAMS, Box

_LAB: Final = "lab"
_LAB_OPENS_S: Final = 600.0
_LAB_ENDS_S: Final = 60.0
_ANI: Final = "ani"


class Rootless(BaseEnvironment):  # type: ignore[misc]
    """Boxes for the agent and for the verifier, and a lab in a network namespace that the agent's box shares.

    A box sees the host's ``/usr`` and has no way out of its network. There is one user in it, whatever user is asked
    for: the verifier has a box of its own.

    Args:
        netbench: The program ``netbench`` of an environment with this package and its extras.
    """

    def __init__(self, *args: Any, netbench: str = "netbench", **kwargs: Any) -> None:
        self._netbench = shutil.which(netbench)
        self._folder: Path | None = None
        self._boxes: dict[str, Box] = {}
        self._lab: asyncio.subprocess.Process | None = None
        super().__init__(*args, **kwargs)

    @staticmethod
    def type() -> str:
        """Its name in results."""
        return "netbench-rootless"

    @property
    def capabilities(self) -> EnvironmentCapabilities:
        """A lab beside the agent's box, and no internet."""
        return EnvironmentCapabilities(docker_compose=True, disable_internet=True)

    @property
    def _has_lab(self) -> bool:
        return bool((self.environment_dir / _LAB).is_dir())

    def _validate_definition(self) -> None:
        if not self._has_lab and not (self.environment_dir / "test.sh").is_file():
            raise ValueError(f"{self.environment_dir}: only tasks of `netbench export harbor` run without Docker")
        if self._has_lab and not (self.environment_dir / "docker-compose.yaml").is_file():
            raise ValueError(f"{self.environment_dir}: export the task with --layout compose to run it without Docker")
        missing = [name for name in ("bwrap", "nsenter") if shutil.which(name) is None]
        if self._netbench is None:
            missing.append("netbench (give it with --ek netbench=/path/to/netbench)")
        if missing:
            raise ValueError(f"tasks without Docker need {', '.join(missing)}")

    async def start(self, force_build: bool) -> None:
        """Deploy the lab, if the task has one here, and open the boxes."""
        del force_build
        self._folder = folder = Path(tempfile.mkdtemp(prefix="netbench-harbor-"))
        try:
            if self._has_lab:
                await self._start_lab(folder)
            else:
                await self._open("main", folder, shown={"/tests": self.environment_dir})
            await self.ensure_dirs(self._mount_targets(writable_only=True))
        except BaseException:
            await self.stop(delete=True)
            raise

    async def _start_lab(self, folder: Path) -> None:
        inner = await self._run_lab(folder)
        ani = {f"{PROGRAMS}/{_ANI}": self.environment_dir / _ANI}
        await self._open(_LAB, folder, shown=ani, network_of=inner, lab="http://127.0.0.1:7070")
        await self._open("main", folder, shown=ani, network_of=inner, lab="http://lab:7070")
        loop = asyncio.get_running_loop()
        ends_at = loop.time() + _LAB_OPENS_S
        while (await self._boxes[_LAB].run("ani is-open", timeout_s=30)).status != 0:
            assert self._lab is not None
            if self._lab.returncode is not None or loop.time() > ends_at:
                raise RuntimeError(f"the lab did not open: {(folder / 'lab.log').read_text()[-2000:]}")
            await asyncio.sleep(0.1)  # a lab that is being deployed tells nobody outside when it is open

    async def _run_lab(self, folder: Path) -> int:
        """Start the lab in a network namespace; the number of a process in it."""
        reader, writer = os.pipe()
        words = ["bwrap", "--unshare-user", "--unshare-net", "--die-with-parent", "--dev-bind", "/", "/"]
        lab = [str(self._netbench), "harbor", str(self.environment_dir.resolve() / _LAB), "--host", "127.0.0.1"]
        try:
            with (folder / "lab.log").open("wb") as log:
                self._lab = await asyncio.create_subprocess_exec(
                    *words,
                    *("--info-fd", str(writer), "--", *lab),
                    stdin=asyncio.subprocess.DEVNULL,
                    stdout=log,
                    stderr=log,
                    pass_fds=(writer,),
                )
        finally:
            os.close(writer)
        with os.fdopen(reader) as told:
            text = await asyncio.to_thread(told.read)
        if not text:
            raise RuntimeError(f"the lab did not start: {(folder / 'lab.log').read_text()[-2000:]}")
        return int(json.loads(text)["child-pid"])

    async def _open(
        self, name: str, folder: Path, *, shown: dict[str, Path], network_of: int | None = None, lab: str = ""
    ) -> None:
        variables = {"NETBENCH_LAB": lab} if lab else {}
        box = Box(folder / name, variables=variables, shown=shown, hidden=_own_places())
        self._boxes[name] = box
        await box.open(network_of=network_of)

    async def stop(self, delete: bool) -> None:
        """End the boxes and the lab, and remove their files."""
        del delete
        for name in list(self._boxes):
            await self.stop_service(name)
        lab, self._lab = self._lab, None
        if lab is not None:
            await _ended(lab)
        folder, self._folder = self._folder, None
        if folder is not None:
            await asyncio.to_thread(shutil.rmtree, folder, ignore_errors=True)

    async def stop_service(self, service: str) -> None:
        """End one box."""
        box = self._boxes.pop(service, None)
        if box is not None:
            await box.close()

    async def exec(
        self,
        command: str,
        cwd: str | None = None,
        env: dict[str, str] | None = None,
        timeout_sec: int | None = None,
        user: str | int | None = None,
    ) -> ExecResult:
        """Run a command in the agent's box."""
        del user
        return await self._executed("main", command, cwd, self._merge_env(env), timeout_sec)

    async def service_exec(
        self,
        command: str,
        *,
        service: str | None = None,
        cwd: str | None = None,
        env: dict[str, str] | None = None,
        timeout_sec: int | None = None,
        user: str | int | None = None,
    ) -> ExecResult:
        """Run a command in a box."""
        del user
        return await self._executed(service or "main", command, cwd, env, timeout_sec)

    async def _executed(
        self, name: str, command: str, cwd: str | None, env: dict[str, str] | None, timeout_sec: int | None
    ) -> ExecResult:
        where = cwd or (self.task_env_config.workdir if name == "main" else None)
        done = await self._box(name).run(command, cwd=where, variables=env, timeout_s=timeout_sec)
        if done.status is None:
            raise RuntimeError(f"Command timed out after {timeout_sec} seconds")
        texts = (text.decode(errors="replace") for text in (done.stdout, done.stderr))
        return ExecResult(**dict(zip(("stdout", "stderr"), texts, strict=True)), return_code=done.status)

    def _box(self, name: str) -> Box:
        if name not in self._boxes:
            raise RuntimeError(f"{name} is not running")
        return self._boxes[name]

    async def upload_file(self, source_path: Path | str, target_path: str) -> None:
        """Copy a file into the agent's box."""
        await self._box("main").put(Path(source_path), str(target_path))

    async def upload_dir(self, source_dir: Path | str, target_dir: str) -> None:
        """Copy what is in a folder into one of the agent's box."""
        await self._box("main").put(Path(source_dir), str(target_dir))

    async def download_file(self, source_path: str, target_path: Path | str) -> None:
        """Copy a file out of the agent's box."""
        await self.service_download_file(source_path, target_path)

    async def download_dir(self, source_dir: str, target_dir: Path | str) -> None:
        """Copy what is in a folder of the agent's box."""
        await self.service_download_dir(source_dir, target_dir)

    async def service_download_file(
        self, source_path: str, target_path: Path | str, *, service: str | None = None
    ) -> None:
        """Copy a file out of a box."""
        await self._box(service or "main").get(str(source_path), Path(target_path), is_folder=False)

    async def service_download_dir(
        self, source_dir: str, target_dir: Path | str, *, service: str | None = None
    ) -> None:
        """Copy what is in a folder of a box."""
        await self._box(service or "main").get(str(source_dir), Path(target_dir), is_folder=True)


async def _ended(lab: asyncio.subprocess.Process) -> None:
    """End a lab: it has a moment to end in order."""
    with contextlib.suppress(ProcessLookupError):
        lab.terminate()
    try:
        await asyncio.wait_for(lab.wait(), _LAB_ENDS_S)
    except TimeoutError:
        with contextlib.suppress(ProcessLookupError):
            lab.kill()
        await lab.wait()


def _own_places() -> list[Path]:
    """This package and its tasks, where they are installed in what boxes see."""
    spec = importlib.util.find_spec("pytest_netbench")
    places = [] if spec is None or spec.origin is None else [Path(spec.origin).resolve().parent]
    return [place for place in places if place.is_relative_to("/usr")]
