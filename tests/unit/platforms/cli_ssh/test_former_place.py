from __future__ import annotations

import importlib
import sys

import pytest

from pytest_netbench.platforms.cli_ssh.line import SshCommandLine

FORMER = "pytest_netbench.platforms.cisco_ios_ssh.line"


def test_the_former_place_of_the_command_line_still_has_it_and_names_the_new_one(monkeypatch):
    monkeypatch.delitem(sys.modules, FORMER, raising=False)
    with pytest.warns(DeprecationWarning, match=r"is now pytest_netbench\.platforms\.cli_ssh\.line"):
        module = importlib.import_module(FORMER)
    assert module.SshCommandLine is SshCommandLine
