"""Benchmark AI agents on real, running networks, with pytest.

Importing this package costs nothing: each public name is imported when it is first asked for. Public are the names in
``__all__`` and the modules that docs/reference/python.md lists. All other modules are not public.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pytest_netbench.agents.llm import Llm as Llm
    from pytest_netbench.agents.protocol import Agent as Agent
    from pytest_netbench.agents.protocol import InformedAgent as InformedAgent
    from pytest_netbench.agents.resolve import resolve_agent as resolve_agent
    from pytest_netbench.ani.protocol import Ani as Ani
    from pytest_netbench.episodes import Episode as Episode
    from pytest_netbench.episodes import Turn as Turn
    from pytest_netbench.errors import AgentError as AgentError
    from pytest_netbench.errors import AniError as AniError
    from pytest_netbench.errors import BudgetExhausted as BudgetExhausted
    from pytest_netbench.errors import InfrastructureError as InfrastructureError
    from pytest_netbench.errors import InputError as InputError
    from pytest_netbench.errors import NetbenchError as NetbenchError
    from pytest_netbench.errors import RequirementMissing as RequirementMissing
    from pytest_netbench.errors import UsageError as UsageError
    from pytest_netbench.model.agentsettings import AgentSettings as AgentSettings
    from pytest_netbench.model.score import Score as Score
    from pytest_netbench.model.task import Budget as Budget
    from pytest_netbench.model.task import Task as Task
    from pytest_netbench.model.trial import AgentInfo as AgentInfo
    from pytest_netbench.model.trial import Brief as Brief
    from pytest_netbench.model.trial import Submission as Submission
    from pytest_netbench.model.trial import TrialRecord as TrialRecord
    from pytest_netbench.model.trial import TrialResult as TrialResult
    from pytest_netbench.model.trial import Usage as Usage
    from pytest_netbench.results.store import ResultsDir as ResultsDir
    from pytest_netbench.scorers.apply import apply_scorers as apply_scorers
    from pytest_netbench.scorers.protocol import Scorer as Scorer
    from pytest_netbench.taskfile import load_task as load_task
    from pytest_netbench.trial import CassetteSpec as CassetteSpec
    from pytest_netbench.trial import Draw as Draw
    from pytest_netbench.trial import Settings as Settings
    from pytest_netbench.trial import Stage as Stage
    from pytest_netbench.trial import Store as Store
    from pytest_netbench.trial import TrialSpec as TrialSpec
    from pytest_netbench.trial import execute as execute
    from pytest_netbench.trial import record_behaviour as record_behaviour
    from pytest_netbench.trial import run_trial as run_trial
    from pytest_netbench.trial.selftest import SelftestReport as SelftestReport
    from pytest_netbench.trial.selftest import selftest as selftest

__version__ = "0.1.0"

_PLACES = {
    "Agent": "agents.protocol",
    "AgentError": "errors",
    "AgentInfo": "model.trial",
    "AgentSettings": "model.agentsettings",
    "Ani": "ani.protocol",
    "AniError": "errors",
    "Brief": "model.trial",
    "Budget": "model.task",
    "BudgetExhausted": "errors",
    "CassetteSpec": "trial",
    "Draw": "trial",
    "Episode": "episodes",
    "InformedAgent": "agents.protocol",
    "InfrastructureError": "errors",
    "InputError": "errors",
    "Llm": "agents.llm",
    "NetbenchError": "errors",
    "RequirementMissing": "errors",
    "ResultsDir": "results.store",
    "Score": "model.score",
    "Scorer": "scorers.protocol",
    "SelftestReport": "trial.selftest",
    "Settings": "trial",
    "Stage": "trial",
    "Store": "trial",
    "Submission": "model.trial",
    "Task": "model.task",
    "TrialRecord": "model.trial",
    "TrialResult": "model.trial",
    "TrialSpec": "trial",
    "Turn": "episodes",
    "Usage": "model.trial",
    "UsageError": "errors",
    "apply_scorers": "scorers.apply",
    "execute": "trial",
    "load_task": "taskfile",
    "record_behaviour": "trial",
    "resolve_agent": "agents.resolve",
    "run_trial": "trial",
    "selftest": "trial.selftest",
}
"""The module of each public name, which is also in the block for type checkers above."""

__all__ = ["__version__", *_PLACES]  # noqa: PLE0604  (names, which a linter cannot see)


def __getattr__(name: str) -> Any:
    if name not in _PLACES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from importlib import import_module  # only who asks for a name pays for it

    value = globals()[name] = getattr(import_module(f"{__name__}.{_PLACES[name]}"), name)
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *_PLACES})
