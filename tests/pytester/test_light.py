"""What the plugin costs a run that has nothing to do with networks."""

from __future__ import annotations

import pytest

HEAVY = ("pydantic", "yaml", "litellm", "torch", "mcp", "a2a", "scrapli", "importlib.metadata.entry_points")


@pytest.mark.parametrize("arguments", [(), ("-n1",)], ids=["alone", "xdist"])
def test_an_ordinary_run_imports_nothing_heavy(pytester, arguments):
    pytester.makepyfile(
        "import sys\n"
        "def test_imports():\n"
        f"    found = sorted(set(sys.modules) & set({HEAVY!r}))\n"
        "    assert found == []\n"
        "    ours = {name for name in sys.modules if name.startswith('pytest_netbench.')}\n"
        "    assert {name.split('.')[1] for name in ours} <= {'plugin', 'errors', 'rpccodes'}\n"
    )
    pytester.runpytest_subprocess(*arguments).assert_outcomes(passed=1)


def test_an_ordinary_run_writes_and_prints_nothing(pytester):
    pytester.makepyfile("def test_ok(): pass")
    result = pytester.runpytest_subprocess("-p", "no:cacheprovider")
    assert not [line for line in result.outlines if "netbench:" in line]
    assert not (pytester.path / ".netbench").exists()


def test_the_plugin_can_be_switched_off(pytester):
    pytester.makepyfile("def test_ok(): pass")
    pytester.runpytest_subprocess("-p", "no:netbench").assert_outcomes(passed=1)
