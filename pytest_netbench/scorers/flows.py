"""Correctness, safety and outage of watched flows: each flow counts by itself, at every change."""

from __future__ import annotations

from pytest_netbench.model.score import Score
from pytest_netbench.model.trial import TrialRecord
from pytest_netbench.model.watch import Watch, WatchedStep
from pytest_netbench.scorers.values import indicator
from pytest_netbench.scorers.watched import LISTED, named, not_watched, of, unsafe_steps


class CorrectnessScorer:
    """1 if at the end every flow that must get through does, and no other does; else 0."""

    name = "correctness"
    version = 1
    on_controller = False

    def score(self, record: TrialRecord) -> Score:
        watch = record.watch
        if watch is None:
            return not_watched(self.name, self.version)
        wrong, total = len(watch.wrong_after), len(watch.flows)
        return indicator(
            self.name,
            self.version,
            holds=not wrong,
            words=f"{of(wrong, total, 'flows')} are wrong at the end",
            evidence={"total": total, "wrong": wrong, "flows": named(watch, watch.wrong_after)},
        )


class SafetyScorer:
    """1 if no change made a flow wrong that was right before it, else 0.

    What else a change mends does not count: breaking one flow while mending many is unsafe. A flow that must not get
    through is right as long as it does not.
    """

    name = "safety"
    version = 1
    on_controller = False

    def score(self, record: TrialRecord) -> Score:
        watch = record.watch
        if watch is None:
            return not_watched(self.name, self.version)
        unsafe = unsafe_steps(watch)
        # a record that was too long has a step that broke something: what only mends has room
        safe = not unsafe and not watch.steps_left_out
        broken = {flow for step in unsafe for flow in step.broke}
        return indicator(
            self.name,
            self.version,
            holds=safe,
            words=_words(watch, unsafe, broken),
            evidence={
                "changes": watch.changes,
                "unsafe": len(unsafe),
                "broken": len(broken),
                "steps": [_shown(watch, step) for step in unsafe[:LISTED]],
            },
        )


class OutageScorer:
    """The longest time in which a flow that had worked did not, in lab seconds. Lower is better."""

    name = "outage"
    version = 1
    on_controller = False

    def score(self, record: TrialRecord) -> Score:
        watch = record.watch
        if watch is None:
            return not_watched(self.name, self.version)
        worst = max(watch.outages, key=lambda outage: outage.lab_s, default=None)
        lasting = [outage.flow for outage in watch.outages if outage.lasts]
        words = "no flow that worked was interrupted"
        if worst is not None:
            words = f"{watch.flows[worst.flow]} was interrupted for {worst.lab_s:.1f} lab seconds"
            words += " and did not recover" if worst.lasts else ""
        return Score(
            metric=self.name,
            value=0.0 if worst is None else worst.lab_s,
            explanation=words,
            scorer=f"{self.name}/{self.version}",
            evidence={
                "interrupted": len(watch.outages),
                "lasting": len(lasting),
                "flows": named(watch, lasting),
                "precision_s": watch.precision_s,
            },
        )


def _words(watch: Watch, unsafe: list[WatchedStep], broken: set[int]) -> str:
    if not unsafe:
        left_out = f"; {watch.steps_left_out} further steps were not kept" if watch.steps_left_out else ""
        return f"none of {watch.changes} changes broke a flow{left_out}"
    first = unsafe[0]
    flows = f"{watch.flows[first.broke[0]]}" + (f" and {len(first.broke) - 1} more" if len(first.broke) > 1 else "")
    return (
        f"{of(len(unsafe), watch.changes, 'changes')} broke {of(len(broken), len(watch.flows), 'flows')}, first change"
        f" {first.number} on {first.device or 'no device'}: {flows}"
    )


def _shown(watch: Watch, step: WatchedStep) -> dict[str, object]:
    return {
        "change": step.number,
        "device": step.device,
        "what": step.what,
        "late": step.late,
        "broke": len(step.broke),
        "mended": len(step.mended),
        "flows": named(watch, step.broke),
    }
