"""Fixtures of the tests that walk the true litellm path."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from importlib.util import find_spec

import pytest

from pytest_netbench.agents.agentfile import AgentFile
from tests.support.memory_ani import MemoryAni
from tests.support.openai_server import OpenAIServer, Script


@pytest.fixture(autouse=True)
def _litellm() -> None:
    if find_spec("litellm") is None:  # to import it here would be to import it unprepared
        pytest.skip("litellm is not installed (fix: pip install 'pytest-netbench[llm]')")


@pytest.fixture
def serve(monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[[Script], OpenAIServer]]:
    """Starts a server with a script and leads the environment to it."""
    with ExitStack() as stack:

        def start(script: Script) -> OpenAIServer:
            server = stack.enter_context(OpenAIServer(script))
            for name, value in server.environment.items():
                monkeypatch.setenv(name, value)
            return server

        yield start


@pytest.fixture
def agent_file() -> Callable[..., AgentFile]:
    """An agent file for the test server's model, with short waits."""

    def make(**fields: object) -> AgentFile:
        retries = {"attempts": 3, "first_wait_s": 0.01, "longest_wait_s": 0.5}
        return AgentFile.model_validate({"name": "fake", "model": "openai/fake", "retries": retries, **fields})

    return make


@pytest.fixture
def ani() -> MemoryAni:
    return MemoryAni({"R1": ["hostname R1"], "R2": ["hostname R2"]})
