"""A GNS3 server on this machine: PyPI's `gns3-server`, in an environment and a process namespace of its own."""

from __future__ import annotations

import contextlib
import fcntl
import os
import re
import secrets
import shutil
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from pytest_netbench.backends.gns3.server import PASSWORD, URL, USER, Place, Server, Unreachable
from pytest_netbench.errors import LabError, UsageError

Say = Callable[[str], None]
RELEASE: Final = "3.0.6"
"""The release that is started if nobody names another one."""
_RELEASE = re.compile(r"\d+(\.\d+){1,3}")
_READY_S = 90.0
_PAUSE_S = 0.2
_DONE = ".complete"
_WIRES, _BLOCKS, _BLOCK = 10_000, 20, 1_000
_KVM = Path("/dev/kvm")
_ADMIN = "admin"
_PROGRAMS: Final = {
    "ubridge": "no node can be started without it",
    "vpcs": "hosts that are a VPCS need it",
    "dynamips": "LANs need it",
    "qemu-system-x86_64": "devices that run in QEMU need it",
}
_FOLDERS: Final = ("projects", "images", "configs", "appliances", "symbols", "secrets")
_END_WITH_US: Final = ("setpriv", "--pdeathsig", "KILL")
_NAMESPACE: Final = ("unshare", "--pid", "--fork", "--kill-child", "--mount-proc")


@dataclass(frozen=True, kw_only=True)
class Local:
    """A server on this machine.

    Attributes:
        release: Of PyPI's `gns3-server`.
        port: TCP port on the loopback address.
        folder: Its projects, images and users; they stay.
        kvm: Whether its machines may use /dev/kvm.
    """

    release: str
    port: int
    folder: Path
    kvm: bool = True

    @property
    def place(self) -> Place:
        """Where it is, and its first user."""
        return Place(url=f"http://127.0.0.1:{self.port}", user=_ADMIN, password=self._password(), named=True)

    @property
    def is_new(self) -> bool:
        """Whether it is GNS3 3.x."""
        return int(self.release.partition(".")[0]) >= 3

    def configuration(self) -> str:
        """The text of its configuration file."""
        kvm = str(self.kvm and os.access(_KVM, os.R_OK | os.W_OK))
        server = {
            "host": "127.0.0.1",
            "port": str(self.port),
            "report_errors": "False",
            # a server does not see that another one uses a UDP port
            "udp_start_port_range": str(wires := _WIRES + self.port % _BLOCKS * _BLOCK),
            "udp_end_port_range": str(wires + _BLOCK - 1),
            **{f"{name}_path": str(self.folder / name) for name in _FOLDERS if name != "secrets"},
        }
        place = self.place
        if self.is_new:
            server["secrets_dir"] = str(self.folder / "secrets")
            users = {"default_admin_username": place.user, "default_admin_password": place.password}
            qemu = {"enable_hardware_acceleration": kvm, "require_hardware_acceleration": "False"}
        else:
            server |= {"auth": "True", "user": place.user, "password": place.password}
            users = {}
            qemu = {"enable_kvm": kvm, "require_kvm": "False", "enable_hardware_acceleration": kvm}
            qemu["require_hardware_acceleration"] = "False"
        sections = {"Server": server, "Controller": users, "Qemu": qemu}
        return "\n".join(
            f"[{name}]\n" + "".join(f"{key} = {value}\n" for key, value in values.items())
            for name, values in sections.items()
        )

    def _password(self) -> str:
        """The password of its user, drawn once: a server of release 3 keeps that of its first start."""
        path = self.folder / "password"
        with contextlib.suppress(FileExistsError), open(path, "x", opener=_for_us_alone) as file:
            file.write(secrets.token_urlsafe(12))
        return path.read_text()


def serve(*, port: int, release: str, kvm: bool, say: Say) -> None:
    """Start a server, say how it is used, and return when it is interrupted.

    Raises:
        UsageError: The port is in use.
        LabError: The server cannot be installed or started, or ends by itself.
    """
    with running(port=port, release=release, kvm=kvm, say=say) as (process, local):
        place = local.place
        say(f"GNS3 {release} runs until this command ends; its projects and images are in {local.folder}")
        for program, lack in _PROGRAMS.items():
            if shutil.which(program) is None:
                say(f"not on the PATH: {program}; {lack}")
        say(f"export {URL}={place.url} {USER}={place.user} {PASSWORD}={place.password}")
        with contextlib.suppress(KeyboardInterrupt):
            raise LabError(f"the server has ended by itself: {_last_line(local)} (exit status {process.wait()})")


