"""The ANI method of the family: trying code."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated, Final, Literal

from pydantic import AfterValidator, Field, Strict

from pytest_netbench.ani.family_methods import FamilyMethod
from pytest_netbench.ani.methods import spec_of
from pytest_netbench.ani.recorder import clip
from pytest_netbench.ani.wire import Wire
from pytest_netbench.datacenter_graph.comparison import changes
from pytest_netbench.model.base import Model

if TYPE_CHECKING:
    from pytest_netbench.datacenter_graph.graph import Graph
    from pytest_netbench.families.plan.execution import Execution, Runner

RUN_CODE: Final = "run-code"
LONGEST_CODE: Final = 65_536
_LONGEST_DATA = 16_384
_MOST_CHANGES = 20


def _encodable(text: str) -> str:
    if any("\ud800" <= character <= "\udfff" for character in text):
        raise ValueError("contains a surrogate character, which no text file can have")
    return text


Code = Annotated[
    str,
    Strict(),
    AfterValidator(_encodable),
    Field(max_length=LONGEST_CODE, description="Python source that defines process_graph(graph_data)"),
]


class PlanAnswer(Model):
    """The answer to a task of family ``plan``."""

    code: Code


class RunCodeParams(Wire):
    """Parameters of ``run-code``."""

    code: Code


class RunCodeResult(Wire):
    """Result of ``run-code``."""

    status: Literal["done", "error", "timeout", "killed"] = Field(
        description="done: process_graph returned; error: it raised an error or returned something else; timeout: it"
        " was too slow; killed: it ended without a result"
    )
    seconds: float | None = Field(None, description="how long the code ran")
    error: str | None = Field(None, description="what went wrong")
    printed: str | None = Field(None, description="what the code printed, cut if it is long")
    data: str | None = Field(None, description="what it returned under `data`, as JSON, cut if it is long")
    graph: str | None = Field(None, description="how the graph that it left differs from the one that it got")


SPEC: Final = spec_of(
    RUN_CODE,
    "Run Python code on a fresh copy of the graph, as the answer's code will be run. Returns what process_graph"
    " returned, what it changed, and what was printed or went wrong.",
    RunCodeParams,
    RunCodeResult,
)


def methods(runner: Runner, graph: Graph) -> Sequence[FamilyMethod]:
    """Return the methods over ``runner``, which runs code on ``graph``."""

    def run_code(params: RunCodeParams) -> RunCodeResult:
        return _result(runner.run(params.code), graph)

    return (FamilyMethod(spec=SPEC, params=RunCodeParams, answer=run_code),)


def _result(execution: Execution, graph: Graph) -> RunCodeResult:
    done = execution.status == "done"
    return RunCodeResult(
        status=execution.status,
        seconds=execution.seconds,
        error=execution.error or None,
        printed=execution.printed or None,
        data=clip(json.dumps(execution.data), _LONGEST_DATA) if done and execution.data is not None else None,
        graph=None if execution.graph is None else _difference(execution, graph),
    )


def _difference(execution: Execution, graph: Graph) -> str:
    assert execution.graph is not None
    words = changes(graph, execution.graph).describe(_MOST_CHANGES) or "no difference"
    return "; ".join([clip(words, _LONGEST_DATA), *execution.faults[:_MOST_CHANGES]])
