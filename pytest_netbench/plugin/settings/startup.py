"""Agents of the command line that cannot start: a usage error, or in a gate a regression of these agents alone."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import pytest

from pytest_netbench.errors import AgentCannotStart, AgentFileError, InputError

WORKER_REFUSED: Final = "netbench_refused"


@dataclass(frozen=True, kw_only=True)
class Refused:
    """An agent that cannot start: its ``--agent``, its id as far as it is known, and why."""

    spec: str
    id: str
    message: str


def is_gated(option: Any) -> bool:
    """Whether a gate judges the run: then an agent that cannot start does not keep the others from being judged."""
    return option.netbench_baseline is not None and not option.collectonly


def refused_by_id(spec: str, error: AgentFileError) -> Refused:
    """The refusal of an agent whose file cannot be used, so that only its name is known."""
    from pytest_netbench.text import clean  # only for a benchmark

    name = Path(spec).name
    for suffix in (".agent.yaml", ".agent.yml", ".agent.json"):
        name = name.removesuffix(suffix)
    return Refused(spec=spec, id=name, message=clean(str(error)))


def check_all(choices: Iterable[tuple[str, str]], *, rootdir: Path, replayed: bool, gated: bool) -> tuple[Refused, ...]:
    """Check all agents side by side.

    Args:
        choices: For each agent its ``--agent`` and its id.
        rootdir: Where ``agents/`` is looked for.
        replayed: Models are not asked.
        gated: Agents that cannot start are returned, not raised.

    Raises:
        pytest.UsageError: At least one cannot start, or the machine lacks what one needs. Its text has every refusal.
    """
    from concurrent.futures import ThreadPoolExecutor  # only for a benchmark

    from pytest_netbench.agents.check import check_agent
    from pytest_netbench.text import clean

    def problem(spec: str) -> InputError | None:
        try:
            check_agent(spec, rootdir=rootdir, replayed=replayed)
        except InputError as error:
            return error
        return None

    pairs = list(choices)
    with ThreadPoolExecutor(max_workers=4) as pool:
        found = list(pool.map(problem, (spec for spec, _ in pairs)))
    refused: list[Refused] = []
    lacks: list[str] = []
    for (spec, name), error in zip(pairs, found, strict=True):
        if isinstance(error, AgentCannotStart | AgentFileError) and gated:
            refused.append(Refused(spec=spec, id=name, message=clean(str(error))))
        elif error is not None:
            lacks.append(clean(str(error)))
    if lacks:
        raise pytest.UsageError("\n".join([*lacks, *(one.message for one in refused)]))
    return tuple(refused)


def refused_in(workerinput: Any) -> Sequence[Refused]:
    """What the controller found, in a worker."""
    return [Refused(spec=spec, id="", message="") for spec in (workerinput or {}).get(WORKER_REFUSED, ())]
