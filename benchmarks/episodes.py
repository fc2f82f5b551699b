"""Many episodes in one process, by a scripted policy: ``python benchmarks/episodes.py [--episodes N] [--task SPEC …]``.

The policy looks once and then sends the reference solution. Each row has the rate so far, and what the process holds
between two episodes: descriptors, threads, processes below it, namespaces of these, and memory. A leak shows as a
difference between the rows.
"""

from __future__ import annotations

import argparse
import os
import sys
import time
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

sys.path.insert(0, str(Path.cwd()))

from benchmarks.measure import table
from pytest_netbench import Episode
from pytest_netbench.errors import InfrastructureError
from tests.support.host import below, descriptors, status
from tests.support.scripted import look, solving

TASKS = ("repair-routing:level=1-3,seed=7", "plan:level=1-3,seed=7")
ENDING_S = 0.5
"""Wall seconds in which the last lab ends: it is removed in the background."""
KINDS = ("user", "pid", "net", "mnt", "uts", "ipc")
Row = tuple[str, str, str, str]


@dataclass(frozen=True)
class Held:
    """What this process holds."""

    descriptors: int
    threads: int
    processes: int
    namespaces: int
    rss_mb: float

    @classmethod
    def now(cls) -> Held:
        time.sleep(ENDING_S)
        own = os.getpid()
        pids = [own, *below(own)]
        return cls(
            descriptors=len(descriptors(own)),
            threads=int(status(own)["Threads"]),
            processes=len(pids) - 1,
            namespaces=len({name for pid in pids for name in namespaces(pid)}),
            rss_mb=int(status(own)["VmRSS"].split()[0]) / 1024,
        )

    def __str__(self) -> str:
        return (
            f"{self.descriptors} fd, {self.threads} threads, {self.processes} processes, {self.namespaces} namespaces,"
            f" {self.rss_mb:.1f} MB"
        )


def namespaces(pid: int) -> list[str]:
    """The namespaces of a process."""
    found = []
    for kind in KINDS:
        try:
            found.append(str(Path(f"/proc/{pid}/ns/{kind}").readlink()))
        except OSError:
            continue
    return found


def play(episode: Episode) -> tuple[float, str]:
    """Play one episode; return the sum of its rewards, and its verdict."""
    episode.reset()
    first = [] if not episode.task.has_network else [look("r0", "ip route")]
    total, verdict = 0.0, "not over"
    for action in (*first, *solving(episode.task)):
        _, reward, _, turn = episode.act(action)
        total += reward
        verdict = turn.result.status if turn.result is not None else verdict
    return total, verdict


def run(task: str, episodes: int, marks: Sequence[int]) -> list[Row]:
    """Play ``episodes`` episodes; one row for each of ``marks`` and for the end."""
    rows: list[Row] = []
    ends: Counter[str] = Counter()
    rewards: Counter[float] = Counter()
    with Episode(task) as episode:
        began = time.monotonic()
        for number in range(1, episodes + 1):
            try:
                reward, verdict = play(episode)
            except InfrastructureError as error:
                print(f"{episode.task.slug}: {error}", file=sys.stderr)
                reward, verdict = 0.0, "error"
            ends[verdict] += 1
            rewards[reward] += 1
            if number in {*marks, episodes}:
                rate = number / (time.monotonic() - began)
                rows.append((f"{task.partition(':')[0]}: {number} episodes", f"{rate:.2f}/s", "", str(Held.now())))
                print(*rows[-1], file=sys.stderr, flush=True)
    rows.append(("", "", "", f"verdicts {dict(ends)}; rewards {dict(sorted(rewards.items()))}"))
    return rows


def main() -> None:
    """Run all series."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--episodes", type=int, default=1000)
    parser.add_argument("--task", action="append", help="a generator with its parameters; may be repeated")
    chosen = parser.parse_args()
    for task in chosen.task or TASKS:
        table(task, run(task, chosen.episodes, (10, 100, 200, chosen.episodes // 2)))


if __name__ == "__main__":
    main()
