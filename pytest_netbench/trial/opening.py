"""Opening an ANI under the terms of a trial."""

from __future__ import annotations

from collections.abc import Sequence

from pytest_netbench.ani import manual
from pytest_netbench.ani.interface import AgentInterface
from pytest_netbench.ani.methods import SEARCH_MANUAL, SSH
from pytest_netbench.ani.own import OwnMethod
from pytest_netbench.ani.protocol import OpenAni
from pytest_netbench.ani.ssh import open_ssh
from pytest_netbench.lab.protocols import Lab
from pytest_netbench.trial.terms import Terms


def open_ani(lab: Lab | None, terms: Terms, *, methods: Sequence[OwnMethod] = ()) -> OpenAni:
    """Open the agent's interface to ``lab`` under ``terms``; the caller closes it.

    Args:
        lab: The lab, if there is one.
        terms: What the agent may do and use.
        methods: What the scene offers.

    Raises:
        RequirementMissing: This machine lacks what an extra needs.
        LabError: Devices could not be made to answer with SSH.
    """
    permitted = terms.policy.methods
    own = [one for one in methods if permitted is None or one.spec.name in permitted]
    ani = AgentInterface(lab, policy=terms.policy, budget=terms.budget, methods=own, approver=terms.approver)
    if ani.network is None:
        return ani
    if SEARCH_MANUAL in terms.extras:
        manual.prepare(ani.network.dialects)
    if SSH in terms.extras:
        open_ssh(ani)
    return ani
