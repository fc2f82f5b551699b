"""Episodes on a Ray cluster, run by pytest beside it (``test_ray.py``): RAY_TEST_ADDRESS says where it is."""

from __future__ import annotations

import json
import os
import signal
from pathlib import Path

import pytest

from pytest_netbench.errors import UsageError
from pytest_netbench.gymnasium import NetbenchEnv, VectorEpisode
from tests.integration.ray_site import until
from tests.support.host import Lab, command_line
from tests.support.scripted import look, submit

ADDRESS = os.environ["RAY_TEST_ADDRESS"]
DRAWN = "repair-routing:level=1,subnets=2,hosts=1"
LOOK, SUBMIT = json.dumps(look("r0", "ip route")), json.dumps(submit())


def players() -> list[int]:
    """The processes of episodes, in the order of their start."""
    found = [int(path.name) for path in Path("/proc").glob("[0-9]*")]
    return sorted(pid for pid in found if command_line(pid).startswith(b"ray::Player"))


def test_episodes_on_nodes_are_those_of_this_machine_and_what_breaks_is_alone() -> None:
    with NetbenchEnv(DRAWN) as env:
        alone = [env.reset(seed=seed)[0] for seed in (11, 12)]
    with VectorEpisode(DRAWN, n=2, ray=ADDRESS, reward=lambda turn: turn.number + 0.5) as vector:
        assert list(vector.reset(seed=11)[0]) == alone
        _, rewards, terminated, _, infos = vector.step([LOOK, SUBMIT])
        assert (rewards.tolist(), terminated.tolist()) == ([1.5, 1.5], [False, True])
        assert infos["status"][1] == "failed"
        vector.reset(seed=11)
        victim = players()[1]
        lab = Lab.of(victim)
        os.kill(victim, signal.SIGKILL)
        _, rewards, _, truncated, infos = vector.step([LOOK, LOOK])
        assert sorted(truncated.tolist()) == [False, True], infos
        broken = truncated.tolist().index(True)
        assert infos["error"][broken].startswith("the process of this episode ended on its node: ")
        assert lab.left_after(10) == []
        *_, infos = vector.step([LOOK, LOOK])
        assert infos["task"][broken].startswith(f"repair-routing-s{11 + broken}-0001"), infos
        labs = [Lab.of(pid) for pid in players()]
        assert len(labs) == 2
    assert [one.left_after(10) for one in labs] == [[], []]
    until(lambda: not players(), "no process of an episode is left", within_s=20)


def test_more_episodes_than_cores_are_refused() -> None:
    with pytest.raises(UsageError, match=r"^n=4: the cluster has 3 cores, and each episode takes one$"):
        VectorEpisode(DRAWN, n=4, ray=ADDRESS)
