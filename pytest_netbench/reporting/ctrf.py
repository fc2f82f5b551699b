"""The report of a run in the Common Test Report Format (CTRF, https://ctrf.io).

Owns which of its fields are filled, and how. Pure: what was reported goes in, a JSON object comes out.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, Literal
from uuid import NAMESPACE_URL, uuid5

from pytest_netbench.model.trial import TestcaseResult, TrialResult
from pytest_netbench.reporting.item import identity

SPEC_VERSION: Final = "0.0.0"
Outcome = Literal["pending", "passed", "failed", "error", "skipped", "xfailed", "xpassed"]
_STATUS: Final[Mapping[str, str]] = {
    "pending": "pending",  # begun, and cut off
    "passed": "passed",
    "xpassed": "passed",
    "failed": "failed",
    "error": "other",  # the machine broke, or a fixture: neither the agent nor the test has failed
    "skipped": "skipped",
    "xfailed": "skipped",
}
_STATUSES: Final = ("passed", "failed", "skipped", "pending", "other")


@dataclass(frozen=True, kw_only=True)
class Reported:
    """One item as pytest reported it. Times in seconds, ``started_s`` and ``stopped_s`` since the epoch.

    Attributes:
        node_id: The item.
        outcome: What came of it.
        message: Why it did not pass, in one line.
        trace: The whole text of a failure.
        worker: The xdist worker that ran it.
        retries: How often it was run before.
        result: Of a trial.
    """

    node_id: str
    outcome: Outcome
    started_s: float
    stopped_s: float
    duration_s: float
    message: str = ""
    trace: str = ""
    worker: str = ""
    retries: int = 0
    result: TrialResult | None = None


@dataclass(frozen=True, kw_only=True)
class About:
    """The run that is reported.

    Attributes:
        report_id: A UUID.
        timestamp: When the report was made, as RFC 3339.
        started_s: When the run began, in seconds since the epoch.
        stopped_s: When it ended.
        exit_status: Of pytest.
        complete: It ended by itself: not by Ctrl-C or ``-x``.
        versions: Of ``pytest``, ``netbench`` and ``kernel``.
        results: The results directory, as the run prints it.
    """

    report_id: str
    timestamp: str
    started_s: float
    stopped_s: float
    exit_status: int
    complete: bool
    versions: Mapping[str, str]
    results: str = ""


def ctrf(reported: Sequence[Reported], about: About) -> dict[str, Any]:
    """Return the report of a run as a JSON object."""
    tests = [_test(one) for one in reported]
    counts = {status: sum(one["status"] == status for one in tests) for status in _STATUSES}
    commits = {one.result.environment.git_commit for one in reported if one.result and one.result.environment}
    environment = {"osPlatform": "linux", "osRelease": about.versions["kernel"]}
    if len(commits) == 1 and (commit := commits.pop()):
        environment["commit"] = commit
    return {
        "reportFormat": "CTRF",
        "specVersion": SPEC_VERSION,
        "reportId": about.report_id,
        "timestamp": about.timestamp,
        "generatedBy": f"pytest-netbench {about.versions['netbench']}",
        "results": {
            "tool": {"name": "pytest", "version": about.versions["pytest"]},
            "summary": {
                "tests": len(tests),
                **counts,
                "flaky": sum(bool(one.get("flaky")) for one in tests),
                "start": _ms(about.started_s),
                "stop": _ms(about.stopped_s),
                "duration": _ms(about.stopped_s - about.started_s),
            },
            "tests": tests,
            "environment": environment,
            "extra": {
                "netbench": {
                    "exit_status": about.exit_status,
                    "complete": about.complete,
                    "errors": sum(one.outcome == "error" for one in reported),
                    "results": about.results,
                }
            },
        },
    }


def _test(one: Reported) -> dict[str, Any]:
    file, inside, name = one.node_id.partition("::")
    status = _STATUS[one.outcome]
    test: dict[str, Any] = {
        "id": str(uuid5(NAMESPACE_URL, f"pytest:{one.node_id}")),
        "name": name if inside else one.node_id,
        "status": status,
        "rawStatus": one.outcome,
        "duration": _ms(one.duration_s),
        "start": _ms(one.started_s),
        "stop": _ms(one.stopped_s),
        # a drawn task has no file: its series is its suite
        "suite": [file if inside else one.node_id.partition("[")[0]],
    }
    if inside:
        test["filePath"] = file
    texts = {"message": one.message, "trace": one.trace, "threadId": one.worker}
    test |= {field: text for field, text in texts.items() if text}
    if one.retries:
        test |= {"retries": one.retries, "flaky": status == "passed"}
    if one.result is not None:
        test |= _of_trial(one.result)
    return test


def _of_trial(result: TrialResult) -> dict[str, Any]:
    fields: dict[str, Any] = {
        "tags": [result.domain, result.family],
        "extra": {"netbench": _extra(result)},
    }
    if result.testcase_results:
        fields["steps"] = [_step(one) for one in result.testcase_results]
    return fields


def _extra(result: TrialResult) -> dict[str, Any]:
    """What JUnit has as properties, with numbers as numbers."""
    extra: dict[str, Any] = {
        **identity(result),
        "scores": {one.metric: {"value": one.value, "scorer": one.scorer} for one in result.scores},
        "transcript": result.transcript,
    }
    if result.size is not None:
        extra["size"] = result.size.model_dump()
    if result.drawn is not None:
        extra["drawn"] = result.drawn.model_dump(mode="json")
    if result.status != "error":
        extra |= {
            "usage": result.usage.model_dump(),
            "budget_used": result.budget_used.model_dump(),
            "deploy_s": result.deploy_s,
            "agent_s": result.agent_s,
            "evaluate_s": result.evaluate_s,
        }
    if result.environment is not None:
        extra |= {"time_scale": result.environment.time_scale, "backend": result.environment.backend}
    return extra


def _step(one: TestcaseResult) -> dict[str, Any]:
    about = {"kind": one.kind, "role": one.role, "intent": one.intent, "under": one.under, "duration_s": one.duration_s}
    return {"name": one.name, "status": "passed" if one.status == "pass" else "failed", "extra": about}


def _ms(seconds: float) -> int:
    return round(seconds * 1000)
