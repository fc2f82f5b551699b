"""Random lines typed on a real router and a real switch: the node accepts every compiled state."""

from __future__ import annotations

import time
from typing import Any

import pytest

from pytest_netbench.platforms.cisco_ios.device.device import Device
from pytest_netbench.platforms.cisco_ios.session import startup
from pytest_netbench.platforms.cisco_ios.session.session import Session
from tests.support.ios import ios_task
from tests.support.ios_fuzz import Fuzz

_LINES, _CHUNK, _ASKED, _COMMIT_S = 3000, 60, 6, 5.0
_SEEDS = (1, 2)


@pytest.fixture(scope="module")
def lab(deploy_task: Any) -> Any:
    links = ["R1 Gi0/0 - R2 Gi0/0", "R1 Gi0/1 - S1 Gi0/1", "R2 Gi0/1 - S1 Gi0/2"]
    return deploy_task(ios_task({"R1": "", "R2": "", "S1": ""}, links, roles={"S1": "switch"}))


@pytest.mark.parametrize("node", ["R1", "S1"])
@pytest.mark.parametrize("seed", _SEEDS)
def test_a_node_takes_whatever_random_lines_ask_of_it(lab: Any, node: str, seed: int) -> None:
    device: Device = lab.nodes[node].memory["cisco_ios"]
    device.startup_config = ""
    startup.reload(device)
    fuzz = Fuzz(device.grammar, seed=seed, role=device.role)
    for at in range(0, _LINES, _CHUNK):
        where = f"{node}, seed {seed}, lines {at}-{at + _CHUNK}"
        session = Session(device)
        session.enter("configure terminal")
        typed = _typed(fuzz, session)
        began = time.monotonic()
        device.commit()
        took = time.monotonic() - began
        assert device.problems == [], f"{where}, lines typed: {typed}"
        assert took < _COMMIT_S, f"{where}: applying took {took:.1f} s, lines typed: {typed}"
        for line in fuzz.asked(_ASKED):
            _ask(Session(device), line, where)
    _reload(device, f"{node}, seed {seed}")


def _typed(fuzz: Fuzz, session: Session) -> list[str]:
    typed = []
    for line in fuzz.lines(_CHUNK, lambda: session.mode):
        # applied once, behind the last line: a line that leaves the config modes applies all at once
        if not session.collecting and (session.mode == "exec" or line.split()[:1] in (["do"], ["end"], ["exit"])):
            continue
        typed.append(line)
        session.enter(line)
    return typed


def _ask(session: Session, line: str, where: str) -> None:
    try:
        session.enter(line)
    except Exception as error:
        raise AssertionError(f"{where}: {line!r} raised {error!r}") from error


def _reload(device: Device, where: str) -> None:
    text = device.running_config()
    device.startup_config = text
    startup.reload(device)
    assert device.problems == [], f"{where}, after a reload"
    assert device.running_config() == text, f"{where}, after a reload"
