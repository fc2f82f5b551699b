"""Lets the MCP inspector's command line, a client that is not ours, do a task until it passes.

Needs Node.js (20 or later) and npm; installs ``@modelcontextprotocol/inspector`` (150 MB) in a folder of its own.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
import time
from pathlib import Path

INSPECTOR = "@modelcontextprotocol/inspector"
TASK = Path(__file__).parents[1] / "tests" / "end_to_end" / "two-sites.yaml"
CALLS = (
    ("get_brief", {}),
    ("update_cfg", {"device": "R1", "commands": ["ip route 10.2.0.0/24 10.0.12.2"]}),
    ("update_cfg", {"device": "R2", "commands": ["ip route 10.1.0.0/24 10.0.12.1"]}),
    ("execute_cmd", {"device": "R1", "command": "show ip route static"}),
    ("task_done", {"reasoning": "a route to each far site"}),
)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--folder", type=Path, help="where the inspector is installed, or is already")
    folder = parser.parse_args().folder
    with tempfile.TemporaryDirectory(prefix="netbench-inspector-") as own:
        where = folder or Path(own)
        program = where / "node_modules" / ".bin" / "mcp-inspector"
        if not program.exists():
            command = ["npm", "install", "--prefix", str(where), "--no-audit", "--no-fund", INSPECTOR]
            subprocess.run(command, check=True, stdout=sys.stderr)
        command = [sys.executable, "-m", "pytest_netbench.cli", "serve", str(TASK), "--http", "0", "--score"]
        with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as served:
            url = served.stdout.readline().strip()
            inspect = [str(program), "--cli", url, "--transport", "http"]
            tools = asked([*inspect, "--method", "tools/list"])["tools"]
            print("tools:", ", ".join(tool["name"] for tool in tools))
            for name, arguments in CALLS:
                words = [
                    f"{key}={value if isinstance(value, str) else json.dumps(value)}"
                    for key, value in arguments.items()
                ]
                given = [word for one in words for word in ("--tool-arg", one)]
                began = time.monotonic()
                answer = asked([*inspect, "--method", "tools/call", "--tool-name", name, *given])
                assert not answer.get("isError"), answer
                print(f"{name}: {time.monotonic() - began:.1f} s")
        print("passed" if served.returncode == 0 else "failed")
        return served.returncode


def asked(command: list[str]) -> dict:
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=120)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


if __name__ == "__main__":
    sys.exit(main())
