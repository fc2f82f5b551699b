"""Agents and solvers for Inspect, loaded by it from this file."""

from __future__ import annotations

import contextlib
import os
import signal
import time
from contextvars import ContextVar

import anyio
from inspect_ai import Task, task, task_with
from inspect_ai.agent import Agent, AgentState, agent, react
from inspect_ai.model import execute_tools, get_model
from inspect_ai.solver import Generate, Solver, TaskState, solver
from inspect_ai.util import background, store

from pytest_netbench.inspect import ani_tools
from pytest_netbench.inspect.tasks import drawn
from pytest_netbench.inspect.tools import at_work


@agent
def plain_react() -> Agent:
    """Inspect's own agent with the tools of the trial, as a user would write it."""
    return react(tools=[ani_tools()], submit=False)


@agent
def failing() -> Agent:
    """An agent with a mistake in it."""

    async def execute(state: AgentState) -> AgentState:
        raise KeyError("a mistake of the agent")

    return execute


@solver
def breaking(careless: bool = True) -> Solver:
    """Ends the supervisor of its lab, asks the network, and goes on in spite of the error if it is careless."""

    async def solve(state: TaskState, generate: Generate) -> TaskState:
        work = at_work()
        os.kill(work.attempt._stage.lab.supervisor_pid, signal.SIGKILL)
        with contextlib.suppress(Exception) if careless else contextlib.nullcontext():
            device = next(iter(work.attempt.brief.devices))
            await work.call("get-running-cfg", {"device": device})
        return state

    return solve


_HELD_UP: ContextVar[list[float]] = ContextVar("held_up")


@task
def watched(generate: str) -> Task:
    """Draws whose samples measure how long the loop is held up, from before their labs are deployed."""
    drawn_task = drawn(generate=generate, heavy=False)
    return task_with(drawn_task, setup=[measuring(), drawn_task.setup], solver=asking())


@solver
def measuring() -> Solver:
    """Begins to measure."""

    async def solve(state: TaskState, generate: Generate) -> TaskState:
        held_up = [0.0]
        _HELD_UP.set(held_up)

        async def measure() -> None:
            while True:
                began = time.monotonic()
                await anyio.sleep(0.01)
                held_up[0] = max(held_up[0], time.monotonic() - began - 0.01)

        background(measure)
        return state

    return solve


@solver
def asking() -> Solver:
    """Asks each device, lets the model answer, and stores what was measured."""

    async def solve(state: TaskState, generate: Generate) -> TaskState:
        work = at_work()
        for device in list(work.attempt.brief.devices):
            await work.call("get-running-cfg", {"device": device})
        output = await get_model().generate(state.messages, tools=state.tools)
        state.messages.append(output.message)
        messages, _ = await execute_tools(state.messages, state.tools)
        state.messages.extend(messages)
        store().set("longest_hold_up_s", _HELD_UP.get()[0])
        return state

    return solve
