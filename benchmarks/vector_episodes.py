"""Episodes a second of one lab and of several at once, by turns: ``python -m benchmarks.vector_episodes [--n N]``.

The policy looks once and submits. A round plays the same draws in one process and in ``N``; each round has its own
ratio, so that what else the machine does concerns both sides. With ``--kept`` the memory and the descriptors of the
processes are shown after each round: a leak is a difference between the rounds. Processes that start are not measured.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import time

from pytest_netbench import Episode
from pytest_netbench.gymnasium import VectorEpisode
from tests.support.host import below, command_line, descriptors, status
from tests.support.scripted import look, submit

ACTIONS = (look("r0", "ip route"), submit())


def alone(episode: Episode, seed: int, episodes: int) -> float:
    """Play by one process; return episodes a second."""
    began = time.monotonic()
    for number in range(episodes):
        episode.reset(seed=seed + number, index=0)
        for action in ACTIONS:
            episode.act(action)
    return episodes / (time.monotonic() - began)


def together(vector: VectorEpisode, seed: int, each: int) -> float:
    """Play by all processes, in step; return episodes a second."""
    began = time.monotonic()
    for number in range(each):
        vector.reset(seed=seed + number * vector.num_envs, options={"index": 0})
        for action in ACTIONS:
            _, _, terminated, _, _ = vector.step([json.dumps(action)] * vector.num_envs)
        assert terminated.all()
    return each * vector.num_envs / (time.monotonic() - began)


def kept() -> str:
    """What the processes of a vector hold."""
    pids = [pid for pid in below(os.getpid()) if b"gymnasium.worker" in command_line(pid)]
    memory = [int(status(pid)["VmRSS"].split()[0]) / 1024 for pid in pids]
    opened = [len(descriptors(pid)) for pid in pids]
    return f"{len(pids)} processes, at most {max(memory):.1f} MB and {max(opened)} descriptors each"


def main() -> None:
    """Play all rounds."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--task", default="repair-routing:level=1,subnets=2,hosts=2")
    parser.add_argument("--n", type=int, default=8)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--each", type=int, default=2, help="episodes of each process in a round")
    parser.add_argument("--kept", action="store_true")
    chosen = parser.parse_args()
    ratios = []
    with Episode(chosen.task) as episode, VectorEpisode(chosen.task, n=chosen.n) as vector:
        alone(episode, 1, 1)
        together(vector, 1, 1)
        for number in range(chosen.rounds):
            seed = 1000 * (number + 1)
            rates = [0.0, 0.0]
            for side in (0, 1) if number % 2 else (1, 0):
                rates[side] = (
                    together(vector, seed, chosen.each) if side else alone(episode, seed, chosen.n * chosen.each)
                )
            ratios.append(rates[1] / rates[0])
            load = os.getloadavg()[0]
            line = f"one {rates[0]:.2f}/s, {chosen.n} at once {rates[1]:.2f}/s, ratio {ratios[-1]:.2f}, load {load:.1f}"
            print(line + (f"; {kept()}" if chosen.kept else ""), flush=True)
    print(f"median ratio {statistics.median(ratios):.2f}, from {min(ratios):.2f} to {max(ratios):.2f}")


if __name__ == "__main__":
    main()