@contextlib.contextmanager
def running(*, port: int, release: str, kvm: bool, say: Say) -> Iterator[tuple[subprocess.Popen[bytes], Local]]:
    """A server that answers; it ends with the block, and with this process.

    Raises:
        UsageError: The port is in use.
        LabError: The server cannot be installed or started.
    """
    if _RELEASE.fullmatch(release) is None:
        raise UsageError(f"--release {release}: expected a release of gns3-server, e.g. {RELEASE}")
    _require_free(port)
    program = _environment(release, say) / "bin/gns3server"
    folder = _place("XDG_DATA_HOME", ".local/share") / f"server-{release}"
    local = Local(release=release, port=port, folder=folder, kvm=kvm)
    for name in _FOLDERS:
        (folder / name).mkdir(parents=True, exist_ok=True, mode=0o700)
    with _locked(folder / "lock", f"another netbench gns3 serve uses {folder}, wait for it or end it"):
        configuration = folder / "gns3_server.conf"
        with open(configuration, "w", opener=_for_us_alone) as file:
            file.write(local.configuration())
        process = _started(program, configuration, local)
        try:
            _await_answer(process, local)
            yield process, local
        finally:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
            process.wait()


def _started(program: Path, configuration: Path, local: Local) -> subprocess.Popen[bytes]:
    # a server that is killed leaves its programs running; a namespace takes them with it
    user = () if os.geteuid() == 0 else ("--user", "--map-current-user")
    command = [*_END_WITH_US, *_NAMESPACE, *user, program, "--config", configuration]
    environment = {**os.environ, "HOME": str(local.folder)}
    try:
        with (local.folder / "log").open("wb") as log:
            return subprocess.Popen(
                command,
                cwd=local.folder,
                env=environment,
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=subprocess.STDOUT,
                start_new_session=True,
            )
    except OSError as error:
        raise LabError(f"{command[0]} cannot be started: {error.strerror}") from None


def _await_answer(process: subprocess.Popen[bytes], local: Local) -> None:
    ends_at = time.monotonic() + _READY_S
    while True:
        try:
            Server(local.place)
        except Unreachable:
            if process.poll() is not None:
                raise LabError(
                    f"the server has ended at once: {_last_line(local)} (exit status {process.returncode})"
                ) from None
            if time.monotonic() > ends_at:
                raise LabError(f"the server does not answer within {_READY_S:g} s: {_last_line(local)}") from None
            time.sleep(_PAUSE_S)
        else:
            return


def _last_line(local: Local) -> str:
    lines = (local.folder / "log").read_text(errors="replace").split("\n")
    return next((line.strip() for line in reversed(lines) if line.strip()), "it said nothing")


def _require_free(port: int) -> None:
    with socket.socket() as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind(("127.0.0.1", port))
        except OSError as error:
            raise UsageError(f"port {port} of 127.0.0.1: {error.strerror} (fix: another one by --port)") from None


def _environment(release: str, say: Say) -> Path:
    """The environment of a release, made at first use.

    Raises:
        LabError: It cannot be made.
    """
    folder = _place("XDG_CACHE_HOME", ".cache") / f"server-{release}"
    folder.parent.mkdir(parents=True, exist_ok=True)
    with _locked(folder.with_name(f"{folder.name}.lock"), None):
        if (folder / _DONE).exists():
            return folder
        say(f"installing gns3-server {release} in {folder}, once; this takes some minutes")
        shutil.rmtree(folder, ignore_errors=True)
        _call([sys.executable, "-m", "venv", str(folder)], say)
        wanted = f"gns3-server=={release}"
        _call([str(folder / "bin/python"), "-m", "pip", "install", "--disable-pip-version-check", wanted], say)
        (folder / _DONE).touch()
    return folder


def _call(argv: list[str], say: Say) -> None:
    """Run a program and say what it does."""
    last = "no output"
    with subprocess.Popen(
        argv, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace"
    ) as process:
        for line in process.stdout or ():
            last = line.strip() or last
            if line.startswith(("Collecting", "Installing")):
                say(last)
    if process.returncode:
        raise LabError(f"gns3-server cannot be installed: {last}")


@contextlib.contextmanager
def _locked(path: Path, refusal: str | None) -> Iterator[None]:
    """Hold a lock; wait for it, or raise an error with ``refusal`` if somebody holds it."""
    with path.open("w") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | (fcntl.LOCK_NB if refusal else 0))
        except BlockingIOError:
            raise UsageError(str(refusal)) from None
        yield


def _place(variable: str, default: str) -> Path:
    return Path(os.environ.get(variable) or Path.home() / default) / "netbench/gns3"


def _for_us_alone(path: str, flags: int) -> int:
    return os.open(path, flags, 0o600)
