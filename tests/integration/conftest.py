"""What tests against programs of others share. `make integration` runs them; nothing else collects them."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from pytest_netbench.backends.kube.binaries import OWN_VARIABLE, Binaries
from pytest_netbench.errors import RequirementMissing
from tests.integration.containerlab import Site
from tests.integration.engine import Engine, engine_of_this_machine
from tests.integration.images import frr_image
from tests.integration.kube import binaries_of_this_machine
from tests.labs.ssh.conftest import served  # noqa: F401  (a fixture)
from tests.support.programs import NotToBeHad, Program, obtained

Obtain = Callable[[Program], Path]


@pytest.fixture(scope="session")
def say(request: pytest.FixtureRequest) -> Callable[[str], None]:
    """Print a line of progress past the capture."""
    began = time.monotonic()
    manager = request.config.pluginmanager
    capture, terminal = manager.getplugin("capturemanager"), manager.getplugin("terminalreporter")

    def _say(text: str) -> None:
        with capture.global_and_fixture_disabled():
            terminal.ensure_newline()
            terminal.write_line(f"integration {time.monotonic() - began:4.0f} s  {text}")

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
def site(docker: Engine, image: str, tmp_path_factory: pytest.TempPathFactory) -> Site:
    """Where labs of containerlab are deployed."""
    return Site(docker, tmp_path_factory.mktemp("containerlab"), image)
