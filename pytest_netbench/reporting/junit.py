"""JUnit properties of one item. Values are strings: anything else would break a distributed run."""

from __future__ import annotations

from sys import intern

from pytest_netbench.model.trial import TrialResult
from pytest_netbench.reporting.item import identity, is_unprotected

NOT_MEASURED = "not measured"


def junit_properties(result: TrialResult) -> list[tuple[str, str]]:
    """``netbench.score.<metric>`` and what is needed to compare it with others."""
    properties = identity(result)
    if result.size is not None:
        properties |= result.size.model_dump()
    if result.drawn is not None:
        properties |= {"generator": result.drawn.generator, "label": result.drawn.label, "level": result.drawn.level}
    for score in result.scores:
        properties[f"score.{score.metric}"] = NOT_MEASURED if score.value is None else f"{score.value:g}"
        properties[f"scorer.{score.metric}"] = score.scorer
    if result.status != "error":
        properties |= {
            "calls": result.budget_used.calls,
            "commands": result.budget_used.commands,
            "tokens": result.usage.prompt_tokens + result.usage.completion_tokens,
            "cost_usd": None if result.usage.cost_usd is None else f"{result.usage.cost_usd:g}",
            "agent_s": f"{result.agent_s:.3f}",
        }
    if result.environment is not None:
        properties |= {"time_scale": f"{result.environment.time_scale:g}", "backend": result.environment.backend}
    if is_unprotected(result):
        properties["read_only"] = "not enforced"
    if result.replayed is not None:
        properties["replayed"] = result.replayed.cassette
    properties["transcript"] = result.transcript
    # pytest keeps them of each item until its end; their names are the same
    return [(intern(f"netbench.{name}"), str(value)) for name, value in properties.items() if value is not None]
