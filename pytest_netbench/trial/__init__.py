"""One trial from start to end, and the self-test; usable without pytest.

``execute`` runs the trial that a ``TrialSpec`` describes, ``run_trial`` one of objects at hand. ``Stage`` is where a
trial takes place, ``selftest`` the proof of a task. The modules of this package are not public.
"""

from pytest_netbench.trial.cassettes import CassetteSpec
from pytest_netbench.trial.execution import Trial, evaluated, execute, perform, run_trial
from pytest_netbench.trial.limits import Terms, brief_for, family_of, terms_for
from pytest_netbench.trial.recording import record_behaviour
from pytest_netbench.trial.scoring import error_result, heavy_scores, scored
from pytest_netbench.trial.selftest import SelftestReport, selftest
from pytest_netbench.trial.session import open_ani
from pytest_netbench.trial.settings import Settings
from pytest_netbench.trial.spec import Draw, Store, TrialSpec
from pytest_netbench.trial.stage import Stage
from pytest_netbench.trial.verdict import explain, judge

__all__ = [
    "CassetteSpec",
    "Draw",
    "SelftestReport",
    "Settings",
    "Stage",
    "Store",
    "Terms",
    "Trial",
    "TrialSpec",
    "brief_for",
    "error_result",
    "evaluated",
    "execute",
    "explain",
    "family_of",
    "heavy_scores",
    "judge",
    "open_ani",
    "perform",
    "record_behaviour",
    "run_trial",
    "scored",
    "selftest",
    "terms_for",
]
