"""The reference pages of the ANI, the evaluation interface and the testcases name all there is."""

import json
import re
from pathlib import Path

import pytest

import pytest_netbench
from pytest_netbench.ani import network, recorder, wire
from pytest_netbench.ani.extras import EXTRAS
from pytest_netbench.ani.methods import BUDGET_LEFT, METHODS
from pytest_netbench.ani.submission import GET_BRIEF, TASK_DONE
from pytest_netbench.evaluation.interface import METHODS as EVALUATION_METHODS
from pytest_netbench.evaluation.testcases import KINDS
from pytest_netbench.lab import jsonrpc
from pytest_netbench.model.task import Budget
from pytest_netbench.rpccodes import Code

PAGES = Path(__file__).parents[2] / "docs" / "reference"
ANI = (PAGES / "ani.md").read_text()


@pytest.mark.parametrize("method", METHODS.values(), ids=lambda method: method.name)
def test_each_method_is_described_with_its_parameters(method):
    (row,) = [line for line in ANI.splitlines() if line.startswith(f"| `{method.name}`")]
    assert all(f"`{name}`" in row for name in method.parameters["properties"])


def test_each_limit_of_the_budget_is_described():
    assert all(f"| `{name}` |" in ANI for name in Budget.model_fields)


def test_the_table_of_error_codes_is_the_one_of_the_code():
    rows = [line.split("|")[1:4] for line in ANI.partition("\n## Errors\n")[2].splitlines() if line.startswith("| `")]
    described = {(int(code), name.strip(" `"), meaning.strip()) for name, code, meaning in rows}
    assert described == {(int(code), code.name, code.meaning) for code in Code}


def test_error_codes_are_written_in_one_module():
    package = Path(pytest_netbench.__file__).parent
    wrong = re.compile(r"(?<![\w-])-32[067]\d\d\b")
    found = {str(path.relative_to(package)) for path in package.rglob("*.py") if wrong.search(path.read_text())}
    assert found == {"rpccodes.py"}


@pytest.mark.parametrize(
    "method", [*METHODS.values(), *EXTRAS.values(), BUDGET_LEFT, GET_BRIEF, TASK_DONE], ids=lambda method: method.name
)
def test_the_schemas_on_the_page_are_those_of_the_models(method):
    section = ANI.partition(f"\n### `{method.name}`\n")[2].partition("\n##")[0]
    assert method.description in section
    blocks = re.findall(r"```json\n(.*?)```", section, re.DOTALL)
    assert [json.loads(block) for block in blocks] == [method.parameters, method.result]


def test_the_limits_are_those_of_the_code():
    assert network.MAX_ANSWER_BYTES == 64 * 1024
    assert f"{network.MIN_MESSAGE_BYTES} bytes each" in ANI
    assert f"| commands in one `update-cfg` | {wire.MAX_COMMANDS_PER_CALL}" in ANI
    assert wire.MAX_LINE_BYTES == 8 * 1024
    assert wire.MAX_REQUEST_CHARACTERS == 256 * 1024
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
