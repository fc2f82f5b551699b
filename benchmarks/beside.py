"""Compare deploy times with another checkout: ``python benchmarks/beside.py OTHER_CHECKOUT [--runs N] [--routers N]``.

The checkouts deploy in turn, each with the interpreter in its own ``.venv``, so that both run under the same load. The
medians are compared.
"""

from __future__ import annotations

import argparse
import statistics
import subprocess
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

from benchmarks.measure import table

_HERE = Path(__file__).parents[1]
# Works on every commit since the first release.
_DEPLOY = """
import sys, time
from concurrent.futures import ThreadPoolExecutor
sys.path.insert(0, ".")
from benchmarks.networks import ospf_ring
from pytest_netbench.backends.netns.backend import NetnsBackend
labs, routers = map(int, sys.argv[1:])
backend, task = NetnsBackend(), ospf_ring(routers)
try:
    from pytest_netbench.lab.request import request_of
    deploy = lambda: backend.deploy(request_of(task, workers=labs))
except ImportError:  # before backends read a request
    deploy = lambda: backend.deploy(task, workers=labs)
started = time.monotonic()
with ThreadPoolExecutor(labs) as pool:
    made = list(pool.map(lambda _: deploy(), range(labs)))
print(time.monotonic() - started)
for lab in made:
    lab.destroy()
"""


def deploy_s(checkout: Path, labs: int, routers: int) -> float:
    """Wall seconds in which a checkout deploys so many labs side by side."""
    done = subprocess.run(
        [checkout / ".venv/bin/python", "-c", _DEPLOY, str(labs), str(routers)],
        cwd=checkout,
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode:
        raise SystemExit(f"{checkout}: {done.stderr}")
    return float(done.stdout)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("other", type=Path)
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--routers", type=int, default=100, help="size of the large ring")
    options = parser.parse_args()
    rows = []
    for name, labs, routers, factor in (
        (f"OSPF ring of {options.routers}", 1, options.routers, 1.7),
        ("eight labs of four routers", 8, 4, 1.5),
    ):
        pairs = [(deploy_s(options.other, labs, routers), deploy_s(_HERE, labs, routers)) for _ in range(options.runs)]
        before, now = (statistics.median(values) for values in zip(*pairs, strict=True))
        met = "met" if before / now >= factor else "MISSED"
        rows.append(
            (
                f"{name}: deploy, median",
                f"{now:.2f} s, before {before:.2f} s",
                f"{before / now:.2f} times as fast, {factor:g} {met}",
                " ".join(f"{one:.2f}/{other:.2f}" for other, one in pairs),
            )
        )
    table("Beside another checkout (now/before)", rows)


if __name__ == "__main__":
    main()
