"""Proves a task: measures the claims that are asked for, and gathers what they found."""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from pytest_netbench.errors import AgentError
from pytest_netbench.families.configure.proof.claims import Claim
from pytest_netbench.families.configure.proof.mutants import Mutants
from pytest_netbench.families.configure.proof.omissions import Omissions
from pytest_netbench.families.configure.proof.oracle import Nop, Oracle
from pytest_netbench.families.configure.proof.proof_labs import ProofLabs
from pytest_netbench.families.configure.proof.solutions import RecordedSolutions
from pytest_netbench.families.proof import Extent, Proof, TruthConfigs
from pytest_netbench.families.protocol import Stages
from pytest_netbench.model.task import Task

BASIC: Final = frozenset({"oracle", "nop", "omissions"})
"""The claims without which a ground truth is not recorded as proved."""


def prove(task: Task, stages: Stages, extent: Extent, wanted: frozenset[str]) -> Proof:
    """Measure the claims in ``wanted`` and return the results."""
    labs = ProofLabs(task, stages, extent)
    oracle, solutions = Oracle(labs), RecordedSolutions(labs)
    every: list[Claim] = [oracle, Nop(labs), solutions, Omissions(labs), Mutants(labs)]
    claims = [claim for claim in every if claim.name in wanted]
    try:
        for repeat in range(extent.repeats):
            for claim in claims:
                claim.measure(repeat)
    except AgentError as error:
        return Proof(problems=(str(error),), shown={})
    return Proof(
        problems=tuple(problem for claim in claims for problem in claim.problems()),
        shown={**{k: v for claim in claims for k, v in claim.shown().items()}, "repeats": str(extent.repeats)},
        listed={heading: lines for claim in claims for heading, lines in claim.listed().items()},
        truth=_truth(oracle, solutions if solutions in claims and extent.share == 1 else None)
        if wanted >= BASIC
        else None,
    )


def _truth(oracle: Oracle, solutions: RecordedSolutions | None) -> TruthConfigs | None:
    truth = oracle.truth
    if truth is None or solutions is None:
        return truth
    return replace(truth, right=solutions.right_configs, right_reasoning=solutions.right_reasoning)
