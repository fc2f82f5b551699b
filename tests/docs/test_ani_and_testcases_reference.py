"""The reference pages of the ANI, the evaluation interface and the testcases name all there is."""

from pathlib import Path

import pytest

from pytest_netbench.ani import errors, interface, methods, recorder
from pytest_netbench.ani.methods import METHODS
from pytest_netbench.evaluation.interface import METHODS as EVALUATION_METHODS
from pytest_netbench.evaluation.testcases import KINDS
from pytest_netbench.lab import jsonrpc
from pytest_netbench.model.task import Budget

PAGES = Path(__file__).parents[2] / "docs" / "reference"
ANI = (PAGES / "ani.md").read_text()


@pytest.mark.parametrize("method", METHODS.values(), ids=lambda method: method.name)
def test_each_method_is_described_with_its_parameters(method):
    (row,) = [line for line in ANI.splitlines() if line.startswith(f"| `{method.name}`")]
    assert all(f"`{name}`" in row for name in method.parameters["properties"])


def test_each_limit_of_the_budget_is_described():
    assert all(f"| `{name}` |" in ANI for name in Budget.model_fields)


def test_each_error_code_is_described():
    codes = [
        value for module in (errors, jsonrpc) for value in vars(module).values() if isinstance(value, int) and value < 0
    ]
    assert len(codes) > 6
    assert all(str(code) in ANI for code in codes)


def test_the_limits_are_those_of_the_code():
    assert interface.MAX_ANSWER_BYTES == 64 * 1024
    assert f"{interface.MIN_MESSAGE_BYTES} bytes each" in ANI
    assert f"| commands in one `update-cfg` | {methods.MAX_COMMANDS_PER_CALL}" in ANI
    assert methods.MAX_LINE_BYTES == 8 * 1024
    assert methods.MAX_REQUEST_CHARACTERS == 256 * 1024
    assert "256 KiB" in ANI
    assert jsonrpc.MAX_MESSAGE_BYTES == 2**20
    assert f"{jsonrpc.MAX_BATCH} requests, {jsonrpc.MAX_CLIENTS} |" in ANI
    assert recorder.MAX_STRING == 128 * 1024
    assert f"{recorder.LONG_TRACE // 2**20} MiB" in ANI
    assert f"{recorder.MAX_TRACE // 2**20} MiB" in ANI


def test_each_evaluation_method_is_described():
    page = (PAGES / "evaluation.md").read_text()
    assert all(f"| `{method}` |" in page for method in EVALUATION_METHODS)


def test_each_kind_of_testcase_has_a_section():
    page = (PAGES / "testcases.md").read_text()
    assert all(f"\n## `{kind}`\n" in page for kind in KINDS)
