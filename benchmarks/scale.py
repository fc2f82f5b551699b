"""The figures of docs/explanation/scale.md: ``python -m benchmarks.scale [--labs SHAPE:SIZE,…] [--write]``.

Memory and processor time of labs by their size, and what a trial adds to that. ``--write`` puts the table
into the page.
"""

from __future__ import annotations

import argparse
import os
import pickle
import re
import resource
import sys
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

sys.path.insert(0, str(Path.cwd()))

from pytest_netbench import Draw, TrialSpec, execute
from pytest_netbench.results.store import ResultsDir
from pytest_netbench.trial import Stage
from tests.support.host import below

PAGE: Final = Path(__file__).parents[1] / "docs/explanation/scale.md"
BEGIN, END = "<!-- figures: begin -->", "<!-- figures: end -->"
SERIES: Final = "repair-network:shapes={shape},routings=ospf,platforms=frr,size={size},hosts=1,level=1,seed=7"
LABS: Final = "ring:1,ring:2,ring:3,isp:2,leaf-spine:2"
_ENDING_S: Final = 1.0
"""Wall seconds in which processes that are told to end have ended."""
_TICKS: Final = os.sysconf("SC_CLK_TCK")


@dataclass(frozen=True)
class Figures:
    """Of one size: nodes of the lab, and what its processes and a trial on it take.

    Attributes:
        lab: Shape and size.
        nodes: Routers and hosts.
        processes: Of the lab.
        memory_mb: Proportional set size of its processes.
        ready_s: Wall seconds until it was ready for an agent.
        ready_cpu_s: Processor seconds until then, of the lab and of this process.
        trial_s: Wall seconds of a trial by the oracle.
        trial_cpu_s: Processor seconds of it.
        result_kb: What it leaves on disk.
        sent_kb: What a worker sends back.
    """

    lab: str
    nodes: int
    processes: int
    memory_mb: float
    ready_s: float
    ready_cpu_s: float
    trial_s: float
    trial_cpu_s: float
    result_kb: float
    sent_kb: float


def measure(lab: str) -> Figures:
    """Deploy one lab, then run one trial."""
    shape, _, size = lab.partition(":")
    spec = TrialSpec(draw=Draw.read(SERIES.format(shape=shape, size=size)), agent="oracle")
    task = spec.load_task()
    before, began = _cpu_s(), time.monotonic()
    with Stage(task, spec.settings):
        ready_s = time.monotonic() - began
        ready_cpu_s = _cpu_s() - before
        pids = _kept_pids()
        memory_mb = sum(map(_proportional_mb, pids))
    time.sleep(_ENDING_S)
    before, began = _cpu_s(), time.monotonic()
    result = execute(spec)
    trial_s = time.monotonic() - began
    time.sleep(_ENDING_S)
    trial_cpu_s = _cpu_s() - before
    assert result.record is not None, result.error
    with tempfile.TemporaryDirectory() as folder:
        ResultsDir(Path(folder)).append(result, result.record, worker="main")
        kept = sum(path.stat().st_size for path in Path(folder).rglob("*") if path.is_file())
    return Figures(
        lab=lab.replace(":", ", size "),
        nodes=len(task.network.topology.nodes),
        processes=len(pids),
        memory_mb=memory_mb,
        ready_s=ready_s,
        ready_cpu_s=ready_cpu_s,
        trial_s=trial_s,
        trial_cpu_s=trial_cpu_s,
        result_kb=kept / 1024,
        sent_kb=len(pickle.dumps(result, protocol=5)) / 1024,
    )


def _kept_pids() -> list[int]:
    """The lab's processes, once none has ended for a second: what only deployed it is gone then."""
    while True:
        before = list(below(os.getpid()))
        time.sleep(_ENDING_S)
        if set(before) == set(below(os.getpid())):
            return before


def _cpu_s() -> float:
    """Processor seconds of this process and all that it started: what has ended is in the times of who waited."""
    ended = resource.getrusage(resource.RUSAGE_CHILDREN)
    return time.process_time() + ended.ru_utime + ended.ru_stime + sum(map(_ticks, below(os.getpid()))) / _TICKS


def _ticks(pid: int) -> int:
    try:
        fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    except OSError:
        return 0
    return sum(map(int, fields[11:15]))


def _proportional_mb(pid: int) -> float:
    try:
        found = re.search(r"^Pss:\s+(\d+) kB", Path(f"/proc/{pid}/smaps_rollup").read_text(), re.MULTILINE)
    except OSError:
        return 0.0
    return int(found[1]) / 1024 if found else 0.0


def rows(figures: Sequence[Figures]) -> list[str]:
    """The table in Markdown."""
    head = (
        "| network | nodes | processes | memory of the lab | ready | processor until then | trial by `oracle`"
        " | processor of it | on disk | sent |"
    )
    lines = [head, "|---" * 10 + "|"]
    for one in figures:
        cells = (
            one.lab,
            one.nodes,
            one.processes,
            f"{one.memory_mb:.0f} MB",
            f"{one.ready_s:.1f} s",
            f"{one.ready_cpu_s:.1f} s",
            f"{one.trial_s:.1f} s",
            f"{one.trial_cpu_s:.1f} s",
            f"{one.result_kb:.0f} kB",
            f"{one.sent_kb:.0f} kB",
        )
        lines.append(f"| {' | '.join(map(str, cells))} |")
    return lines


def main(argv: Sequence[str] | None = None) -> None:
    """Measure, print, and write the page."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--labs", default=LABS, help="SHAPE:SIZE,… of repair-network")
    parser.add_argument("--write", action="store_true")
    given = parser.parse_args(argv)
    labs = given.labs.split(",")
    measure(labs[0])  # what is loaded once is not counted
    table = rows([measure(one) for one in labs])
    load = f"{len(os.sched_getaffinity(0))} cores, load {os.getloadavg()[0]:.1f} at the end"
    print("\n".join(table), load, sep="\n")
    if given.write:
        text = PAGE.read_text()
        before, _, rest = text.partition(BEGIN)
        _, _, after = rest.partition(END)
        new = "\n".join([BEGIN, *table, "", f"Measured with {load}.", END])
        PAGE.write_text(f"{before}{new}{after}")


if __name__ == "__main__":
    main()
