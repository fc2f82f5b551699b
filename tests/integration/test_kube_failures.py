"""Parts of a cluster that fail: no trial is judged by what they left, neither the one under way nor a later one."""

from __future__ import annotations

import asyncio
import contextlib
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from pytest_netbench.agents.nop import Nop
from pytest_netbench.agents.oracle import Oracle
from pytest_netbench.backends.kube import waits
from pytest_netbench.backends.kube.binaries import Binaries
from pytest_netbench.backends.kube.control_plane import ControlPlane
from pytest_netbench.backends.kube.sharing import shared
from pytest_netbench.errors import AgentError, LabDied, LabError
from pytest_netbench.generators.series import read_series
from pytest_netbench.lab.kubernetes.client import POD
from pytest_netbench.model.repair import repair_of
from pytest_netbench.model.task import Task
from pytest_netbench.model.trial import Submission
from pytest_netbench.platforms.capabilities import PROGRAMS
from pytest_netbench.trial.stage import Stage
from tests.integration import clusters
from tests.integration.clusters import SPACE
from tests.integration.kube import create, deployment, dump, until
from tests.support import plane_owner
from tests.support.repair_trials import scores

WAITS = """\
import time
from pytest_netbench.model.trial import AgentInfo
class Waits:
    info = AgentInfo(id="waits", strategy="own")
    def run(self, brief, ani):
        ani.update_cfg("workstation", ["kubectl delete networkpolicy --all -n boutique"])
        open("works", "w").close()
        time.sleep(600)
"""
"""An agent in the middle of its work."""
COMPONENTS = ("etcd", "kube-apiserver", "kube-controller-manager", "kube-scheduler")


@pytest.fixture
def fresh(binaries: Binaries) -> dict[str, Any]:
    return without_identity(shared(binaries))


@pytest.fixture(scope="module")
def task(binaries: Binaries) -> Task:
    return read_series("repair-kubernetes:n=1,seed=1,applications=boutique,level=1,labels=RI").source(0).load()


def without_identity(plane: ControlPlane) -> dict[str, Any]:
    """The names of all objects; leases are those of servers, and events may tell what a slow one found at its start."""
    return {key: None for key in dump(plane) if "/leases " not in key and "/events " not in key}


def kill(plane: ControlPlane, component: str) -> None:
    os.kill(next(pid for pid, name in plane_owner.descendants(plane.pid).items() if name == component), signal.SIGKILL)


@pytest.mark.parametrize("component", COMPONENTS)
def test_a_component_that_dies_during_a_reset_ends_the_control_plane(
    binaries: Binaries, fresh: dict[str, Any], component: str
) -> None:
    plane = shared(binaries)
    create(plane.api, "/api/v1/namespaces", {"metadata": {"name": SPACE}})
    create(plane.api, f"/apis/apps/v1/namespaces/{SPACE}/deployments", deployment("front", replicas=9))
    with plane._etcd_lock:  # so long the reset does nothing
        plane.reset_beside()
        kill(plane, component)
    another = shared(binaries)
    assert another is not plane
    assert without_identity(another) == fresh


@pytest.mark.filterwarnings("ignore::pytest.PytestUnhandledThreadExceptionWarning")
def test_a_step_of_a_reset_that_raises_ends_the_control_plane(binaries: Binaries, fresh: dict[str, Any]) -> None:
    plane = shared(binaries)
    create(plane.api, "/api/v1/namespaces", {"metadata": {"name": SPACE}})
    assert plane._snapshot is not None
    plane._snapshot._values.clear()  # what it has changed cannot be put back: KeyError
    merge = "application/merge-patch+json"
    plane.api.request("PATCH", "/api/v1/namespaces/default", {"metadata": {"labels": {"a": "b"}}}, kind=merge)
    plane.reset_beside()
    another = shared(binaries)
    assert another is not plane
    assert without_identity(another) == fresh


def test_what_is_written_after_a_reset_is_gone_before_the_next_cluster_begins(
    binaries: Binaries, fresh: dict[str, Any]
) -> None:
    with clusters.running():
        plane = shared(binaries)
    create(plane.api, "/api/v1/namespaces", {"metadata": {"name": SPACE}})
    create(plane.api, f"/apis/apps/v1/namespaces/{SPACE}/deployments", deployment("front", replicas=3))
    assert shared(binaries) is plane
    assert without_identity(plane) == fresh


