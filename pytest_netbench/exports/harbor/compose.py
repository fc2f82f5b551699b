"""The layout ``compose``: the lab and the evaluator in a container beside the agent's."""

from __future__ import annotations

import json
from typing import Final

SERVICE: Final = "lab"
MCP: Final = "http://lab:7071/mcp"
AGENT: Final = "1000"
_FILE: Final = """\
# The agent works in main. The network and what judges it are in lab, which main reaches by HTTP, MCP and SSH only.
services:
  main:
    environment:
      NETBENCH_LAB: http://lab:7070
    volumes:
      - ./ani:/usr/local/bin/ani:ro
    depends_on:
      lab:
        condition: service_healthy
  lab:
    image: {image}
    pull_policy: missing
    command: [netbench, harbor, /lab]
    environment:
      NETBENCH_LAB: http://127.0.0.1:7070
    volumes:
      - ./lab:/lab:ro
      - ./ani:/usr/local/bin/ani:ro
    cap_drop: [ALL]
    security_opt:
      - no-new-privileges:true
      - seccomp:./seccomp.json
      - systempaths=unconfined
    healthcheck:
      test: [CMD, ani, is-open]
      interval: 2s
      timeout: 10s
      retries: 150
"""
_VERIFIER: Final = """\
# The verifier has the tests alone.
services:
  main:
    volumes:
      - .:/tests:ro
"""
_ENVIRONMENT: Final = """\
[verifier.environment]
docker_image = {image}

[environment]
docker_image = {image}
build_timeout_sec = 600.0
cpus = 2
memory_mb = 4096
"""


def beside() -> dict[str, str]:
    """Files of the dataset: none."""
    return {}


def files(*, lab_image: str, agent_image: str) -> dict[str, str]:
    """What Docker Compose reads."""
    del agent_image  # task.toml names it
    return {"environment/docker-compose.yaml": _FILE.format(image=lab_image), "tests/docker-compose.yaml": _VERIFIER}


def environment(*, agent_image: str) -> str:
    """The tables of ``task.toml`` about containers."""
    return _ENVIRONMENT.format(image=json.dumps(agent_image))
