"""docs/reference/errors.md, parts.md, doctor.md, backends.md and exit-statuses.md name what there is."""

from __future__ import annotations

import re
from typing import get_args

import pytest

from pytest_netbench import errors, parts
from pytest_netbench.backends.netns.backend import NetnsBackend
from pytest_netbench.backends.netns.clock import pace
from pytest_netbench.backends.netns.machine import checks, features
from pytest_netbench.cli import extras
from pytest_netbench.cli import main as cli
from pytest_netbench.lab.capabilities import CAPABILITIES
from pytest_netbench.model.faulty import fault_of
from pytest_netbench.platforms.access import SandboxLimits
from tests.support.doc_examples import ROOT

FOLDER = ROOT / "docs/reference"
ERRORS = {
    name: error for name, error in vars(errors).items() if isinstance(error, type) and issubclass(error, Exception)
}


def read(page: str) -> str:
    return (FOLDER / page).read_text(encoding="utf-8")


def test_every_error_is_documented_under_its_base_and_no_other():
    rows = dict(re.findall(r"^\| `(\w+)` \| `(\w+)` \|", read("errors.md"), re.MULTILINE))
    assert rows == {name: error.__bases__[0].__name__ for name, error in ERRORS.items()}


@pytest.mark.parametrize("group", get_args(parts.Group))
def test_every_group_of_parts_is_documented_with_what_is_built_in(group):
    (row,) = [line for line in read("parts.md").splitlines() if line.startswith(f"| `pytest_netbench.{group}` |")]
    cell = row.split(" | ")[1]
    assert sorted(re.findall(r"`([\w.-]+)`", cell)) == list(parts.names(group))


def test_every_contract_of_parts_is_where_it_is_said_to_be():
    for module, name in re.findall(r"`(pytest_netbench[\w.]+)\.([A-Z]\w+)`", read("parts.md")):
        assert hasattr(__import__(module, fromlist=[name]), name)


@pytest.mark.parametrize("word", [*features.FEATURES, *checks.PROGRAMS, "lab-time"])
def test_everything_that_a_task_may_require_is_documented(word):
    assert f"`{word}`" in read("doctor.md").partition("## What a task may require")[2]


def test_no_requirement_is_documented_that_does_not_exist():
    rows = read("doctor.md").partition("## What a task may require")[2].splitlines()
    for start in ("| links", "| queueing", "| nftables"):
        (row,) = [line for line in rows if line.startswith(start)]
        assert set(re.findall(r"`([\w-]+)`", row)) <= set(features.FEATURES)


@pytest.mark.parametrize("module", extras.EXTRAS)
def test_every_extra_that_the_doctor_looks_for_is_documented(module):
    assert f"`{extras.EXTRAS[module][0]}`" in read("doctor.md")


def test_the_checks_of_this_machine_are_documented():
    text = read("doctor.md")
    made = [*NetnsBackend().report(), *extras.checks()]
    assert [check.name for check in made if f"`{check.name}`" not in text] == []


def test_the_limits_of_a_command_are_those_of_the_code():
    limits, text = SandboxLimits(), read("backends.md")
    mib = 2**20
    assert f"| wall time | {limits.timeout_s:g} s" in text
    assert f"| output | {limits.output_bytes // 1024} KiB" in text
    assert f"| memory | {limits.memory_bytes // mib} MiB |" in text
    assert f"| processes | {limits.processes} |" in text
    assert f"| files | {limits.disk_bytes // mib} MiB each" in text


def test_the_paces_are_those_of_the_code():
    text = (ROOT / "docs/explanation/lab-time.md").read_text()
    for load, most in (
        (pace._EAGER_LOAD, pace._EAGER_MOST),
        (pace._CONVERGING_LOAD, pace._CONVERGING_MOST),
        (pace._STEADY_LOAD, pace._STEADY_MOST),
    ):
        assert re.search(rf"\| {load:g} / routers( or links)? per core \| {most:g} \|", text)
    assert f"the first {pace.EAGER_S:g} s |" in text
    assert f"halved every {pace.PATIENCE_S:g} s" in " ".join(text.split())


@pytest.mark.parametrize("page", ["exit-statuses.md", "cli.md"])
def test_the_exit_statuses_of_netbench_are_documented(page):
    text = read(page).partition("## `netbench`" if page == "exit-statuses.md" else "## Exit status")[2]
    rows = re.findall(r"^\| (\d+) \|", text.partition("\n## ")[0], re.MULTILINE)
    assert [int(row) for row in rows] == [cli.OK, cli.NOT_IN_ORDER, cli.WRONG_INPUT, cli.MACHINE, cli.INTERRUPTED]


def test_the_exit_statuses_of_pytest_are_documented():
    text = read("exit-statuses.md").partition("## `pytest`")[2].partition("\n## ")[0]
    rows = re.findall(r"^\| (\d+) \|", text, re.MULTILINE)
    assert {int(row) for row in rows} >= {int(status) for status in pytest.ExitCode}


def test_every_capability_is_documented_with_what_it_offers():
    (section,) = re.findall(r"^## Capabilities\n(.*?)^## ", read("backends.md"), re.MULTILINE | re.DOTALL)
    rows = dict(re.findall(r"^\| `([\w-]+)` \| (.+?) \|", section, re.MULTILINE))
    assert rows == {name: kind.what for name, kind in CAPABILITIES.items()}


def test_what_the_default_backend_offers_is_documented():
    (row,) = [line for line in read("backends.md").splitlines() if line.startswith("| capabilities |")]
    assert set(re.findall(r"`([\w-]+)`", row)) == set(NetnsBackend.capabilities)


@pytest.mark.parametrize("name", parts.names("faults"))
def test_every_fault_is_documented_with_its_label_its_parameters_and_its_other_name(name):
    fault = fault_of(name)
    (row,) = [line for line in read("faults.md").splitlines() if line.startswith(f"| `{name}` |")]
    _, _, label, _, parameters, other, _ = (cell.strip() for cell in row.split("|"))
    assert (label, other) == (fault.label, ", ".join(fault.called.values()))
    assert re.findall(r"`(\w+)`", parameters) == list(fault.parameters.model_fields)
