"""A Docker engine of its own, in namespaces that end with it: nothing of it stays, and no other engine is touched."""

from __future__ import annotations

import contextlib
import fcntl
import os
import shutil
import signal
import subprocess
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path

from pytest_netbench.deadline import poll
from tests.support.programs import NotToBeHad, cache

_READY_S = 60
_NAMESPACES = (
    *("setpriv", "--pdeathsig", "KILL"),
    *("unshare", "--net", "--pid", "--fork", "--kill-child", "--mount", "--mount-proc"),
)
# The first process takes in orphans, as an init does: a container whose processes nobody takes in does not end. What
# other programs write beside containers (names of hosts, namespaces by name) stays in here. A daemon that is killed is
# started again, as service managers do.
_INIT = """
ip link set lo up
mount --make-rprivate / && mount -t tmpfs run /run && mkdir -p /run/netns /run/netbench
cp /etc/hosts /run/netbench/hosts && mount --bind /run/netbench/hosts /etc/hosts
if [ -d /etc/ssh/ssh_config.d ]; then mount -t tmpfs ssh /etc/ssh/ssh_config.d; fi
while :; do
    {daemon} --cgroup-parent {parent} & daemon=$!
    while kill -0 $daemon 2>/dev/null; do wait -n; status=$?; done
    [ $status -eq 137 ] || break
    rm -f {folder}/pid
    while [ -e {folder}/{held} ]; do sleep 0.1; done
done
"""
_HELD = "held"
_CGROUPS = Path("/sys/fs/cgroup")


@dataclass(frozen=True)
class Engine:
    """An engine that answers."""

    address: str | None
    enter: tuple[str, ...] = ()
    """The words before a command that runs beside its containers; none if they are on this machine itself."""
    folder: Path | None = None
    """Its files, if it was started for the tests."""
    keeps_images: bool = False
    """Whether the next run finds the images and layers of this one."""

    @property
    def environment(self) -> dict[str, str]:
        """The environment in which clients find it."""
        return {**os.environ, **({"DOCKER_HOST": self.address} if self.address else {})}

    def run(self, *arguments: str | Path, check: bool = True, stdin: bytes | None = None) -> str:
        """Run a docker command; both outputs."""
        done = subprocess.run(
            ["docker", *map(str, arguments)],
            env=self.environment,
            input=stdin,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            timeout=300,
            check=False,
        )
        output = done.stdout.decode(errors="replace")
        assert not check or done.returncode == 0, output
        return output

    def answers(self) -> bool:
        """Whether the engine is there."""
        return "Server Version:" in self.run("info", check=False)

    @contextlib.contextmanager
    def killed(self) -> Iterator[None]:
        """Kill the daemon, whose containers run on; it comes back after the block."""
        assert self.folder is not None, "only an engine of the tests is killed"
        held, pid = self.folder / _HELD, (self.folder / "pid").read_text().strip()
        held.touch()
        try:
            subprocess.run([*self.enter, "kill", "-9", pid], check=True)
            yield
        finally:
            held.unlink()
            assert poll(self.answers, until=bool, within_s=_READY_S, pause_s=0.2), "the engine did not come back"


@contextlib.contextmanager
def engine_of_this_machine(folder: Path, *, say: Callable[[str], None]) -> Iterator[Engine]:
    """The engine that runs already, else one in ``folder``.

    Raises:
        NotToBeHad: There is none, and none can be started.
    """
    for name in ("docker", "dockerd"):
        if shutil.which(name) is None:
            raise NotToBeHad(f"{name} is missing; fix: apt-get install docker.io")
    running = Engine(None)
    if running.answers():
        yield running
        return
    if os.geteuid() != 0:
        raise NotToBeHad("no Docker engine runs, and only root can start one; fix: start Docker, or run as root")
    with _kept_data() as data, engine_of_its_own(folder, say=say, data=data) as engine:
        yield engine


@contextlib.contextmanager
def _kept_data() -> Iterator[Path | None]:
    """A folder for images and layers that the next run finds again; ``None`` while another run uses it.

    To build the image of this checkout anew takes minutes, most of them for layers that did not change.
    """
    place = cache() / "docker"
    place.mkdir(parents=True, exist_ok=True)
    with (place / "lock").open("w") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            yield None
        else:
            yield place / "data"


@contextlib.contextmanager
def engine_of_its_own(folder: Path, *, say: Callable[[str], None], data: Path | None = None) -> Iterator[Engine]:
    """An engine that ends with the block. Only root can start one.

    Args:
        folder: For its files.
        say: Is told what is done.
        data: For its images, which then stay; no containers and networks do.

    Raises:
        NotToBeHad: It cannot be started.
    """
    socket, log, parent = folder / "docker.sock", folder / "log", f"netbench-{os.getpid()}-{folder.name}"
    data_root = data or folder / "data"
    daemon = f"dockerd -H unix://{socket} --data-root {data_root} --exec-root {folder}/exec --pidfile {folder}/pid"
    say("starting a Docker engine in namespaces of its own")
    with log.open("w") as output:
        # the first process of a PID namespace ends all others with itself
        process = subprocess.Popen(
            [*_NAMESPACES, "bash", "-c", _INIT.format(daemon=daemon, parent=parent, folder=folder, held=_HELD)],
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )
    engine = Engine(f"unix://{socket}")
    try:
        ends_at = time.monotonic() + _READY_S
        while not engine.answers():
            if process.poll() is not None or time.monotonic() > ends_at:
                raise NotToBeHad(f"a Docker engine cannot be started here: {_reason(log)}")
            time.sleep(0.2)
        (init,) = Path(f"/proc/{process.pid}/task/{process.pid}/children").read_text().split()
        enter = ("nsenter", "-t", init, "--net", "--pid", "--mount", "--wd=.")
        engine = replace(engine, enter=enter, folder=folder, keeps_images=data is not None)
        _remove_left_over(engine)
        yield engine
    finally:
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()
        _remove_cgroups(parent)
        shutil.rmtree(folder / "data", ignore_errors=True)


def _remove_left_over(engine: Engine) -> None:
    """Containers, networks and unnamed images of a run that was killed, or of an earlier checkout."""
    if engine.keeps_images:
        if containers := engine.run("ps", "-aq").split():
            engine.run("rm", "-f", *containers)
        for kind in ("network", "volume", "image"):
            engine.run(kind, "prune", "-f")


def _reason(log: Path) -> str:
    lines = log.read_text(errors="replace").splitlines()
    told = [line for line in lines if "failed" in line or "level=fatal" in line or "rror" in line]
    return (told or lines or ["no output"])[-1]


def _remove_cgroups(parent: str) -> None:
    for top in (*_CGROUPS.glob(parent), *_CGROUPS.glob(f"*/{parent}")):
        for folder in sorted(top.rglob("*/"), key=lambda path: -len(path.parts)):
            with contextlib.suppress(OSError):
                folder.rmdir()
        with contextlib.suppress(OSError):
            top.rmdir()
