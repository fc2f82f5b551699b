"""What is spent beyond the budget of a run: ``python benchmarks/spending.py [--workers N] [--budgets USD…]``.

The shipped tasks run on real labs with a model on loopback whose requests have a price. The server counts what was
really asked of it. A run may spend its budget and one request for each worker.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any, Final

sys.path.insert(0, str(Path(__file__).parents[1]))

from tests.support.openai_server import Calls, OpenAIServer, Text

ROOT: Final = Path(__file__).parents[1]
PER_TOKEN: Final = 0.001
FILE: Final = f"model: openai/priced\nprice: {{input_per_token: {PER_TOKEN}, output_per_token: {PER_TOKEN}}}\n"
REQUEST_USD: Final = 110 * PER_TOKEN
"""The server reports 100 tokens of input and 10 of output for each request."""


def looks_and_ends(request: dict[str, Any]) -> Calls | Text:
    """Five calls of a tool, then the end."""
    asked = sum(one["role"] == "tool" for one in request["messages"])
    return Calls(("get-topology", {})) if asked < 5 else Text("task done")


def spent(budget_usd: float, workers: int) -> tuple[float, int]:
    """What a run with this budget spends, and how many requests that are."""
    with OpenAIServer(looks_and_ends) as server, tempfile.TemporaryDirectory(prefix="spending-") as name:
        file = Path(name, "priced.agent.yaml")
        file.write_text(FILE)
        argv = ["-m", "pytest", "tasks", f"--agent={file}", "-n", str(workers), "-q", "--tb=no"]
        options = [f"--netbench-max-cost={budget_usd}", f"--netbench-results={name}/run", "-p", "no:cacheprovider"]
        environment = {**os.environ, **server.environment}
        subprocess.run(
            [sys.executable, *argv, *options], cwd=ROOT, env=environment, check=False, stdout=subprocess.DEVNULL
        )
        return len(server.requests) * REQUEST_USD, len(server.requests)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--workers", type=int, default=8, help="workers of xdist (8)")
    parser.add_argument("--budgets", type=float, nargs="*", default=(1.0, 3.0, 7.0), help="in US dollars (1, 3, 7)")
    chosen = parser.parse_args()
    bad = 0
    for budget in chosen.budgets:
        cost, requests = spent(budget, chosen.workers)
        most = budget + chosen.workers * REQUEST_USD
        bad += not budget <= cost <= most + 1e-9
        limit = f"at most {most:.2f} may be"
        print(
            f"budget {budget:g} USD, {chosen.workers} workers: spent {cost:.2f} USD in {requests} requests; {limit}",
            flush=True,
        )
    sys.exit(bool(bad))


if __name__ == "__main__":
    main()