def test_a_part_of_a_cluster_that_does_not_end_never_sees_the_next_one(
    binaries: Binaries, fresh: dict[str, Any]
) -> None:
    """It goes on writing objects through each of its ends, as a machine would."""
    written = []

    async def stubborn(api: Any) -> None:
        while True:
            with contextlib.suppress(LabError, asyncio.CancelledError, RuntimeError):
                name = f"late{len(written)}"
                written.append(name)
                await api.create({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": name}})
            with contextlib.suppress(asyncio.CancelledError):
                await asyncio.sleep(0.01)

    async def begin(api: Any) -> None:
        written_by.append(asyncio.create_task(stubborn(api)))

    written_by: list[Any] = []
    with clusters.running() as lab:
        lab._control.run(begin(lab._control._runtime.api))
        plane = shared(binaries)
    another = shared(binaries)
    assert written
    assert another is not plane
    assert without_identity(another) == fresh
    with clusters.running():
        pass


def test_a_removal_that_nobody_waits_for_any_more_does_not_remove_objects_of_the_next_cluster(
    binaries: Binaries,
) -> None:
    with clusters.running() as lab:
        plane = shared(binaries)

        def late() -> None:
            time.sleep(1.5)
            plane.remove(f"deployments/{SPACE}/")

        with pytest.raises(LabError, match="did not answer"):
            lab._control.run(asyncio.to_thread(late), timeout_s=0.05)
    with clusters.running():
        time.sleep(2)
        found = shared(binaries).api.json(f"/apis/apps/v1/namespaces/{SPACE}/deployments")["items"]
        assert len(found) == len(clusters.WORKLOADS)


def test_a_part_that_cannot_be_closed_leaves_the_others_closed(binaries: Binaries) -> None:
    async def broken() -> None:
        raise ValueError("it cannot be closed")

    lab = clusters.deployed()
    runtime = lab._control._runtime
    runtime._closing.push_async_callback(broken)
    plane = shared(binaries)
    with pytest.raises(ValueError, match="cannot be closed"):
        lab.destroy()
    lab.await_cleanup()
    assert not plane.alive
    assert not lab._control._loop._thread.is_alive()
    assert all(task.done() for worker in runtime.workers for task in worker._tasks)


def of_machine(name: str) -> Callable[[Any, ControlPlane], None]:
    """What follows something for a machine ends by an error that nobody thought of."""

    def fail(lab: Any, _: ControlPlane) -> None:
        worker = lab._control._runtime.workers[0]
        tasks = {task.get_coro().__qualname__: task for task in worker._tasks}
        lab._control._loop._loop.call_soon_threadsafe(tasks[name].cancel)

    return fail


FAILURES = {
    "enforcer": of_machine("Table.follow"),
    "view of a machine": of_machine("Store.follow"),
    "life of a machine": of_machine("Kubelet.stay_alive"),
    **{component: lambda _, plane, component=component: kill(plane, component) for component in COMPONENTS},
}


@pytest.mark.parametrize("fail", FAILURES.values(), ids=FAILURES)
def test_a_part_that_ends_while_an_agent_works_is_no_verdict(
    task: Task, binaries: Binaries, fail: Callable[[Any, ControlPlane], None]
) -> None:
    class Fails(Nop):
        def run(self, brief: Any, ani: Any) -> Any:
            fail(stage.lab, shared(binaries))
            return super().run(brief, ani)

    with Stage(task) as stage:
        stage.work(Fails())
        with pytest.raises(LabError) as caught:
            stage.evaluate()
    assert isinstance(caught.value, LabDied) or "does not answer" in str(caught.value)
    assert_nothing_done_is_judged_as_ever(task)


def test_rules_that_come_late_are_waited_for_before_anything_is_measured(
    task: Task, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(waits, "_BARRIERS_S", (0.5, 5.0))

    class Late(Oracle):
        def run_informed(self, task: Task, ani: Any) -> Any:
            workers = stage.lab._control._runtime.workers
            tables = [worker.tables["policies"] for worker in workers]
            call = stage.lab._control._loop._loop.call_soon_threadsafe
            for table in tables:
                call(table.hold)
            with contextlib.suppress(AgentError):  # kubectl fails, as nobody knows whether its change is in force
                super().run_informed(task, ani)
            for table in tables:
                threading.Timer(3.0, call, [table.release]).start()
            return Submission()

    with Stage(task) as stage:
        stage.work(Late())
        got = scores(stage.evaluate())
    assert (got["correctness"], got["safety"]) == (1.0, 1.0)


def test_programs_of_pods_that_are_killed_change_no_verdict(task: Task) -> None:
    class Kills(Nop):
        def run(self, brief: Any, ani: Any) -> Any:
            killed.extend(kill_programs(stage.lab))
            return super().run(brief, ani)

    killed: list[str] = []
    with Stage(task) as stage:
        stage.work(Kills())
        record = stage.evaluate()
    assert len(killed) >= 12
    assert record.watch is not None
    assert set(record.watch.wrong_after) == set(repair_of(task).symptom or ())
    assert_nothing_done_is_judged_as_ever(task)


@pytest.mark.usefixtures("binaries")
def test_nothing_is_left_of_a_run_that_is_killed_while_an_agent_works(tmp_path: Path) -> None:
    (tmp_path / "waits.py").write_text(WAITS)
    words = ("-q", "-p", "no:cacheprovider", "--agent=waits:Waits", f"--netbench-results={tmp_path / 'results'}")
    series = "repair-kubernetes:n=1,seed=1,applications=boutique,level=1,labels=RI"
    argv = (sys.executable, "-m", "pytest", *words, f"--netbench-generate={series}")
    env = {**os.environ, "PYTHONPATH": f"{tmp_path}:{Path(__file__).parents[2]}"}
    mounts = Path("/proc/mounts").read_text()
    with subprocess.Popen(argv, cwd=tmp_path, stdout=subprocess.DEVNULL, env=env) as run:
        until(lambda: (tmp_path / "works").exists() or run.poll() is not None, "the agent works")
        pids = plane_owner.descendants(run.pid)
        run.kill()
    assert {*COMPONENTS} <= {Path(name).name for name in pids.values()}
    until(lambda: not any(Path(f"/proc/{pid}").exists() for pid in pids), "all processes have ended")
    assert Path("/proc/mounts").read_text() == mounts


def kill_programs(lab: Any) -> Iterator[str]:
    runtime = lab._control._runtime
    for pod in runtime.view.objects(POD):
        run = runtime.run_of(pod)
        programs = run.slot.node.capability(PROGRAMS)
        for name in programs.running():
            assert programs.signal(name, signal.SIGKILL)
            yield name


def assert_nothing_done_is_judged_as_ever(task: Task) -> None:
    with Stage(task) as stage:
        stage.work(Nop())
        record = stage.evaluate()
    assert record.watch is not None
    assert set(record.watch.wrong_after) == set(repair_of(task).symptom or ())
