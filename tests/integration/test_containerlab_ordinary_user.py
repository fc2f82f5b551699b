"""Labs of the real containerlab, of a user who is not root and may use the engine's socket."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
import sysconfig
import tempfile
import time
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

from tests.integration.containerlab import NEEDED, NOTHING, QUIET, ROOT, TASK, Site
from tests.integration.engine import Engine
from tests.integration.test_containerlab import PROGRAM
from tests.integration.test_containerlab_links import PROGRAM as LINKS
from tests.integration.test_containerlab_links import held

pytestmark = NEEDED

USER, GROUP = 61_234, 61_235


class OrdinarySite(Site):
    """A site of an ordinary user, in the group of the engine's socket.

    Folders that others may not enter are bound to a public place, where the engine's containers see them too.

    Args:
        engine: The engine.
        folder: Public; on a file system whose SUID programs have their rights.
        image: Of all nodes.
        undo: Takes the bindings away.
    """

    def __init__(self, engine: Engine, folder: Path, image: str, undo: ExitStack) -> None:
        self._undo = undo
        home = folder / "home"
        home.mkdir()
        super().__init__(engine, home, image)
        os.chown(home, USER, USER)
        programs = folder / "bin"
        programs.mkdir()
        found = shutil.which("containerlab")
        assert found is not None
        Path(shutil.copy(found, programs / "containerlab")).chmod(0o4755)
        own_python = Path(sys.base_prefix)
        imports = Path(sysconfig.get_paths()["purelib"])
        self._groups = {GROUP}
        self.root, self.imports, python = (
            self._public(one, folder / f"bound-{number}") for number, one in enumerate((ROOT, imports, own_python))
        )
        self._python = python / Path(sys.executable).resolve().relative_to(own_python.resolve())
        self.environment = {
            "HOME": str(home),
            "PATH": f"{programs}:/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin",
            "NETBENCH_KINDS": self.environment["NETBENCH_KINDS"],
            "XDG_STATE_HOME": str(home / "state"),
            "PYTHONPATH": f"{self.root}:{self.imports}",
            "PYTHONDONTWRITEBYTECODE": "1",
            **self._socket(folder / "engine.sock"),
        }

    def _public(self, folder: Path, place: Path) -> Path:
        if all(one.stat().st_mode & 0o005 == 0o005 for one in (folder, *folder.parents)):
            return folder
        place.mkdir()
        self._bind(folder, place)
        return place

    def _bind(self, source: Path, place: Path) -> None:
        def call(*words: str | Path) -> None:
            subprocess.run([*self.engine.enter, *map(str, words)], check=True)

        call("mount", "--bind", source, place)
        self._undo.callback(call, "umount", "--lazy", place)

    def _socket(self, place: Path) -> dict[str, str]:
        """The engine's address for this user, who is in the group of its socket."""
        if self.engine.address is None:
            self._groups.add(Path("/var/run/docker.sock").stat().st_gid)
            return {}
        socket = Path(self.engine.address.removeprefix("unix://"))
        os.chown(socket, -1, GROUP)
        socket.chmod(0o660)
        place.touch()
        self._bind(socket, place)
        return {"DOCKER_HOST": f"unix://{place}"}

    def start(self, *words: str) -> subprocess.Popen[str]:
        groups = ",".join(map(str, sorted(self._groups)))
        become = ["setpriv", f"--reuid={USER}", f"--regid={USER}", f"--groups={groups}", "--inh-caps=-all", "--"]
        return subprocess.Popen(
            [*self.engine.enter, *become, "env", "-C", str(self.root), str(self._python), *words],
            env=self.environment,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            start_new_session=True,
        )

    def left(self) -> dict[str, list[str]]:
        """What there is of labs, helpers among it."""
        found = super().left()
        helpers = self.engine.run("ps", "-aq", "--filter", "label=netbench-lab").split()
        return found | {"containers": sorted({*found["containers"], *helpers})}


