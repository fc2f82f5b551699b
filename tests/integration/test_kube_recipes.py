"""The manifests that this package writes or documents, before an API server that makes nothing of them."""

from __future__ import annotations

import copy
import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml

from pytest_netbench.backends.kube.binaries import Binaries
from pytest_netbench.backends.kube.control_plane import ControlPlane
from pytest_netbench.cli.main import main
from tests.integration.images import ROOT


@pytest.fixture
def job(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> dict[str, Any]:
    """The Indexed Job of ``netbench init``."""
    monkeypatch.chdir(tmp_path)
    assert main(["init", "--ci", "kubernetes-shards"]) == 0
    (found,) = tmp_path.rglob("netbench-job.yaml")
    content: dict[str, Any] = yaml.safe_load(found.read_text())
    return content


@pytest.fixture(scope="module")
def plane(binaries: Binaries) -> Iterator[ControlPlane]:
    plane = ControlPlane.start(binaries)
    yield plane
    plane.stop()


def tried(plane: ControlPlane, path: str, manifest: dict[str, Any]) -> tuple[int, str]:
    """Status and answer to what ``kubectl create --dry-run=server --validate=strict`` sends."""
    status, text = plane.api.request("POST", f"{path}?dryRun=All&fieldValidation=Strict", manifest)
    return status, text if isinstance(text, str) else text.decode()


JOBS, PODS = "/apis/batch/v1/namespaces/default/jobs", "/api/v1/namespaces/default/pods"


def test_the_indexed_job_is_accepted_as_it_is_written(plane, job):
    status, text = tried(plane, JOBS, job)
    assert status == 201, text
    spec = json.loads(text)["spec"]
    assert spec["completionMode"] == "Indexed"
    pod = spec["template"]["spec"]
    assert pod["hostUsers"] is False
    assert pod["containers"][0]["securityContext"]["procMount"] == "Unmasked"
    assert plane.api.json(JOBS)["items"] == []


def test_a_wrong_job_is_not(plane, job):
    without = copy.deepcopy(job)
    del without["spec"]["completions"]
    status, text = tried(plane, JOBS, without)
    assert (status, "spec.completions" in text) == (422, True), text
    job["spec"]["template"]["spec"]["hostUser"] = job["spec"]["template"]["spec"].pop("hostUsers")
    status, text = tried(plane, JOBS, job)
    assert (status, "hostUser" in text) == (400, True), text


def test_the_pod_of_the_page_about_containers_is_accepted(plane):
    page = (ROOT / "docs/how-to/run-in-a-container.md").read_text()
    (text,) = re.findall(r"```yaml\n(spec:\n.*?)```", page, re.DOTALL)
    pod = {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "netbench"}, **yaml.safe_load(text)}
    status, told = tried(plane, PODS, pod)
    assert status == 201, told
    pod["spec"]["hostUsers"] = True
    status, told = tried(plane, PODS, pod)
    assert (status, "procMount" in told) == (422, True), told
