"""One trial from start to end, usable without pytest.

``run_trial`` does it all; ``Trial`` is for someone who has a lab already.
"""

from pytest_netbench.trial.attempt import Trial, check_health
from pytest_netbench.trial.opening import open_ani
from pytest_netbench.trial.run import platforms_of, run_trial
from pytest_netbench.trial.terms import Terms, brief_for, family_of, terms_for
from pytest_netbench.trial.verdict import explain, judge

__all__ = [
    "Terms",
    "Trial",
    "brief_for",
    "check_health",
    "explain",
    "family_of",
    "judge",
    "open_ani",
    "platforms_of",
    "run_trial",
    "terms_for",
]
