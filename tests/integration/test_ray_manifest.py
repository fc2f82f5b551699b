"""The manifest of the how-to is one that KubeRay's resource definitions and a real API server take."""

from __future__ import annotations

import copy
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml

from pytest_netbench.backends.kube.api import Api
from pytest_netbench.backends.kube.binaries import Binaries
from pytest_netbench.backends.kube.control_plane import ControlPlane
from tests.integration.kube import create, until
from tests.support.programs import Build, Program

_MODULE = "github.com/ray-project/kuberay/ray-operator"
_VERSION = "1.5.0"
_DEFINITIONS = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions"
_JOBS = "/apis/ray.io/v1/namespaces/default/rayjobs"
PAGE = Path(__file__).parents[2] / "docs/how-to/use-ray.md"


def _make(build: Build) -> None:
    source = json.loads(build.run("go", "mod", "download", "-json", f"{_MODULE}@v{_VERSION}"))["Dir"]
    definition = Path(source, "config/crd/bases/ray.io_rayjobs.yaml")
    (build.folder / definition.name).write_bytes(definition.read_bytes())


KUBERAY = Program(name="kuberay", version=_VERSION, make=_make, needs={"go": "https://go.dev/doc/install"})


@pytest.fixture(scope="module")
def api(binaries: Binaries, obtain) -> Iterator[Api]:
    definition = yaml.safe_load((obtain(KUBERAY) / "ray.io_rayjobs.yaml").read_text())
    plane = ControlPlane.start(binaries)
    create(plane.api, _DEFINITIONS, definition)
    until(lambda: _is_served(plane.api), "jobs are served")
    yield plane.api
    plane.stop()


def _is_served(api: Api) -> bool:
    return api.request("GET", _JOBS)[0] == 200


def manifest() -> dict[str, Any]:
    """That of the page."""
    text = PAGE.read_text().partition("```yaml\n# Runs an agent on a Ray cluster")[2].partition("```")[0]
    return dict(yaml.safe_load(f"#{text}"))


def test_the_manifest_is_taken(api) -> None:
    job = manifest()
    create(api, f"{_JOBS}?dryRun=All&fieldValidation=Strict", job)
    wrong = copy.deepcopy(job)
    worker = wrong["spec"]["rayClusterSpec"]["workerGroupSpecs"][0]["template"]["spec"]["containers"][0]
    worker["securityContext"]["procMounts"] = worker["securityContext"].pop("procMount")
    status, text = api.request("POST", f"{_JOBS}?dryRun=All&fieldValidation=Strict", wrong)
    assert status == 400
    assert "procMounts" in text


def test_labs_have_the_rights_of_the_how_to_on_containers() -> None:
    page = (PAGE.parent / "run-in-a-container.md").read_text()
    pods = [yaml.safe_load(one.partition("```")[0]) for one in page.split("```yaml\n")[1:]]
    (told,) = [pod["spec"] for pod in pods if "spec" in pod and "containers" in pod["spec"]]
    group = manifest()["spec"]["rayClusterSpec"]["workerGroupSpecs"][0]["template"]["spec"]
    expected = {**told["containers"][0]["securityContext"]}
    expected.pop("appArmorProfile")
    assert group["containers"][0]["securityContext"] == expected
    assert group["hostUsers"] is told["hostUsers"] is False
