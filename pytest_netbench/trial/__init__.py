"""One trial from start to end, and the self-test; usable without pytest.

``Stage`` is where a trial takes place, ``run_trial`` a whole trial in one call, ``selftest`` the proof of a task.
"""

from pytest_netbench.trial.attempt import Trial
from pytest_netbench.trial.opening import open_ani
from pytest_netbench.trial.recording import record_behaviour
from pytest_netbench.trial.run import run_trial
from pytest_netbench.trial.scoring import error_result, heavy_scores, scored
from pytest_netbench.trial.selftest import SelftestReport, selftest
from pytest_netbench.trial.settings import Settings
from pytest_netbench.trial.stage import Stage
from pytest_netbench.trial.terms import Terms, brief_for, family_of, terms_for
from pytest_netbench.trial.verdict import explain, judge

__all__ = [
    "SelftestReport",
    "Settings",
    "Stage",
    "Terms",
    "Trial",
    "brief_for",
    "error_result",
    "explain",
    "family_of",
    "heavy_scores",
    "judge",
    "open_ani",
    "record_behaviour",
    "run_trial",
    "scored",
    "selftest",
    "terms_for",
]
