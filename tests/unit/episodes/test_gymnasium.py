"""The wrapper for Gymnasium, without a lab."""

from __future__ import annotations

import subprocess
import sys

import pytest


def test_without_gymnasium_the_import_names_the_extra():
    code = (
        "import sys; sys.modules['gymnasium'] = None\n"
        "from pytest_netbench.errors import RequirementMissing\n"
        "try:\n    import pytest_netbench.gymnasium\n"
        "except RequirementMissing as lack:\n    print(lack)\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "gymnasium is not installed (fix: pip install 'pytest-netbench[gym]')\n"


def test_observations_are_in_their_space_whatever_devices_print():
    pytest.importorskip("gymnasium")
    from pytest_netbench.gymnasium import LONGEST_OBSERVATION, NetbenchEnv, text_of

    with NetbenchEnv() as env:
        for text in ("", "a\tb\nc", "Zürich → \x1b[31m\r\x00\U0001f600", "ü" * LONGEST_OBSERVATION):
            assert text_of(text) in env.observation_space
    assert text_of("a\tb\nc é") == "a\tb\nc \\xe9"
    assert text_of("x" * (LONGEST_OBSERVATION + 1)).endswith("[netbench: cut here]")
