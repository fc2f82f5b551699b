"""The tasks that Inspect finds: one for each family, and one for draws."""

from __future__ import annotations

from typing import Any, Final

from inspect_ai import Task, task
from inspect_ai.agent import Agent, AgentPrompt, AgentState, react
from inspect_ai.dataset import MemoryDataset, Sample
from inspect_ai.model import ChatMessageUser
from inspect_ai.solver import Generate, Solver, TaskState, solver
from inspect_ai.util import background

from pytest_netbench import __version__, parts
from pytest_netbench.agents.prompting import budget_words
from pytest_netbench.agents.react import IDLE_TURNS
from pytest_netbench.inspect import supply
from pytest_netbench.inspect.attempt import STRATEGY
from pytest_netbench.inspect.attempts import Attempts, Options
from pytest_netbench.inspect.opening import NUDGE, OPENING, task_text
from pytest_netbench.inspect.scores import scorers_of
from pytest_netbench.inspect.supply import Supplied
from pytest_netbench.inspect.tools import ani_tools, at_work, tools_of
from pytest_netbench.inspect.work import AT_WORK
from pytest_netbench.model.trial import AgentInfo, Brief
from pytest_netbench.trial import brief_for, family_of, terms_for

_DONE_WORDS: Final = "task done"


def engineer(brief: Brief) -> Agent:
    """Return the agent for tasks like that of ``brief``. It works until it is done, or does nothing any more."""
    prompt = AgentPrompt(OPENING.system_text(brief), handoff_prompt=None, assistant_prompt=None, submit_prompt=None)
    return react(prompt=prompt, tools=[ani_tools()], submit=False, on_continue=_goes_on)


async def _goes_on(state: AgentState) -> bool | str:
    """Whether the agent goes on after a turn, and what it is told if it called no tool."""
    work = at_work()
    calls = bool(state.output.message.tool_calls)
    says_done = not calls and _DONE_WORDS in state.output.completion.lower()
    if work.attempt.submission is not None or (says_done and work.attempt.brief.answer is None):
        return False
    if work.idle_turns() >= IDLE_TURNS:
        work.attempt.ani.note(f"stopped: {IDLE_TURNS} turns in a row without a call to the network")
        work.stopped = "no-progress"
        return False
    if calls:
        return True
    return NUDGE.fill(
        why="" if state.output.completion.strip() else " (your answer was empty)",
        budget=budget_words(work.attempt.ani.budget_left()),
    )


Words = str | list[str]
"""Inspect's command line gives what has commas as a list."""


def _register(family: str) -> None:
    """Register the task of a family."""

    @task(name=family)  # type: ignore[untyped-decorator]  # Inspect is not a dependency
    def of_family(
        *,
        tasks: Words = "",
        labs: int = 8,
        backend: Words = "",
        time_scale: float | None = None,
        clock: str | None = None,
        budget: dict[str, Any] | None = None,
        heavy: bool = True,
        results: str | None = None,
    ) -> Task:
        named = _listed(tasks)
        return _task(
            supply.of_files(named, family=family) if named else supply.usual(family),
            Options(
                labs=labs,
                backend=_listed(backend),
                time_scale=time_scale,
                clock=clock,
                budget=budget or {},
                heavy=heavy,
                results=results,
            ),
        )


@task  # type: ignore[untyped-decorator]
def drawn(
    *,
    generate: Words,
    labs: int = 8,
    backend: Words = "",
    time_scale: float | None = None,
    clock: str | None = None,
    budget: dict[str, Any] | None = None,
    heavy: bool = True,
    results: str | None = None,
) -> Task:
    """Tasks of a series, e.g. ``repair-routing:n=20,level=1-2,seed=7``.

    Args:
        generate: The series.
        labs: As in ``Options``, and so are the others.
        backend: What deploys the labs: a name, or several.
        time_scale: Lab seconds per wall second.
        clock: How lab time passes.
        budget: Limits instead of the tasks'.
        heavy: Whether scorers that load a model are applied.
        results: A results directory.
    """
    return _task(
        supply.drawn(",".join(_listed(generate))),
        Options(
            labs=labs,
            backend=_listed(backend),
            time_scale=time_scale,
            clock=clock,
            budget=budget or {},
            heavy=heavy,
            results=results,
        ),
    )


for _family in parts.names("families"):
    _register(_family)


def _listed(words: Words) -> tuple[str, ...]:
    """What a parameter says, as several words."""
    return tuple(filter(None, [words] if isinstance(words, str) else map(str, words)))


def _task(supplied: tuple[Supplied, ...], options: Options) -> Task:
    attempts = Attempts(supplied, options)
    briefs = {one.id: _brief(one, options) for one in supplied}
    metrics = dict.fromkeys(name for one in supplied for name in family_of(one.task).scorers)
    return Task(
        dataset=MemoryDataset([_sample(one, briefs[one.id]) for one in supplied]),
        setup=_stage(attempts),
        solver=engineer(next(iter(briefs.values()))),
        scorer=scorers_of(attempts, tuple(metrics)),
        cleanup=attempts.end,
        fail_on_error=False,
        version=__version__,
    )


def _stage(attempts: Attempts) -> Solver:
    @solver  # type: ignore[untyped-decorator]
    def stage() -> Solver:
        """Deploys the lab, and gives the agent its task and its tools."""

        async def solve(state: TaskState, generate: Generate) -> TaskState:
            del generate
            work = await attempts.begin(state)
            AT_WORK.set(work)
            state.messages = [ChatMessageUser(content=task_text(work.attempt.brief))]
            state.tools = tools_of(work)
            background(work.watch)
            return state

        return solve

    made: Solver = stage()
    return made


def _brief(supplied: Supplied, options: Options) -> Brief:
    """What an agent will be told, but for what is known only when the lab is up."""
    info = AgentInfo(id=STRATEGY, strategy=STRATEGY)
    return brief_for(supplied.task, terms_for(supplied.task, info, budget=options.budget))


def _sample(supplied: Supplied, brief: Brief) -> Sample:
    one = supplied.task
    about = {"family": one.family, "domain": one.domain, "digest": one.digest}
    return Sample(id=supplied.id, input=task_text(brief), metadata=about)
