"""What the page shows of one trial: its network, steps, testcases, and how its configs differ from the ground truth."""

from __future__ import annotations

import difflib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from pytest_netbench.model.trial import Step, TestcaseResult, TrialRecord, TrialResult
from pytest_netbench.reporting import words
from pytest_netbench.reporting.page.geometry import Drawing, drawing
from pytest_netbench.text import plain_json

MOST_TEXT = 6_000
"""Characters of one command's answer or one completion; the rest is in the transcript."""
MOST_STEPS = 300
MOST_FLOWS = 12
"""Wrong flows that are drawn; all are listed."""


@dataclass(frozen=True, kw_only=True)
class ShownStep:
    """One step: when, what the agent did, and what came back."""

    at: str
    kind: str
    title: str
    asked: str
    answered: str
    failed: bool = False


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
        controls: By node: managed, observed or foreign.
        changed: Nodes whose config the agent changed.
        wrong: Flows that are wrong in the end: source, target and words.
        steps: What happened.
        left_out: Steps that are in the transcript only.
        diffs: Of nodes whose config differs from the ground truth.
        reasoning: The agent's.
        answer: What was handed in beside the network, as JSON.
        truth: How the task is solved, or what was wrong.
        evidence: Lines that say what would have shown it.
    """

    result: TrialResult
    intents: Sequence[str] = ()
    drawing: Drawing | None = None
    controls: Mapping[str, str]
    changed: frozenset[str] = frozenset()
    wrong: Sequence[tuple[str, str, str]] = ()
    steps: Sequence[ShownStep] = ()
    left_out: int = 0
    diffs: Sequence[Diff] = ()
    reasoning: str = ""
    answer: str = ""
    truth: str = ""
    evidence: Sequence[str] = ()

    @property
    def failed_testcases(self) -> Sequence[TestcaseResult]:
        """Those that did not pass, first."""
        return sorted(self.result.testcase_results, key=lambda one: one.status == "pass")


def detail(result: TrialResult, record: TrialRecord | None) -> Detail:
    """What the page shows of a trial; without its record only what the result says."""
    if record is None:
        return Detail(result=result, controls={})
    task, topology = record.task, record.task.network.topology if record.task.has_network else None
    answer = record.submission.answer
    return Detail(
        result=result,
        intents=[str(one.text) for one in getattr(task.payload, "intents", ())],
        drawing=drawing(topology) if topology else None,
        controls={node.name: node.control for node in topology.nodes} if topology else {},
        changed=frozenset(_changed(record.initial_configs, record.final_configs)),
        wrong=list(_wrong(record)),
        steps=[_step(one) for one in record.trace[:MOST_STEPS]],
        left_out=max(0, len(record.trace) - MOST_STEPS),
        diffs=list(_diffs(record)),
        reasoning=_cut(record.submission.reasoning or ""),
        truth=_cut(task.ground_truth_reasoning),
        evidence=record.other.get("reference_diagnosis", ()),
        answer="" if answer is None else _cut(plain_json(answer, indent=1)),
    )


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


def _step(step: Step) -> ShownStep:
    at, data = words.seconds(step.at_s), step.data
    if step.kind == "ani":
        params = dict(data.get("params") or {})
        device = str(params.pop("device", ""))
        title = f"{data.get('method', '')} {device}".strip()
        error = data.get("error")
        answered = data.get("result") if error is None else error
        return ShownStep(
            at=at, kind="ANI", title=title, asked=_asked(params), answered=_text(answered), failed=error is not None
        )
    if step.kind == "completion":
        response = data.get("response") or {}
        said = response.get("text", "") if isinstance(response, dict) else response
        calls = response.get("tool_calls") if isinstance(response, dict) else None
        return ShownStep(
            at=at, kind="model", title=str(data.get("model", "")), asked=_text(calls), answered=_text(said)
        )
    return ShownStep(at=at, kind="note", title="", asked="", answered=_text(data.get("text", data)))


def _asked(params: Mapping[str, Any]) -> str:
    """Commands as lines, other parameters as JSON."""
    lines = params.get("commands", params.get("command"))
    if len(params) == 1 and isinstance(lines, list):
        return _cut("\n".join(map(str, lines)))
    if len(params) == 1 and isinstance(lines, str):
        return _cut(lines)
    return _text(params)


def _text(value: Any) -> str:
    if value in (None, "", {}, []):
        return ""
    return _cut(value if isinstance(value, str) else plain_json(value, indent=1))


def _cut(text: str) -> str:
    more = len(text) - MOST_TEXT
    return text if more <= 0 else f"{text[:MOST_TEXT]}\n… {more} more characters in the transcript"
