"""Programs that tests need, made beside those tests that do not need them.

``python -m tests.integration.preparing MODULE:NAME…`` makes them one after the other; ``obtain`` waits for one that is
being made.
"""

from __future__ import annotations

import contextlib
import importlib
import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from itertools import groupby
from typing import Final

import pytest

from pytest_netbench.errors import RequirementMissing
from pytest_netbench.kernel.syscalls import die_with_parent
from tests.integration import images, inspect_site, kube
from tests.support.programs import NotToBeHad, Program, obtained

KUBERNETES: Final = "kubernetes"
"""Its programs are installed by the package itself, and are no ``Program``."""
OF_FIXTURES: Final = {
    "binaries": (KUBERNETES,),
    "inspect_environment": (f"{inspect_site.__name__}:PROGRAM",),
    "netbench": (f"{images.__name__}:CONTAINER_BASE", f"{images.__name__}:CONTAINER_WHEELS"),
}
"""What fixtures of several modules need; a module's own programs are found in it."""
_NICER: Final = 10
_END_S: Final = 20


def wanted(items: Sequence[pytest.Item]) -> list[str]:
    """What tests need, in the order of the tests, without those that this machine skips for want of Docker."""
    found = dict[str, None]()
    for module, tests in groupby(items, key=lambda item: getattr(item, "module", None)):
        fixtures = [set(getattr(item, "fixturenames", ())) for item in tests]
        names = {name for each in fixtures if "docker" not in each or shutil.which("dockerd") for name in each}
        own = [key for key, one in vars(module).items() if isinstance(one, Program)] if "obtain" in names else []
        found |= dict.fromkeys(f"{getattr(module, '__name__', '')}:{key}" for key in own)
        found |= dict.fromkeys(one for name in OF_FIXTURES if name in names for one in OF_FIXTURES[name])
    return list(found)


def lanes(names: Sequence[str]) -> list[list[str]]:
    """What is compiled, and what is mostly loaded: one of each at a time."""
    compiled = [name for name in names if name == KUBERNETES or "go" in _program(name).needs]
    return [lane for lane in (compiled, [name for name in names if name not in compiled]) if lane]


@contextlib.contextmanager
def beside(names: Sequence[str]) -> Iterator[None]:
    """Make programs during the block; what is not made at its end is ended."""
    argv = (sys.executable, "-m", __name__)
    processes = [subprocess.Popen([*argv, *lane], cwd=images.ROOT, stdin=subprocess.DEVNULL) for lane in lanes(names)]
    try:
        yield
    finally:
        for process in processes:
            process.send_signal(signal.SIGINT)
        for process in processes:
            try:
                process.wait(_END_S)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()


def make(name: str) -> None:
    """Make one, or say why it cannot be made; its tests then find the same."""
    try:
        if name == KUBERNETES:
            kube.binaries_of_this_machine(say=_say)
        else:
            obtained(_program(name), say=_say)
    except (NotToBeHad, RequirementMissing) as error:
        _say(str(error))


def _program(name: str) -> Program:
    module, _, attribute = name.partition(":")
    program = getattr(importlib.import_module(module), attribute)
    assert isinstance(program, Program)
    return program


def _say(text: str) -> None:
    print(f"beside the tests, after {time.monotonic() - _BEGAN:.0f} s: {text}", file=sys.stderr, flush=True)


_BEGAN: Final = time.monotonic()

if __name__ == "__main__":
    # a shell starts background jobs with interrupts ignored
    signal.signal(signal.SIGINT, signal.default_int_handler)
    die_with_parent()
    os.nice(_NICER)
    with contextlib.suppress(KeyboardInterrupt):
        for each in sys.argv[1:]:
            make(each)
