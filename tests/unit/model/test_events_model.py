"""Which actions of an event leave nothing changed."""

from __future__ import annotations

import pytest
from pydantic import TypeAdapter

from pytest_netbench.model.events import Action, cancel_out

ACTIONS: TypeAdapter[list[Action]] = TypeAdapter(list[Action])
CABLE, OTHER = ({"node": "R1", "interface": name} for name in ("eth0", "eth1"))
DAEMON = {"node": "R1", "daemon": "ospfd"}


@pytest.mark.parametrize(
    ("actions", "nothing"),
    [
        ([], False),
        ([{"fail": "R1"}], False),
        ([{"fail": "R1"}, {"recover": "R1"}], True),
        ([{"fail": "R1"}, {"recover": "R2"}], False),
        ([{"recover": "R1"}, {"fail": "R1"}], False),
        ([{"cut": CABLE}, {"restore": CABLE}], True),
        ([{"cut": CABLE}, {"restore": OTHER}], False),
        ([{"cut": CABLE}, {"stop": DAEMON}, {"restore": CABLE}], False),
        ([{"cut": CABLE}, {"stop": DAEMON}, {"restore": CABLE}, {"start": DAEMON}], True),
        ([{"fail": "R1"}, {"recover": "R1"}, {"reboot": "R1"}], False),
        ([{"link": {"at": CABLE, "loss": 0.1}}], False),
    ],
)
def test_actions_cancel_out(actions: list[object], nothing: bool) -> None:
    assert cancel_out(ACTIONS.validate_python(actions)) is nothing
