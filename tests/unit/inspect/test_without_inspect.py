"""Without Inspect: nothing of it is imported, and what needs it says how to get it."""

from __future__ import annotations

import subprocess
import sys
from importlib.metadata import entry_points

from pytest_netbench.cli.extras import checks

ASKED = "import pytest_netbench.inspect"
BLOCKED = "import sys; sys.modules['inspect_ai'] = None; import importlib.util as u; u.find_spec = lambda *_: None; "


def test_the_package_names_the_extra() -> None:
    done = subprocess.run([sys.executable, "-c", BLOCKED + ASKED], capture_output=True, text=True, check=False)
    assert done.returncode == 1
    assert "RequirementMissing: Inspect is not installed (fix: pip install 'pytest-netbench[inspect]')" in done.stderr


def test_the_command_line_and_the_plugin_import_nothing_of_inspect() -> None:
    script = (
        "import sys, pytest_netbench.plugin, pytest_netbench.cli.main, pytest_netbench.exports.huggingface;"
        "print([name for name in sys.modules if name.partition('.')[0] == 'inspect_ai' or 'netbench.inspect' in name])"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_doctor_names_the_extra() -> None:
    (check,) = (one for one in checks() if one.name == "inspect-ai")
    assert check.ok or check.remedy == "pip install 'pytest-netbench[inspect]'"


def test_the_entry_point_names_a_module_of_this_package() -> None:
    values = {one.value for one in entry_points(group="inspect_ai") if one.name == "pytest_netbench"}
    assert values <= {"pytest_netbench.inspect.tasks"}
