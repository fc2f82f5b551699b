"""What is left when containerlab or the engine are killed in the middle: a clear error, and nothing of ours."""

from __future__ import annotations

import os
import signal
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from pytest_netbench.deadline import poll
from tests.integration.containerlab import NEEDED, NOTHING, QUIET, TASK, Site
from tests.integration.engine import engine_of_its_own
from tests.integration.images import frr_image
from tests.support.programs import NotToBeHad

pytestmark = NEEDED


def awaited(look: Callable[[], Any], what: str) -> Any:
    found = poll(look, until=bool, within_s=60, pause_s=0.02)
    assert found, what
    return found


def below(pid: int) -> Iterator[int]:
    """The processes below one."""
    try:
        children = [path.read_text().split() for path in Path(f"/proc/{pid}/task").glob("*/children")]
    except OSError:
        return
    for child in (int(word) for words in children for word in words):
        yield child
        yield from below(child)


def running(program: str, *, under: int) -> list[int]:
    found = []
    for pid in below(under):
        try:
            if Path(f"/proc/{pid}/comm").read_text().strip() == program:
                found.append(pid)
        except OSError:
            continue
    return found


def test_a_containerlab_that_is_killed_in_the_middle_of_a_deploy_is_an_error_and_leaves_nothing(site: Site) -> None:
    process = site.start(
        *("-m", "pytest", *QUIET, TASK, "--agent=oracle", "--netbench-backend=containerlab"),
        f"--netbench-results={site.folder / 'killed-deploy'}",
    )
    awaited(lambda: site.left()["containers"], "no container was begun")
    for pid in awaited(lambda: running("containerlab", under=process.pid), "containerlab does not run"):
        os.kill(pid, signal.SIGKILL)
    shown, _ = process.communicate(timeout=120)
    assert "containerlab deploy was killed by signal 9" in shown
    assert "1 error" in shown
    assert site.left() == NOTHING


@pytest.fixture
def own_site(say: Any, tmp_path: Path) -> Iterator[Site]:
    """With an engine that no other test uses."""
    try:
        with engine_of_its_own(tmp_path, say=say) as engine:
            (tmp_path / "site").mkdir()
            yield Site(engine, tmp_path / "site", frr_image(engine, say=say))
    except NotToBeHad as error:
        pytest.skip(str(error))


TWO_HOSTS = """
task_name: An address
intents: a and b reach each other as 10.0.0.1 and 10.0.0.2
platform: linux
topology:
  nodes: [a, {name: b, control: observed}]
  links: [a eth0 <-> b eth0]
startup_configs:
  b: ip address add 10.0.0.2/24 dev eth0
ground_truth_configs:
  a: ip address add 10.0.0.1/24 dev eth0
testcases:
  - {name: they reach each other, kind: reachability, from: a, to: b}
"""
WAITS = """
import time
from pathlib import Path
from pytest_netbench.model.trial import AgentInfo, Submission

class Waits:
    info = AgentInfo(id="waits", strategy="waits")

    def run(self, brief, ani):
        folder = Path(__file__).parent
        (folder / "begun").touch()
        while not (folder / "go-on").exists():
            time.sleep(0.05)
        ani.update_cfg("a", ["ip address add 10.0.0.1/24 dev eth0"])
        return Submission(reasoning="none")
"""


class Trial:
    """A trial whose agent waits until it may go on."""

    def __init__(self, site: Site) -> None:
        self._folder = site.folder
        (site.folder / "waits.py").write_text(WAITS)
        task = site.folder / "two-hosts.task.yaml"
        task.write_text(TWO_HOSTS)
        site.environment["PYTHONPATH"] += f":{site.folder}"
        self._process = site.start(
            *("-m", "pytest", *QUIET, str(task), "--agent=waits:Waits", "--netbench-backend=containerlab"),
            f"--netbench-results={site.folder / 'results'}",
        )
        awaited(lambda: (site.folder / "begun").exists() or self._process.poll() is not None, "the agent did not begin")

    def ended(self) -> str:
        """What the rest of it printed."""
        (self._folder / "go-on").touch()
        return self._process.communicate(timeout=400)[0]


def test_an_engine_that_is_killed_and_comes_back_in_a_trial_makes_it_an_error_and_leaves_nothing(
    own_site: Site,
) -> None:
    trial = Trial(own_site)
    with own_site.engine.killed():
        pass
    shown = trial.ended()
    assert "the container has ended" in shown
    assert "infrastructure errors, not scored: 1" in shown
    own_site.run("-m", "pytest_netbench.cli", "clean")
    assert own_site.left() == NOTHING


def test_a_trial_that_outlives_its_engine_is_scored_and_says_that_its_lab_is_left(own_site: Site) -> None:
    trial = Trial(own_site)
    with own_site.engine.killed():
        shown = trial.ended()
    assert "1 passed" in shown
    assert "the lab could not be cleaned up (fix: netbench clean)" in shown
    assert own_site.left()["folders"]
    assert "removed netbench-two-hosts" in own_site.run("-m", "pytest_netbench.cli", "clean")
    assert own_site.left() == NOTHING
