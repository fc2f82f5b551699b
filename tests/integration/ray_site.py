"""A Ray cluster of several nodes in a network namespace of its own, and runs of pytest on it.

Run as a program, it is the cluster: a line of JSON in, one out, until its input ends.
"""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from types import MappingProxyType
from typing import Any, Final

from tests.support.programs import Build, Program

ROOT: Final = Path(__file__).parents[2]
VERSION: Final = "2.60.0"
_WORKER: Final = "ray::TrialWorker"
_KEEPER: Final = "ray::BudgetKeeper"
# it takes the machine's own address, unless there is only loopback
_IN_ITS_NETWORK: Final = 'ip link set lo up && exec "$@"'


def _make(build: Build) -> None:
    pip = (sys.executable, "-m", "pip", "install", "-q", "--no-deps", "--target", build.folder / "site")
    build.run(*pip, f"ray=={VERSION}", "msgpack")


RAY: Final = Program(name="ray", version=VERSION, make=_make, within_s=600)


class Run:
    """A run of pytest on the cluster.

    Args:
        process: It.
        output: The file with what it prints.
        results: Its results directory.
    """

    def __init__(self, process: subprocess.Popen[bytes], output: Path, results: Path) -> None:
        self.process, self._output, self.results = process, output, results

    @property
    def output(self) -> str:
        """What it has printed so far."""
        return self._output.read_text()

    def ended(self, within_s: float = 240) -> int:
        """Its exit status."""
        try:
            return self.process.wait(within_s)
        except subprocess.TimeoutExpired:
            raise AssertionError(f"it did not end:\n{self.output}") from None


