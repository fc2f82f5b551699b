"""What tests against programs of others share. `make integration` runs them; nothing else collects them."""

from __future__ import annotations

import contextlib
import os
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from pytest_netbench.backends.kube.binaries import OWN_VARIABLE, Binaries
from pytest_netbench.errors import RequirementMissing
from tests.integration import clusters
from tests.integration.clusters import Kubectl
from tests.integration.containerlab import Site
from tests.integration.engine import Engine, engine_of_this_machine
from tests.integration.images import frr_image, netbench_image
from tests.integration.inspect_site import PROGRAM as INSPECT
from tests.integration.inspect_site import Site as InspectSite
from tests.integration.inspect_site import site_of
from tests.integration.kube import binaries_of_this_machine
from tests.integration.order import Groups, arrange
from tests.integration.preparing import beside, wanted
from tests.labs.ssh import conftest as of_ssh
from tests.support.programs import NotToBeHad, Program, obtained

served = of_ssh.served
Obtain = Callable[[Program], Path]
FOLDER = Path(__file__).parent
MADE = pytest.StashKey[contextlib.ExitStack]()


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Begin with what needs little built."""
    arrange(items, FOLDER)


def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> Groups | None:
    """Keep together what shares a server, if groups are asked for."""
    return Groups(config, log) if config.getoption("dist") == "loadgroup" else None


def pytest_collection_finish(session: pytest.Session) -> None:
    """Begin to make what the tests need. Each worker does, as any may end first; all but one wait for what is made."""
    config = session.config
    if config.option.collectonly:
        return
    names = wanted([item for item in session.items if item.path.is_relative_to(FOLDER)])
    # the processes write past the capture
    with config.pluginmanager.getplugin("capturemanager").global_and_fixture_disabled():
        config.stash[MADE] = contextlib.ExitStack()
        config.stash[MADE].enter_context(beside(names))


def pytest_sessionfinish(session: pytest.Session) -> None:
    """End what is still made."""
    session.config.stash.get(MADE, contextlib.ExitStack()).close()


class Running:
    """Names the tests that had not ended when a run was interrupted."""

    def __init__(self) -> None:
        self._nodeids: list[str] = []

    def pytest_runtest_logstart(self, nodeid: str) -> None:
        """Note a test."""
        self._nodeids.append(nodeid)

    def pytest_runtest_logfinish(self, nodeid: str) -> None:
        """Forget it."""
        self._nodeids.remove(nodeid)

    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter, exitstatus: pytest.ExitCode) -> None:
        """Name those that are left."""
        if exitstatus == pytest.ExitCode.INTERRUPTED:
            for nodeid in self._nodeids:
                terminalreporter.write_line(f"did not end: {nodeid}")


def pytest_configure(config: pytest.Config) -> None:
    """Watch the tests, where they are shown."""
    config.pluginmanager.register(Running(), "netbench-integration-running")


@pytest.fixture(scope="session")
def say(request: pytest.FixtureRequest) -> Callable[[str], None]:
    """Print a line of progress past the capture."""
    began = time.monotonic()
    manager = request.config.pluginmanager
    capture, terminal = manager.getplugin("capturemanager"), manager.getplugin("terminalreporter")

    def _say(text: str) -> None:
        line = f"integration {time.monotonic() - began:4.0f} s  {text}"
        with capture.global_and_fixture_disabled():
            if hasattr(request.config, "workerinput"):  # what a worker of xdist prints is not shown
                os.write(2, f"{line}\n".encode())
            else:
                terminal.ensure_newline()
                terminal.write_line(line)

    return _say


@pytest.fixture(scope="session")
def obtain(say: Callable[[str], None]) -> Obtain:
    """The folder of a program; skips with the reason where this machine cannot have it."""

    def _obtain(program: Program) -> Path:
        try:
            return obtained(program, say=say)
        except NotToBeHad as error:
            pytest.skip(str(error))

    return _obtain


@pytest.fixture(scope="session")
def binaries(say: Callable[[str], None]) -> Iterator[Binaries]:
    """The programs of a control plane of Kubernetes, which are built where they cannot be fetched.

    Backend ``kube`` and what is started meanwhile find them, too.
    """
    try:
        found = binaries_of_this_machine(say=say)
    except RequirementMissing as missing:
        pytest.skip(str(missing))
    with pytest.MonkeyPatch.context() as patch:
        if found.folder is not None:
            patch.setenv(OWN_VARIABLE, str(found.folder))
        yield found


@pytest.fixture(scope="module")
def shop(binaries: Binaries) -> Iterator[Any]:
    """A small cluster of all tests of a file; agents may change it all the time."""
    with clusters.running() as lab:
        yield lab


@pytest.fixture(scope="module")
def kubeconfig(shop: Any, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """With which an agent's clients log in to ``shop``."""
    with clusters.logged_in(shop, tmp_path_factory.mktemp("login")) as path:
        yield path


@pytest.fixture(scope="module")
def kubectl(binaries: Binaries, kubeconfig: Path) -> Kubectl:
    """That of the server's release, logged in to ``shop``."""
    return Kubectl(binaries.kubectl, kubeconfig)


@pytest.fixture(scope="session")
def docker(say: Callable[[str], None], tmp_path_factory: pytest.TempPathFactory) -> Iterator[Engine]:
    """A Docker engine: the one that runs, or one that ends with the tests."""
    try:
        with engine_of_this_machine(tmp_path_factory.mktemp("docker"), say=say) as engine:
            yield engine
    except NotToBeHad as error:
        pytest.skip(str(error))


@pytest.fixture(scope="session")
def image(docker: Engine, say: Callable[[str], None]) -> Iterator[str]:
    """The image of containers, which goes when no test needs it any more."""
    try:
        name = frr_image(docker, say=say)
    except NotToBeHad as error:
        pytest.skip(str(error))
    yield name
    docker.run("rmi", "-f", name)


@pytest.fixture(scope="session")
def netbench(docker: Engine, say: Callable[[str], None]) -> Iterator[str]:
    """The container image of this checkout; beside it is that of agents, with ``-agent`` at its end."""
    try:
        name = netbench_image(docker, say=say)
    except NotToBeHad as error:
        pytest.skip(str(error))
    yield name
    if not docker.keeps_images:
        docker.run("rmi", "-f", name, f"{name}-agent")


@pytest.fixture(scope="session")
def site(docker: Engine, image: str, tmp_path_factory: pytest.TempPathFactory) -> Site:
    """Where labs of containerlab are deployed."""
    return Site(docker, tmp_path_factory.mktemp("containerlab"), image)


@pytest.fixture(scope="session")
def inspect_environment(obtain: Obtain, tmp_path_factory: pytest.TempPathFactory) -> InspectSite:
    """Inspect, with this checkout's wheel."""
    return site_of(obtain(INSPECT), tmp_path_factory.mktemp("inspect"))


@pytest.fixture
def inspect_site(inspect_environment: InspectSite, tmp_path: Path) -> InspectSite:
    """Inspect, in a folder of the test's own."""
    return InspectSite(inspect_environment.python, tmp_path)
