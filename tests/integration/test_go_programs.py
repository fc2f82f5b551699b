"""Programs that Go's module proxy serves: built once, and used as they are."""

from __future__ import annotations

import json
import subprocess
from typing import Any

from tests.support.programs import Build, Program

GO = {"go": "install Go 1.22 or newer, https://go.dev/dl"}


def cyclonus(build: Build) -> None:
    build.run("go", "install", "github.com/mattfenwick/cyclonus/cmd/cyclonus@v0.5.6", GOBIN=build.folder)


CYCLONUS = Program(name="cyclonus", version="0.5.6", make=cyclonus, needs=GO)
POLICY = """\
apiVersion: networking.k8s.io/v1
kind: NetworkPolicy
metadata: {name: from-web, namespace: x}
spec:
  podSelector: {matchLabels: {pod: db}}
  policyTypes: [Ingress]
  ingress: [{from: [{podSelector: {matchLabels: {pod: web}}}]}]
"""


PODS = ("db", "other", "web")


def model() -> dict[str, Any]:
    """Three pods of a namespace that serve on one port."""
    container = {"Name": "c", "Port": 80, "Protocol": "TCP", "PortName": "http"}
    pods = [
        {"Namespace": "x", "Name": name, "Labels": {"pod": name}, "IP": f"10.0.0.{number}", "Containers": [container]}
        for number, name in enumerate(PODS, start=1)
    ]
    return {
        "Resources": {"Namespaces": {"x": {"ns": "x"}}, "Pods": pods},
        "Probes": [{"Protocol": "TCP", "Port": 80}],
    }


def test_cyclonus_tells_which_pods_a_network_policy_lets_through(obtain, tmp_path):
    program = obtain(CYCLONUS) / "cyclonus"
    (tmp_path / "policy.yaml").write_text(POLICY)
    (tmp_path / "model.json").write_text(json.dumps(model()))
    told = subprocess.run(
        [program, "analyze", "--mode", "probe", "--policy-path", "policy.yaml", "--probe-path", "model.json"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=True,
    ).stdout
    combined = told.partition("Combined:\n")[2].partition("\n\n")[0]
    rows = [
        [cell.strip() for cell in line.split("|")[1:-1]] for line in combined.splitlines() if line.startswith("| x/")
    ]
    assert rows == [["x/db", "X", ".", "."], ["x/other", "X", ".", "."], ["x/web", ".", ".", "."]]