class RaySite:
    """The cluster, and where runs on it are started.

    Args:
        process: The cluster.
        environment: Of commands.
        folder: Where they run.
    """

    def __init__(self, process: subprocess.Popen[str], environment: dict[str, str], folder: Path) -> None:
        self._process, self._environment, self.folder = process, environment, folder
        self.temporary = Path(environment["RAY_TMPDIR"])
        """Where Ray keeps its files."""
        self.address: str = self._read()["address"]
        self._runs = 0

    def ask(self, **request: Any) -> dict[str, Any]:
        """Ask the cluster: ``add``, ``kill`` of a node, or ``nodes``."""
        assert self._process.stdin is not None
        self._process.stdin.write(json.dumps(request) + "\n")
        self._process.stdin.flush()
        return self._read()

    def _read(self) -> dict[str, Any]:
        assert self._process.stdout is not None
        line = self._process.stdout.readline()
        assert line, "the cluster has ended"
        return dict(json.loads(line))

    @contextmanager
    def pytest(
        self,
        *argv: str | Path,
        results: Path | None = None,
        ray: bool = True,
        variables: Mapping[str, str] = MappingProxyType({}),
    ) -> Iterator[Run]:
        """Run pytest beside the cluster; it is killed at the end of the block if it still runs."""
        self._runs += 1
        where = results or self.folder / f"results-{self._runs}"
        output = self.folder / f"output-{self._runs}.txt"
        on_cluster = (f"--netbench-ray={self.address}",) if ray else ()
        kept = (
            () if any(str(word).startswith("--netbench-resume") for word in argv) else (f"--netbench-results={where}",)
        )
        command = [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", *argv, *on_cluster, *kept]
        enter = ["nsenter", f"--target={self._process.pid}", "--net", "--user", "--preserve-credentials"]
        enter = enter if os.geteuid() else enter[:3]
        with output.open("wb") as file:
            process = subprocess.Popen(
                [*enter, *map(str, command)],
                cwd=self.folder,
                env={**self._environment, **variables},
                stdin=subprocess.DEVNULL,
                stdout=file,
                stderr=subprocess.STDOUT,
            )
            try:
                yield Run(process, output, where)
            finally:
                process.kill()
                process.wait()

    def workers(self) -> list[int]:
        """Processes of workers."""
        return self._titled(_WORKER)

    def keepers(self) -> list[int]:
        """Processes that hold a budget."""
        return self._titled(_KEEPER)

    def node_of(self, worker: int) -> str:
        """Id of the node of a worker."""
        nodes: dict[str, int] = self.ask(do="nodes")["nodes"]
        return next(node for node, raylet in nodes.items() if raylet == _parent(worker))

    def tree(self) -> set[int]:
        """Workers, and all that is below them: agents, labs."""
        below: dict[int, list[int]] = {}
        for path in Path("/proc").glob("[0-9]*"):
            below.setdefault(_parent(int(path.name)), []).append(int(path.name))
        found, open_ = set[int](), self.workers()
        while open_:
            pid = open_.pop()
            found.add(pid)
            open_ += below.get(pid, [])
        return found

    def _titled(self, title: str) -> list[int]:
        found = _with_variable("RAY_TMPDIR", str(self.temporary))
        return [pid for pid in found if _command(pid).startswith(title)]


@contextmanager
def running(site: Path, folder: Path, *, nodes: int, cores: int = 1) -> Iterator[RaySite]:
    """A cluster whose head has no core, and so many nodes with some each."""
    short = tempfile.mkdtemp(prefix="nb-ray-")  # paths of sockets must be short
    clean = {name: value for name, value in os.environ.items() if not name.startswith(("PYTEST", "COV"))}
    environment = clean | {
        "PYTHONPATH": os.pathsep.join([str(site), str(ROOT), str(folder)]),
        "RAY_TMPDIR": short,
        "RAY_AUTH_MODE": "disabled",
        "RAY_USAGE_STATS_ENABLED": "0",
        "RAY_worker_niceness": "0",
        "RAY_raylet_start_wait_time_s": "300",  # 30 s else, which a busy machine exceeds
    }
    network = ["unshare", "--net"] if os.geteuid() == 0 else ["unshare", "--map-root-user", "--net"]
    errors = (folder / "cluster.log").open("w")
    process = subprocess.Popen(
        [*network, "sh", "-c", _IN_ITS_NETWORK, "sh", sys.executable, str(Path(__file__)), str(nodes), str(cores)],
        cwd=folder,
        env=environment,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=errors,
        text=True,
        start_new_session=True,
    )
    try:
        yield RaySite(process, environment, folder)
    finally:
        assert process.stdin is not None
        process.stdin.close()
        try:
            process.wait(30)
        except subprocess.TimeoutExpired:
            process.kill()
        for pid in _with_variable("RAY_TMPDIR", short):
            os.kill(pid, signal.SIGKILL)
        errors.close()
        shutil.rmtree(short, ignore_errors=True)


def until(condition: Callable[[], Any], what: str, within_s: float = 300) -> Any:
    """What ``condition`` returns, once it is true."""
    end = time.monotonic() + within_s
    while not (found := condition()):
        assert time.monotonic() < end, f"not within {within_s} s: {what}"
        time.sleep(0.05)
    return found


def alive(pids: Iterable[int]) -> set[int]:
    """Those of ``pids`` that have not ended."""
    return {pid for pid in pids if _state(pid) not in {"", "Z"}}


def _state(pid: int) -> str:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    except OSError:
        return ""


def _parent(pid: int) -> int:
    try:
        return int(Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[1])
    except OSError:
        return 0


def _command(pid: int) -> str:
    try:
        return Path(f"/proc/{pid}/cmdline").read_bytes().replace(b"\0", b" ").decode(errors="replace")
    except OSError:
        return ""


def _with_variable(name: str, value: str) -> list[int]:
    """Processes, other than this one, whose environment has it."""
    wanted = f"{name}={value}".encode()
    found = []
    for path in Path("/proc").glob("[0-9]*/environ"):
        pid = int(path.parent.name)
        try:
            if pid != os.getpid() and wanted in path.read_bytes().split(b"\0"):
                found.append(pid)
        except OSError:
            continue
    return sorted(found)


def main(nodes: int, cores: int) -> None:
    """Be the cluster."""
    answers = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)
    from ray.cluster_utils import Cluster

    usual = {"object_store_memory": 80 * 2**20, "include_dashboard": False}
    cluster = Cluster(initialize_head=True, head_node_args={**usual, "num_cpus": 0, "memory": 2**20})
    placed = {}

    def add() -> dict[str, Any]:
        node = cluster.add_node(num_cpus=cores, memory=16 * 2**30, object_store_memory=80 * 2**20)
        placed[node.node_id] = node
        return {"node": node.node_id}

    def tell(answer: dict[str, Any]) -> None:
        print(json.dumps(answer), file=answers, flush=True)

    for _ in range(nodes):
        add()
    tell({"address": cluster.address})
    for line in sys.stdin:
        request = json.loads(line)
        if request["do"] == "add":
            tell(add())
        elif request["do"] == "kill":
            cluster.remove_node(placed.pop(request["node"]), allow_graceful=False)
            tell({})
        else:
            raylets = {name: node.all_processes["raylet"][0].process.pid for name, node in placed.items()}
            tell({"nodes": raylets})
    cluster.shutdown()


if __name__ == "__main__":
    main(int(sys.argv[1]), int(sys.argv[2]))
