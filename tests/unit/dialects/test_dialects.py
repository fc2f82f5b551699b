"""What holds for every dialect, and that scoring with one loads nothing that runs."""

from __future__ import annotations

import subprocess
import sys

import pytest

from pytest_netbench import parts
from pytest_netbench.dialects.base import Dialect

NAMES = parts.names("dialects")
FORBIDDEN = ("platforms", "lab", "ani", "evaluation", "agents", "backends")
_SCORING = """
import sys
from pytest_netbench import parts
from pytest_netbench.scorers.command import CommandScorer
from pytest_netbench.scorers.config_tree import parse_tree
from pytest_netbench.scorers.lines import Lines
from pytest_netbench.taskfile import load_task

for name in parts.names("dialects"):
    dialect = parts.load("dialects", name)()
    Lines(dialect).canonical(parse_tree("interface e0\\n ip address 10.0.0.1 255.0.0.0\\n"))
    dialect.manual()
print([name for name in sys.modules if name.startswith(tuple(sys.argv[1:]))])
"""


@pytest.fixture(params=NAMES)
def dialect(request: pytest.FixtureRequest) -> Dialect:
    return parts.load("dialects", request.param)()


def test_a_dialect_is_called_what_its_entry_point_is_called(dialect):
    assert parts.load("dialects", dialect.name)().name == dialect.name


def test_every_dialect_has_a_driver_of_its_name_that_says_so(dialect):
    assert parts.load("drivers", dialect.name)().dialect == dialect.name


def test_a_canonical_line_stays_as_it_is(dialect):
    line = dialect.normalise("  interface   Loopback0 ")
    assert line == "interface Loopback0"
    assert dialect.normalise(line) == line


def test_a_name_that_no_interface_has_is_refused(dialect):
    with pytest.raises(ValueError, match="interface"):
        dialect.interface("no such/thing at all")


@pytest.mark.parametrize(("short", "full"), [("gi0/1", "GigabitEthernet0/1"), ("S0/0/0.5", "Serial0/0/0.5")])
def test_names_of_one_ios_interface_have_one_full_form(short, full):
    dialect = parts.load("dialects", "cisco_ios")()
    assert dialect.interface(short) == dialect.interface(full) == full


def test_scoring_loads_no_driver_no_lab_and_no_agent():
    modules = [f"pytest_netbench.{name}" for name in FORBIDDEN]
    done = subprocess.run(
        [sys.executable, "-c", _SCORING, *modules], capture_output=True, text=True, check=True, timeout=120
    )
    assert done.stdout.strip() == "[]"
