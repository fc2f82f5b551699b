"""Each fault in each shape it fits: ``python benchmarks/diagnoses.py [--runs N] [--size N] [--jobs N] [--only FAULT]
[--shapes SHAPE] [--evidence]``.

Each is injected into a drawn network, seen to be in force, and repaired, so many times. Afterwards all flows must be
right and all routes as before. A cell of the table has the flows that were wrong with the fault, of all flows; ``-``
means that the shape has no place for the fault, ``latent`` that no flow shows it, ``traffic`` that only traffic at
a rate does, with the demands that lose too much, ``requests`` that only requests to servers do, with those that fail.

With ``--evidence`` a cell has how many observations of the reference diagnosis hold only while the fault is there, of
all of them.
"""

from __future__ import annotations

import argparse
import contextlib
import sys
import time
from collections.abc import Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

from pytest_netbench.errors import NetbenchError, UsageError
from pytest_netbench.families.proof import Extent
from pytest_netbench.generators.default_faults import (
    DIAGNOSED,
    OF_BURSTS,
    OF_DHCP,
    OF_LB,
    OF_P4,
    OF_QOS,
    OF_RPKI,
    OF_SWITCHES,
    OF_VPN,
    SERVED,
)
from pytest_netbench.generators.diagnose import DiagnoseGenerator
from pytest_netbench.generators.diagnose_parameters import DiagnoseParameters
from pytest_netbench.generators.faulty_networks import SIZES
from pytest_netbench.generators.levels import HIDDEN
from pytest_netbench.generators.networks.mixing import offers
from pytest_netbench.generators.networks.shapes import SHAPES
from pytest_netbench.generators.values import Span
from pytest_netbench.model.task import Task
from pytest_netbench.trial.selftest import selftest

NOT_THERE = "-"
_DRAWS = 8


def cell(fault: str, shape: str, *, platform: str, size: int, runs: int, evidence: bool) -> str:
    """What became of a fault in a shape. One that has not the platform has its own."""
    if not offers(SHAPES[shape].platforms, platform):
        platform = SHAPES[shape].platforms[0]
    parameters = DiagnoseParameters.model_validate(
        {
            "faults": (fault,),
            "shapes": (shape,),
            "platforms": (platform,),
            "size": Span(low=size, high=size),
            "level": "1",
            "healthy": 0.0,
            **({"services": ("dns", "web")} if fault in SERVED else {}),
            **({"traffic": "bursts"} if fault in OF_BURSTS else {}),
            **({"services": ("dns", "web", "dhcp")} if fault in OF_DHCP else {}),
            **({"services": ("dns", "web", "lb")} if fault in OF_LB else {}),
            **({"services": ("vpn",)} if fault in OF_VPN else {}),
            **({"services": ("qos",)} if fault in OF_QOS else {}),
            **({"services": ("rpki",)} if fault in OF_RPKI else {}),
        }
    )
    task = next(_drawn(parameters), None)
    if task is None:
        return NOT_THERE
    try:
        report = selftest(task, extent=Extent(repeats=runs))
    except NetbenchError as error:
        return f"ERROR: {error}"
    if report.problems:
        return f"FAILED: {report.problems[0]}"
    return report.shown["evidence"] if evidence else _effect(report.shown)


def _effect(shown: Mapping[str, str]) -> str:
    """What shows the fault to users of the network."""
    wrong, breached = shown["wrong flows"], shown["breached demands"]
    if not wrong.startswith("0 "):
        return wrong
    if not breached.startswith("0 "):
        return f"traffic {breached}"
    failed = shown.get("failed requests", "0 ")
    return "latent" if failed.startswith("0 ") else f"requests {failed}"


def _drawn(parameters: DiagnoseParameters) -> Iterator[Task]:
    """Tasks with the fault, of a few draws: not each network of the shape has a place for it."""
    for index in range(_DRAWS):
        with contextlib.suppress(UsageError):
            yield DiagnoseGenerator().draw(parameters, seed=1, index=index)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=3, help="how often each is injected and repaired (3)")
    parser.add_argument("--size", type=int, default=1, help="1: small, 2: medium, 3: large")
    parser.add_argument("--jobs", type=int, default=3, help="labs side by side (3)")
    parser.add_argument("--platform", default="cisco_ios", help="cisco_ios, frr or mixed")
    parser.add_argument("--evidence", action="store_true", help="show how many observations prove each fault")
    parser.add_argument("--shapes", nargs="*", default=sorted(SIZES), help="these shapes (all)")
    of_services = (*SERVED, *OF_DHCP, *OF_LB, *OF_VPN, *OF_QOS, *OF_RPKI)
    every = tuple(dict.fromkeys((*DIAGNOSED, *of_services, *OF_BURSTS, *OF_SWITCHES, *OF_P4, *HIDDEN)))
    parser.add_argument("--only", nargs="*", default=every, help="these faults (all)")
    chosen = parser.parse_args()
    shapes = chosen.shapes
    began = time.monotonic()
    with ThreadPoolExecutor(chosen.jobs) as pool:
        prove = partial(cell, platform=chosen.platform, size=chosen.size, runs=chosen.runs, evidence=chosen.evidence)
        cells = {(fault, shape): pool.submit(prove, fault, shape) for fault in chosen.only for shape in shapes}
        rows = []
        for fault in chosen.only:
            rows.append([fault, *(cells[fault, shape].result() for shape in shapes)])
            print(f"{time.monotonic() - began:6.0f} s  {' | '.join(rows[-1])}", file=sys.stderr, flush=True)
    for line in (["fault", *shapes], ["---"] * (1 + len(shapes)), *rows):
        print(f"| {' | '.join(line)} |")
    found = [one for row in rows for one in row[1:] if one != NOT_THERE]
    bad = sum(one.startswith(("ERROR", "FAILED")) for one in found)
    print(f"{len(found) - bad} of {len(found)} proven, {chosen.runs} times each, in {time.monotonic() - began:.0f} s")
    sys.exit(bool(bad))


if __name__ == "__main__":
    main()