@pytest.fixture(scope="module")
def site(docker: Engine, image: str) -> Iterator[OrdinarySite]:
    with tempfile.TemporaryDirectory(prefix="netbench-user-", dir="/var/tmp") as name, ExitStack() as undo:
        folder = Path(name)
        folder.chmod(0o755)
        if os.statvfs(folder).f_flag & os.ST_NOSUID:
            pytest.skip(f"{folder.parent} is mounted nosuid")
        yield OrdinarySite(docker, folder, image, undo)
    docker.run("rmi", "-f", "netbench-helper:1", check=False)


def test_doctor_says_that_labs_can_run_and_what_an_ordinary_user_lacks(site: OrdinarySite) -> None:
    doctor = ("-m", "pytest_netbench.cli", "doctor", "--backend", "containerlab")
    shown = site.run(*doctor)
    assert "an ordinary user; containers are entered by a container with root's rights" in shown
    assert "labs can run here" in shown
    program = Path(site.environment["PATH"].split(":")[0]) / "containerlab"
    program.chmod(0o755)
    try:
        shown = site.run(*doctor)
    finally:
        program.chmod(0o4755)
    assert "is no SUID binary of root" in shown
    assert "labs cannot run here" in shown


def test_a_shipped_task_has_the_verdicts_that_it_has_on_namespaces(site: OrdinarySite) -> None:
    shown, results = site.pytest(TASK, "--agent=oracle", "--agent=nop")
    by_agent = {one["agent"]["id"]: one for one in results}
    assert by_agent["oracle"]["status"] == "passed", shown
    assert by_agent["nop"]["status"] == "failed", shown
    assert {one["environment"]["backend"] for one in results} == {"containerlab"}
    assert all("vtysh" in one["environment"]["isolation"]["read_only"] for one in results)
    assert site.left() == NOTHING


def test_commands_of_agents_have_no_more_rights_than_they_have_with_root(site: OrdinarySite) -> None:
    site.environment["SECRET_KEY"] = "sk-outside"
    shown = site.run("-c", PROGRAM, TASK)
    said = json.loads(next((line for line in shown.splitlines() if line.startswith("{")), shown))
    assert int(said["who"][1].split()[0]) > 65536
    assert said["who"][1].endswith("CapEff:\t0000000000000000\n")
    assert said["files"][1].count("cannot touch") == 4
    assert "No such file" in said["files"][1]
    assert "not permitted" in said["links"][1]
    assert "table ip seen" in said["listing"][1]
    assert "listings only" in said["flush"][1]
    assert int(said["others"][1].split()[0]) < 10
    assert "203.0.113.77" in said["change"][1]
    assert said["who changes"][1].endswith("CapEff:\t0000000000003400\n")
    assert said["machine"][1].count("cannot create") == 2
    assert said["namespaces"][1].count("not permitted") == 2
    assert "sk-outside" not in said["home"][1]
    assert said["group"][1] == said["first"][1]
    assert site.left() == NOTHING


def test_links_are_shaped_and_cut_for_an_ordinary_user_too(site: OrdinarySite) -> None:
    held(site.run("-c", LINKS))
    assert site.left() == NOTHING


def test_what_a_killed_run_leaves_is_removed_by_clean(site: OrdinarySite) -> None:
    results = f"--netbench-results={site.folder / 'killed'}"
    process = site.start("-m", "pytest", *QUIET, TASK, "--agent=nop", "--netbench-backend=containerlab", results)
    ends_at = time.monotonic() + 60
    while not site.left()["containers"] and time.monotonic() < ends_at:
        time.sleep(0.05)
    os.killpg(process.pid, signal.SIGKILL)
    process.wait()
    assert site.left()["folders"]
    shown = site.run("-m", "pytest_netbench.cli", "clean")
    assert "containerlab: removed netbench-nat-port-forward" in shown
    assert site.left() == NOTHING
