"""Verdicts on trials that were stored without: made from their transcripts."""

from __future__ import annotations

from pytest_netbench.errors import ResultsError
from pytest_netbench.model.process import VERSION
from pytest_netbench.model.trial import TrialResult
from pytest_netbench.process import process_of
from pytest_netbench.results.store import ResultsDir


def with_verdicts(store: ResultsDir, result: TrialResult) -> TrialResult:
    """Return a result with verdicts of this version, if its transcript can be read; otherwise as it is."""
    if result.status == "error" or (result.process is not None and result.process.version == VERSION):
        return result
    try:
        record = store.record_of(result)
    except ResultsError:
        return result
    if record is None:
        return result
    return result.model_copy(update={"process": process_of(record, passed=result.status == "passed")})
