"""What all tests share."""

from __future__ import annotations

import signal
from collections.abc import Generator
from pathlib import Path

import pytest
from hypothesis import settings

from tests.support.memory_parts import install
from tests.support.reasoning_extra import NOT_TO_BE_HAD
from tests.support.sampling import left_out, longest_first

pytest_plugins = ("pytester",)

# a shell starts background jobs with interrupts ignored; the tests, and the programs they interrupt, would inherit that
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)

# an example may wait for a processor on a busy machine
settings.register_profile("netbench", deadline=None)
settings.load_profile("netbench")

INTEGRATION = Path(__file__).parent / "integration"
LABS = tuple(Path(__file__).parent / name for name in ("labs", "end_to_end"))


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--require-backend",
        metavar="NAME",
        default=None,
        help="tests of real labs (tests/labs, tests/end_to_end) must run on this backend: one that is skipped fails",
    )


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """Leave out tests against programs of others, which install and build them, unless they are named."""
    asked = (config.invocation_params.dir / argument.partition("::")[0] for argument in config.args)
    if collection_path == INTEGRATION and not any(path.resolve().is_relative_to(INTEGRATION) for path in asked):
        return True
    return None


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leave out what the gate runs on other commits, and begin with what takes longest."""
    if others := left_out(items):
        config.hook.pytest_deselected(items=others)
        without = set(others)
        items[:] = longest_first([item for item in items if item not in without])


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """Fail a skipped test of labs: without its labs a green gate would show nothing."""
    report = yield
    required = item.config.getoption("--require-backend")
    if (
        required
        and report.skipped
        and not hasattr(report, "wasxfail")
        and any(item.path.is_relative_to(folder) for folder in LABS)
    ):
        assert isinstance(report.longrepr, tuple)
        reason = report.longrepr[2].removeprefix("Skipped: ")
        if not reason.startswith(NOT_TO_BE_HAD):
            report.outcome = "failed"
            report.longrepr = f"--require-backend {required}: {reason}"
    return report


@pytest.fixture
def memory_parts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Let the backend and the platform ``memory`` be found by name."""
    monkeypatch.syspath_prepend(install(tmp_path / "site"))
