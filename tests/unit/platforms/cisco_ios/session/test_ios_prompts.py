"""Prompts: those of long host names, and configured ones."""

from __future__ import annotations

import pytest

from tests.support.ios import Session, paper

LONG = "THIS.IS.A.PARTICULARLY.LONG"


# netmiko issues 2755, 2718, 1786, 210 (long names) and 2956 (`prompt`)
@pytest.mark.parametrize(
    ("lines", "expected"),
    [
        ((), f"{LONG}#"),
        (("configure terminal",), "THIS.IS.A.PARTICULAR(config)#"),
        (("configure terminal", "interface Gi0/0"), "THIS.IS.A.PARTICULAR(config-if)#"),
        (("configure terminal", "prompt %h-STP-1234%p"), "THIS.IS.A.PARTICULAR(config)#"),
        (("configure terminal", "prompt %h-STP-1234%p", "end"), f"{LONG}-STP-1234#"),
        (("configure terminal", "prompt %h-STP-1234%p", "end", "disable"), f"{LONG}-STP-1234>"),
        (("configure terminal", "prompt 100%%%s%p", "end"), "100% #"),
        (("configure terminal", "prompt X%p", "no prompt", "end"), f"{LONG}#"),
    ],
)
def test_a_prompt_shows_twenty_characters_of_a_name_in_configuration_modes_and_what_is_configured_else(lines, expected):
    session = Session(paper(f"hostname {LONG}"))
    session.enter("enable")
    for line in lines:
        assert not [word for word in session.enter(line).splitlines() if word.startswith("%")], line
    assert session.prompt == expected
