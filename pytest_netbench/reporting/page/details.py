"""What the page shows of one trial: its network, steps, testcases, and how its configs differ from the ground truth."""

from __future__ import annotations

import difflib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from pytest_netbench.model.faulty import Faulty
from pytest_netbench.model.payload import Networked
from pytest_netbench.model.trial import TestcaseResult, TrialRecord, TrialResult
from pytest_netbench.reporting.page.geometry import Drawing, drawing
from pytest_netbench.reporting.page.steps import ShownStep, cut, numbered
from pytest_netbench.reporting.page.wiring import Fault, Interface, faults, interfaces, labels
from pytest_netbench.text import plain_json

MOST_STEPS = 300
MOST_FLOWS = 12
"""Wrong flows that are drawn; all are listed."""


@dataclass(frozen=True, kw_only=True)
class Diff:
    """How the config of a node differs, as lines of a unified diff."""

    node: str
    against: str
    lines: Sequence[str]


@dataclass(frozen=True, kw_only=True)
class Detail:
    """A trial.

    Attributes:
        result: What its line in the results says.
        intents: What was asked.
        drawing: Of the network, if it has one.
        interfaces: Of the network.
        faults: What was wrong in the network when the agent began, if the family breaks networks; else nothing.
        controls: By node: managed, observed or foreign.
        changed: Nodes whose config the agent changed.
        wrong: Flows that are wrong in the end: source, target and words.
        steps: What happened.
        left_out: Steps that are in the transcript only.
        diffs: Of nodes whose config differs from the ground truth.
        reasoning: The agent's.
        answer: What was handed in beside the network, as JSON.
        truth: How the task is solved, or what was wrong; empty if the agent's reasoning says just this.
        is_truth: Whether the agent's reasoning is the ground truth.
        evidence: Lines that say what would have shown it.
    """

    result: TrialResult
    intents: Sequence[str] = ()
    drawing: Drawing | None = None
    interfaces: Sequence[Interface] = ()
    faults: Sequence[Fault] | None = None
    controls: Mapping[str, str]
    changed: frozenset[str] = frozenset()
    wrong: Sequence[tuple[str, str, str]] = ()
    steps: Sequence[ShownStep] = ()
    left_out: int = 0
    diffs: Sequence[Diff] = ()
    reasoning: str = ""
    answer: str = ""
    truth: str = ""
    is_truth: bool = False
    evidence: Sequence[str] = ()

    @property
    def failed_testcases(self) -> Sequence[TestcaseResult]:
        """Those that did not pass, first."""
        return sorted(self.result.testcase_results, key=lambda one: one.status == "pass")


def detail(result: TrialResult, record: TrialRecord | None) -> Detail:
    """What the page shows of a trial; without its record only what the result says."""
    if record is None:
        return Detail(result=result, controls={})
    task, answer = record.task, record.submission.answer
    reasoning, truth = _told(record)
    return Detail(
        result=result,
        intents=[str(one.text) for one in getattr(task.payload, "intents", ())],
        **(_network(record, task.network) if task.has_network else {"controls": {}}),
        changed=frozenset(_changed(record.initial_configs, record.final_configs)),
        wrong=list(_wrong(record)),
        steps=list(numbered(record.trace[:MOST_STEPS])),
        left_out=max(0, len(record.trace) - MOST_STEPS),
        diffs=list(_diffs(record)),
        reasoning=cut(reasoning),
        truth="" if reasoning == truth else cut(truth),
        is_truth=bool(reasoning) and reasoning == truth,
        evidence=record.other.get("reference_diagnosis", ()),
        answer="" if answer is None else cut(plain_json(answer, indent=1)),
    )


def _network(record: TrialRecord, network: Networked) -> dict[str, Any]:
    """What is shown of a network."""
    known = interfaces(record, network)
    broken = faults(record.task.payload)
    nodes = [node.name for node in network.topology.nodes]
    return {
        "drawing": drawing(
            network.topology,
            {node: _name(node, network.platform_of(node), network.topology.controls[node]) for node in nodes},
            labels(known),
            [one.ends for one in broken],
        ),
        "interfaces": known,
        "faults": broken if isinstance(record.task.payload, Faulty) else None,
        "controls": network.topology.controls,
    }


def _name(node: str, platform: str, control: str) -> tuple[str, ...]:
    return (node, platform if control == "managed" else f"{platform}, {control}")


def _told(record: TrialRecord) -> tuple[str, str]:
    """What the agent reasoned, and the ground truth."""
    return (record.submission.reasoning or "").strip(), record.task.ground_truth_reasoning.strip()


def _changed(before: Mapping[str, str], after: Mapping[str, str]) -> Iterator[str]:
    return (node for node, text in after.items() if text != before.get(node, text))


def _wrong(record: TrialRecord) -> Iterator[tuple[str, str, str]]:
    if record.watch is not None:
        for number in record.watch.wrong_after:
            flow = record.watch.flows[number]
            yield flow.source, flow.target, str(flow)


def _diffs(record: TrialRecord) -> Iterator[Diff]:
    truth, against = record.truth_configs, "the ground truth"
    if truth is None:
        truth, against = record.initial_configs, "the config before the agent"
    for node, text in record.final_configs.items():
        if node in truth and truth[node] != text:
            found = difflib.unified_diff(
                truth[node].splitlines(), text.splitlines(), against, "the agent's", lineterm=""
            )
            yield Diff(node=node, against=against, lines=[*found][:MOST_STEPS])
