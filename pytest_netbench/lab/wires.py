"""Arguments of the program that shapes what links carry (``native/wire.c``)."""

from __future__ import annotations

from typing import Final, get_args

from pytest_netbench.lab.capabilities import Defect, LostKind
from pytest_netbench.model.topology import LinkQuality
from pytest_netbench.native import build

NO_COMPILER: Final = "apt-get install -y gcc libc6-dev"
"""What mends that a program cannot be built."""
_QUEUE_S = 0.05
_LEAST_QUEUE = 30_000
_QUEUED_BPS = 20_000_000
"""Rate of the line before which packets wait in a queue that is too short."""


def lack() -> tuple[str, str]:
    """What a task with shaped links lacks where the program cannot be built, and the remedy."""
    return f"links with delay, loss or rate: {build.why_not()}", NO_COMPILER


def shaping(quality: LinkQuality, *, ports: int) -> list[str]:
    """Arguments that give a quality. On a LAN each port has a wire and a packet passes two: each does half."""
    share = 1.0 if ports == 2 else 0.5
    loss = 1.0 - (1.0 - quality.loss) ** share
    arguments = {
        "--delay-us": round(quality.delay_ms * 1000 * share),
        "--jitter-us": round(quality.jitter_ms * 1000 * share),
        "--loss-ppm": round(loss * 1_000_000),
    }
    if quality.rate_bps is not None:
        arguments["--rate-bps"] = quality.rate_bps
        arguments["--queue-bytes"] = max(_LEAST_QUEUE, round(quality.rate_bps / 8 * _QUEUE_S))
    return [word for option, value in arguments.items() if value for word in (option, str(value))]


def defective(defect: Defect, port: int) -> list[str]:
    """Arguments that give a cable a defect, seen from a port; none if nothing is wrong with it."""
    arguments = {
        "--drop-ppm": round(defect.loss * 1_000_000),
        "--corrupt-ppm": round(defect.corruption * 1_000_000),
        "--flow-loss-ppm": round(defect.flow_loss * 1_000_000),
        "--most-bytes": defect.most_bytes or 0,
        "--police-bps": defect.police_bps or 0,
        "--lost-port": defect.lost_port or 0,
        "--lost-groups": int(defect.lost_groups),
        "--lost-kind": 0 if defect.lost_kind is None else get_args(LostKind).index(defect.lost_kind) + 1,
        "--known-ms": defect.known_ms or 0,
        "--dark-ms": defect.dark_ms or 0,
        "--period-ms": defect.period_ms or 0,
        "--busy-bps": defect.busy_bps or 0,
        "--busy-drop-ppm": round(defect.busy_loss * 1_000_000),
        # the program takes the last one: these come after those of the quality
        "--rate-bps": (defect.line_bps or _QUEUED_BPS) if defect.queue_bytes else 0,
        "--queue-bytes": defect.queue_bytes or 0,
    }
    if defect.one_way and any(arguments.values()):
        arguments["--way"] = port + 1
    return [word for option, value in arguments.items() if value for word in (option, str(value))]
