"""The options of this pytest run, kept on ``config.stash``."""

from __future__ import annotations

import importlib.util
import os
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Literal

import pytest

from pytest_netbench.errors import AgentFileError, InputError
from pytest_netbench.plugin.settings import series_options, startup

WORKER_RESULTS = "netbench_results"
NEED_AGENT = (
    "netbench_baseline",
    "netbench_save_baseline",
    "netbench_policy",
    "netbench_markdown",
    "netbench_otel",
    "netbench_resume",
    "netbench_keep",
    "netbench_max_cost",
    "netbench_max_tokens",
    "netbench_max_time",
    "netbench_record",
    "netbench_replay",
    "netbench_replay_pace",
)
"""Options that mean nothing without an agent."""
SELFTEST = "selftest"
"""The trial of a self-test in ids."""


@dataclass(frozen=True, kw_only=True)
class AgentChoice:
    """One ``--agent``: its value, and its short id in node ids."""

    spec: str
    id: str


@dataclass(frozen=True, kw_only=True)
class Proving:
    """How much a self-test proves, as the options say; ``fresh``: kept verdicts are not reused."""

    repeats: int
    claims: tuple[str, ...] | None
    mutants: int
    share: int
    seed: int
    fresh: bool


@dataclass(frozen=True, kw_only=True)
class Run:
    """The options of a run, checked.

    ``results`` is the results directory; nothing is created before the first result. ``worker`` names this process in
    it. ``backend`` has the names that were given, at most one for each kind of resource. ``lab`` runs already, and is
    named by its name or the absolute path of its file. ``side_by_side`` is how many
    labs are expected at a time. ``distributes``: this process gives items to xdist workers. ``unproven``: drawn tasks
    are used without proof. ``resumes``: ``results`` is that of an earlier run. ``shard``: which part of the items is
    run, from 1, and of how many.
    ``refused``: agents that a gate was asked about and that cannot start; they are not among ``agents``.
    """

    agents: tuple[AgentChoice, ...]
    refused: tuple[startup.Refused, ...] = ()
    backend: tuple[str, ...]
    lab: str | None
    time_scale: float | None
    clock: Literal["scaled", "events", "calls"]
    trials: int
    budget: dict[str, float | None]
    results: Path
    selftest: bool
    proving: Proving
    scorers: tuple[str, ...]
    ssh: bool
    worker: str
    is_worker: bool
    side_by_side: int
    distributes: bool
    draws: series_options.Draws
    unproven: bool
    variant: int | None
    resumes: bool
    shard: tuple[int, int] | None

    def scorer_names(self, family: tuple[str, ...]) -> tuple[str, ...]:
        """Names of the scorers of the task's family and of the requested ones, each once."""
        return tuple(dict.fromkeys((*family, *self.scorers)))

    def shown_results(self, rootdir: Path) -> str:
        """The results directory as it is printed."""
        return str(self.results.relative_to(rootdir) if self.results.is_relative_to(rootdir) else self.results)

    def stages_at_once(self, items: int) -> int:
        """How many stages an item may open at a time: a self-test uses the workers that have no item of their own."""
        return max(1, self.side_by_side // max(1, items)) if self.selftest else 1

    @property
    def wanted(self) -> bool:
        """Whether tasks are to be run at all."""
        return self.selftest or bool(self.agents or self.refused)


RUN = pytest.StashKey[Run]()


def run_of(config: pytest.Config) -> Run:
    """The run that ``config`` belongs to."""
    return config.stash[RUN]


def configure(config: pytest.Config) -> Run:
    """Read the options into ``config.stash``.

    Raises:
        pytest.UsageError: One cannot be used.
    """
    option = config.option
    workerinput: dict[str, Any] | None = getattr(config, "workerinput", None)
    _name_kube_assets(option.netbench_kube_assets, config.invocation_params.dir)
    distributes = workerinput is None and bool(getattr(option, "tx", None)) and getattr(option, "dist", "no") != "no"
    try:
        refused = list(startup.refused_in(workerinput))
        agents = _agents(option.netbench_agents, config.rootpath, refused, gated=startup.is_gated(option))
        run = Run(
            agents=agents,
            refused=tuple(refused),
            backend=tuple(option.netbench_backend),
            lab=_lab(option.netbench_lab, config.invocation_params.dir),
            time_scale=1.0 if option.netbench_clock == "wall" else option.netbench_time_scale,
            clock="scaled" if option.netbench_clock == "wall" else option.netbench_clock,
            trials=option.netbench_trials,
            budget=option.netbench_budget,
            results=_results(config, workerinput),
            selftest=option.netbench_selftest,
            proving=Proving(
                repeats=option.netbench_selftest_repeats,
                claims=option.netbench_selftest_claims,
                mutants=option.netbench_selftest_mutants,
                share=option.netbench_selftest_share,
                seed=option.netbench_selftest_seed,
                fresh=option.netbench_selftest_fresh,
            ),
            scorers=tuple(option.netbench_scorers),
            ssh=option.netbench_ssh,
            worker="main" if workerinput is None else workerinput["workerid"],
            is_worker=workerinput is not None,
            side_by_side=_side_by_side(option, workerinput, distributes=distributes),
            distributes=distributes,
            draws=series_options.configure(config, agents=[one.id for one in agents], trials=_trials(option, agents)),
            unproven=option.netbench_unproven,
            variant=option.netbench_variant,
            resumes=option.netbench_resume is not None,
            shard=option.netbench_shard,
        )
        if option.netbench_resume is not None and option.netbench_results is not None:
            raise pytest.UsageError("--netbench-resume DIR goes on in DIR: leave --netbench-results out")
        if option.netbench_shard_durations is not None and run.shard is None:
            raise pytest.UsageError("--netbench-shard-durations balances shards: give --netbench-shard=I/N, too")
        if not run.wanted:
            _refuse_without_agent(option)
        elif workerinput is None:
            _check_cassettes(run, option, config)
            run = _check(run, option, rootdir=config.rootpath)
    except InputError as error:
        from pytest_netbench.text import clean  # only for a benchmark

        raise pytest.UsageError(clean(str(error))) from error
    config.stash[RUN] = run
    return run


def _agents(specs: list[str], rootdir: Path, refused: list[startup.Refused], *, gated: bool) -> tuple[AgentChoice, ...]:
    """The agents of the command line. In a gate, one whose file cannot be used is added to ``refused``."""
    if not specs:
        return ()
    from pytest_netbench.agents.resolve import agent_id  # only for a benchmark

    choices: dict[str, AgentChoice] = {}
    for spec in specs:
        if any(one.spec == spec for one in refused):
            continue
        try:
            choice = AgentChoice(spec=spec, id=agent_id(spec, rootdir=rootdir))
        except AgentFileError as error:
            if not gated:
                raise
            refused.append(startup.refused_by_id(spec, error))
            continue
        other = choices.setdefault(choice.id, choice)
        if other.spec != spec:
            raise pytest.UsageError(
                f"--agent={other.spec} and --agent={spec} are both called {choice.id!r}: rename one"
            )
    return tuple(choices.values())


def label_of(agent: AgentChoice, number: int) -> str:
    """A trial in ids: the first of an agent is named after the agent alone."""
    return agent.id if number == 1 else f"{agent.id}-{number}"


def _lab(given: str | None, folder: Path) -> str | None:
    """A lab's name, or the whole path of its file."""
    return given if given is None or not given.endswith((".yml", ".yaml")) else str(folder / given)


def _name_kube_assets(given: str | None, folder: Path) -> None:
    """Name the folder to the backend as users name it to other commands, by the environment."""
    if given is not None:
        os.environ["NETBENCH_KUBE_ASSETS"] = str(folder / given)


def _trials(option: Any, agents: tuple[AgentChoice, ...]) -> list[str]:
    if option.netbench_selftest:
        return [SELFTEST]
    return [label_of(agent, number) for agent in agents for number in range(1, option.netbench_trials + 1)]


def _results(config: pytest.Config, workerinput: dict[str, Any] | None) -> Path:
    if workerinput is not None and WORKER_RESULTS in workerinput:
        return Path(workerinput[WORKER_RESULTS])
    given = config.option.netbench_resume or config.option.netbench_results
    if given is not None:
        return Path(config.invocation_params.dir, given)
    stamp = datetime.now(UTC).strftime("%Y%m%dT%H%M%S.%fZ")
    return config.rootpath / ".netbench" / stamp


def _side_by_side(option: Any, workerinput: dict[str, Any] | None, *, distributes: bool) -> int:
    if workerinput is not None:
        return int(workerinput["workercount"])
    return len(option.tx) if distributes else 1


def _refuse_without_agent(option: Any) -> None:
    """A gate that judges nothing because the agent is missing must not be green."""
    if option.netbench_shard is not None:
        raise pytest.UsageError(
            "--netbench-shard divides trials or self-tests: give --agent or --netbench-selftest, too"
        )
    for name in NEED_AGENT:
        if getattr(option, name) is not None:
            raise pytest.UsageError(f"--{name.replace('_', '-')} is about an agent: give --agent, too")


def _check_selftest(run: Run) -> None:
    if run.agents:
        raise pytest.UsageError(
            "--netbench-selftest tests the tasks and not an agent: give either it or --agent, not both"
        )
    if run.resumes:
        raise pytest.UsageError("--netbench-resume is for agents; a self-test keeps its verdicts without it")


def _check_cassettes(run: Run, option: Any, config: pytest.Config) -> None:
    """Refuse what cannot be recorded or replayed, before any lab is deployed."""
    recorded, replayed = option.netbench_record, option.netbench_replay
    if replayed is None and option.netbench_replay_pace is not None:
        raise pytest.UsageError("--netbench-replay-pace is about replayed answers: give --netbench-replay DIR, too")
    if recorded is None and replayed is None:
        return
    if recorded is not None and replayed is not None:
        raise pytest.UsageError("--netbench-record asks models and --netbench-replay does not: give one of them")
    name = "--netbench-record" if replayed is None else "--netbench-replay"
    if run.selftest:
        raise pytest.UsageError(f"a self-test asks no model: leave {name} out")
    from pytest_netbench.agents.resolve import check_recordable  # only for a benchmark
    from pytest_netbench.results.cassettes import CassetteDir  # imports pydantic

    for agent in run.agents:
        check_recordable(agent.spec, rootdir=config.rootpath, option=name)
    folder = Path(config.invocation_params.dir, recorded if replayed is None else replayed)
    if replayed is not None:
        CassetteDir(folder).check()
    elif not option.collectonly:
        _check_writable(folder, option=name)


def _check(run: Run, option: Any, *, rootdir: Path) -> Run:
    """Check what the options name; return the run without agents that cannot start, if a gate judges the others."""
    from pytest_netbench import parts  # only for a benchmark
    from pytest_netbench.lab.resources import by_kind  # imports pydantic

    names = by_kind(run.backend)
    if run.lab is not None:
        from pytest_netbench.trial.deployment import lab_backend  # imports pydantic
        from pytest_netbench.trial.settings import Settings  # imports pydantic

        lab_backend(Settings(backend=names["lab"], lab=run.lab))
    for scorer in run.scorers:
        if scorer not in parts.names("scorers"):
            parts.load("scorers", scorer)
    for claim in run.proving.claims or ():
        known = {name: None for family in parts.names("families") for name in parts.load("families", family).claims}
        if claim not in known:
            raise pytest.UsageError(f"--netbench-selftest-claims: unknown claim {claim!r} (known: {', '.join(known)})")
    if run.ssh and importlib.util.find_spec("asyncssh") is None:
        raise pytest.UsageError("--netbench-ssh needs asyncssh (fix: pip install 'pytest-netbench[ssh]')")
    if run.selftest:
        _check_selftest(run)
    if run.selftest or option.collectonly:
        return run
    _check_writable(run.results, option="--netbench-results")
    refused = startup.check_all(
        ((agent.spec, agent.id) for agent in run.agents),
        rootdir=rootdir,
        replayed=option.netbench_replay is not None,
        gated=startup.is_gated(option),
    )
    left = tuple(agent for agent in run.agents if not any(agent.spec == one.spec for one in refused))
    return replace(run, agents=left, refused=(*run.refused, *refused))


def _check_writable(results: Path, *, option: str) -> None:
    """Raise an error, before any lab is deployed, if nothing can be written to the directory of an option."""
    standing = next(path for path in (results, *results.parents) if path.exists())
    if not standing.is_dir():
        raise pytest.UsageError(f"{option}: {standing} is not a directory; give one that is, or can be made")
    if not os.access(standing, os.W_OK | os.X_OK):
        what = "" if standing == results else f" (to make {results})"
        raise pytest.UsageError(f"{option}: {standing} is not writable{what}; give a directory that is: {option} DIR")
