"""The options of ``--netbench-ray``, and what they do not go with. Standard library only."""

from __future__ import annotations

import argparse
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

import pytest

if TYPE_CHECKING:
    from pytest_netbench.plugin.settings.run_options import Run

OPTION: Final = "--netbench-ray"
_ADDRESS: Final = re.compile(r"(auto|local|\[?[\w.:-]+\]?:\d{1,5})")


@dataclass(frozen=True, kw_only=True)
class RayOptions:
    """``address``: as given. ``workers``: how many, if it was said. ``at_once``: trials that each carries at a time."""

    address: str
    workers: int | None
    at_once: int


def add_options(group: pytest.OptionGroup) -> None:
    """Add the options that send trials to a Ray cluster."""
    group.addoption(
        OPTION,
        type=_address,
        metavar="ADDRESS",
        help=(
            "run trials on the nodes of a Ray cluster: that at HOST:PORT, the one that this machine belongs to (auto),"
            " or one that is started here (local). Results are written here."
        ),
    )
    group.addoption(
        "--netbench-ray-workers",
        type=_count,
        metavar="N",
        help=(
            "worker processes on the cluster, each with a core (default: as many as its cores and memory allow now;"
            " more than that lets an autoscaler add nodes)."
        ),
    )
    group.addoption(
        "--netbench-ray-trials",
        type=_count,
        default=1,
        metavar="N",
        help="trials that a worker process carries at a time; more than 1 is for agents that wait for models.",
    )


def options_of(config: pytest.Config) -> RayOptions | None:
    """What was asked for, if anything was."""
    option = config.option
    if option.netbench_ray is None:
        return None
    return RayOptions(
        address=option.netbench_ray, workers=option.netbench_ray_workers, at_once=option.netbench_ray_trials
    )


def check(config: pytest.Config, run: Run) -> None:
    """Refuse what does not go with ``--netbench-ray``, and a machine without Ray.

    Raises:
        pytest.UsageError: It cannot be used.
    """
    option = config.option
    if option.netbench_ray is None:
        for name in ("workers", "trials"):
            if getattr(option, f"netbench_ray_{name}") != (None if name == "workers" else 1):
                raise pytest.UsageError(f"{OPTION}-{name} is about a Ray cluster: give {OPTION}=ADDRESS, too")
        return
    for given, words in _refusals(option, run):
        if given:
            raise pytest.UsageError(f"{OPTION}: {words}")
    from pytest_netbench.distributed.cluster import check_installed  # only if it is asked for
    from pytest_netbench.errors import RequirementMissing

    try:
        check_installed(OPTION)
    except RequirementMissing as lack:
        raise pytest.UsageError(str(lack)) from lack


def _refusals(option: Any, run: Run) -> list[tuple[bool, str]]:
    """Each: whether something was given that does not go with the option, and what to do."""
    return [
        (not run.wanted, "trials need an agent: give --agent, too"),
        (run.selftest, "self-tests run on this machine: leave one of them out"),
        (
            bool(getattr(option, "usepdb", False) or getattr(option, "trace", False)),
            "a debugger needs trials in this process: leave --pdb and --trace out, or the cluster",
        ),
        (
            bool(getattr(option, "tx", None)) or getattr(option, "numprocesses", None) not in {None, 0},
            "the cluster distributes the trials: leave -n out",
        ),
        (bool(option.netbench_keep), "labs of a cluster end with their trials: leave --netbench-keep out"),
        (run.lab is not None, "a lab that runs already is on this machine: leave --netbench-lab out"),
    ]


def _address(text: str) -> str:
    if text.startswith("ray://"):
        raise argparse.ArgumentTypeError(
            f"{text!r} is of a client outside the cluster: run pytest on a node of it (`ray job submit`), with"
            f" {OPTION}=auto"
        )
    if not _ADDRESS.fullmatch(text):
        raise argparse.ArgumentTypeError(f"{text!r} is not HOST:PORT of a Ray cluster, auto or local")
    return text


def _count(text: str) -> int:
    if text.isdecimal() and 0 < int(text) <= 10_000:
        return int(text)
    raise argparse.ArgumentTypeError(f"{text!r} is not a whole number from 1 to 10000")
