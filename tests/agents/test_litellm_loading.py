"""litellm is loaded late, offline, and its absence is told."""

from __future__ import annotations

import os
import subprocess
import sys

PRELUDE = "import sys; from pytest_netbench.agents import llm\n"


def run(code: str, **environment: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-c", PRELUDE + code]
    return subprocess.run(command, check=False, capture_output=True, text=True, env={**os.environ, **environment})


def test_without_litellm_the_error_names_the_extra_to_install():
    done = run("sys.modules['litellm'] = None\nllm.load_litellm()")
    last = done.stderr.strip().splitlines()[-1]
    assert last.startswith("pytest_netbench.errors.UsageError: an agent that asks a model needs litellm")
    assert last.endswith("Fix: pip install 'pytest-netbench[llm]'")


def test_a_litellm_that_lacks_its_own_dependencies_says_so_with_its_version():
    code = (
        "litellm = llm.load_litellm()\n"
        "def completion(**_): import mcp_that_is_not_there\n"
        "litellm.completion = completion\n"
        "llm.Llm(model='openai/x').complete([], note=print, wall_left=lambda: None)"
    )
    last = run(code).stderr.strip().splitlines()[-1]
    assert "UsageError: litellm 1." in last
    assert "cannot run here: No module named 'mcp_that_is_not_there'. Fix: pip install --upgrade" in last


def test_loading_litellm_reaches_no_network_warns_of_nothing_and_prints_nothing():
    code = (
        "import socket\n"
        "def refuse(*_): raise AssertionError('the network was asked')\n"
        "socket.getaddrinfo = refuse\n"
        "llm.load_litellm()"
    )
    done = run(code, PYTHONWARNINGS="error::UserWarning")
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


def test_a_dot_env_file_in_the_working_directory_is_not_read(tmp_path, monkeypatch):
    (tmp_path / ".env").write_text("FROM_DOT_ENV=yes\n")
    monkeypatch.chdir(tmp_path)
    assert run("import os; llm.load_litellm(); print(os.environ.get('FROM_DOT_ENV'))").stdout == "None\n"


def test_the_absence_is_told_when_the_agent_is_made_and_not_first_when_it_works():
    done = run(
        "sys.modules.pop('litellm', None); sys.path[:] = [p for p in sys.path if 'site-packages' not in"
        " p]\nllm.Llm(model='x')"
    )
    assert "UsageError: an agent that asks a model needs litellm (it is not installed)" in done.stderr
