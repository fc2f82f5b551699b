"""The layout ``single``: the lab and the evaluator in the agent's container, as another user."""

from __future__ import annotations

from typing import Final

SERVICE: Final = "main"
MCP: Final = "http://127.0.0.1:7071/mcp"
AGENT: Final = "agent"
_START: Final = """\
#!/bin/sh
# Starts the lab beside what the container runs.
netbench harbor /lab --host 127.0.0.1 --name 127.0.0.1 &
exec "$@"
"""
_FILE: Final = """\
# The lab runs as netbench (uid 1000), the agent as agent (uid 1001), who cannot read the package, its tasks and /lab.
FROM {image}
USER root
RUN useradd --uid 1001 --create-home --shell /bin/bash agent \\
    && chown netbench:netbench /opt/netbench && chmod 0700 /opt/netbench /home/netbench
COPY --chown=netbench:netbench lab /lab
COPY ani start /usr/local/bin/
RUN chmod 0755 /usr/local/bin/ani /usr/local/bin/start && chmod -R go= /lab
ENV NETBENCH_LAB=http://127.0.0.1:7070
WORKDIR /home/agent
USER netbench
ENTRYPOINT ["/usr/local/bin/start"]
CMD ["sleep", "infinity"]
"""
_RIGHTS: Final = """\
# What a container needs in which labs run: harbor run --extra-docker-compose rights.yaml
services:
  main:
    cap_drop: [ALL]
    security_opt:
      - no-new-privileges:true
      - seccomp:./seccomp.json
      - systempaths=unconfined
"""
_VERIFIER: Final = """\
FROM {image}
COPY . /tests
"""
_ENVIRONMENT: Final = """\
[environment]
build_timeout_sec = 600.0
cpus = 2
memory_mb = 4096

[environment.healthcheck]
command = "ani is-open"
interval_sec = 2.0
retries = 150
"""


def beside() -> dict[str, str]:
    """Files of the dataset: the rights of labs, for ``harbor run --extra-docker-compose``."""
    return {"rights.yaml": _RIGHTS}


def files(*, lab_image: str, agent_image: str) -> dict[str, str]:
    """The definitions of the images."""
    return {
        "environment/Dockerfile": _FILE.format(image=lab_image),
        "environment/start": _START,
        "tests/Dockerfile": _VERIFIER.format(image=agent_image),
    }


def environment(*, agent_image: str) -> str:
    """The tables of ``task.toml`` about containers."""
    del agent_image  # the image is built on it
    return _ENVIRONMENT
