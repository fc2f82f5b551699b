"""A real control plane: it comes up, is reset, and ends.

The shared one that a test leaves is the one that the next test begins with.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from pytest_netbench.backends.kube import components
from pytest_netbench.backends.kube.binaries import Binaries
from pytest_netbench.backends.kube.control_plane import ControlPlane
from pytest_netbench.backends.kube.sharing import shared
from pytest_netbench.errors import LabError
from tests.integration.kube import create, deployment, dump, pods, resident_mb, until
from tests.labs.netns import test_ordinary_user as ordinary
from tests.support import plane_owner
from tests.support.ordinary_paths import within_reach

_REPOSITORY = Path(__file__).parents[2]
interpreter = ordinary.interpreter


@pytest.fixture(scope="module")
def plane(binaries: Binaries, say: Callable[[str], None]) -> Iterator[ControlPlane]:
    began = time.monotonic()
    plane = ControlPlane.start(binaries)
    say(f"started in {time.monotonic() - began:.1f} s at load {os.getloadavg()[0]:.1f}")
    yield plane
    plane.stop()


def _fill(plane: ControlPlane, number: int, *, services: int = 20) -> None:
    """Make, change and delete objects of all kinds that an agent may think of; some never end by themselves."""
    api, name = plane.api, f"shop{number}"
    create(api, "/api/v1/namespaces", {"metadata": {"name": name, "finalizers": ["example.com/never"]}})
    for service in range(services):
        metadata = {"name": f"service{service}"}
        create(api, f"/apis/apps/v1/namespaces/{name}/deployments", deployment(f"service{service}", replicas=2))
        spec = {"selector": {"app": metadata["name"]}, "ports": [{"port": 80}], "type": "NodePort"}
        create(api, f"/api/v1/namespaces/{name}/services", {"metadata": metadata, "spec": spec})
    create(api, "/apis/apps/v1/namespaces/kube-system/deployments", deployment("dns"))
    schema = {"openAPIV3Schema": {"type": "object", "x-kubernetes-preserve-unknown-fields": True}}
    definition = {
        "group": "example.com",
        "scope": "Namespaced",
        "names": {"plural": "things", "singular": "thing", "kind": "Thing"},
        "versions": [{"name": "v1", "served": True, "storage": True, "schema": schema}],
    }
    crds = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions"
    create(api, crds, {"metadata": {"name": "things.example.com"}, "spec": definition})
    webhook = {
        "name": "hook.example.com",
        "clientConfig": {"url": "https://127.0.0.1:1/"},
        "failurePolicy": "Fail",
        "sideEffects": "None",
        "admissionReviewVersions": ["v1"],
        "rules": [{"apiGroups": [""], "apiVersions": ["v1"], "operations": ["CREATE"], "resources": ["configmaps"]}],
    }
    hooks = "/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations"
    create(api, hooks, {"metadata": {"name": "hook"}, "webhooks": [webhook]})
    labels = {"rbac.authorization.k8s.io/aggregate-to-admin": "true"}
    rules = [{"apiGroups": ["example.com"], "resources": ["things"], "verbs": ["get"]}]
    roles = "/apis/rbac.authorization.k8s.io/v1/clusterroles"
    create(api, roles, {"metadata": {"name": "reader", "labels": labels}, "rules": rules})
    create(api, "/apis/scheduling.k8s.io/v1/priorityclasses", {"metadata": {"name": "high"}, "value": 10})
    create(api, "/api/v1/nodes", {"metadata": {"name": "worker-1"}})
    merge = "application/merge-patch+json"
    assert (
        api.request("PATCH", "/api/v1/namespaces/default", {"metadata": {"labels": {"a": "b"}}}, kind=merge)[0] == 200
    )
    assert api.request("DELETE", f"{roles}/view")[0] == 200
    assert api.request("DELETE", "/api/v1/namespaces/kube-public/serviceaccounts/default")[0] == 200
    until(lambda: len(pods(api, name)) == 2 * services, "two pods of each service")
    things = f"/apis/example.com/v1/namespaces/{name}/things"
    until(lambda: api.request("GET", things)[0] == 200, "the resource of the definition")
    thing = {"apiVersion": "example.com/v1", "kind": "Thing", "metadata": {"name": "one", "finalizers": ["a.b/c"]}}
    create(api, things, thing)
    if number % 2:
        assert api.request("DELETE", f"/api/v1/namespaces/{name}")[0] == 200


def test_ten_times_all_objects_are_those_of_a_fresh_cluster_again_and_it_takes_at_most_600_mb(
    plane: ControlPlane, say: Callable[[str], None]
) -> None:
    fresh = dump(plane)
    took, full_mb, used_mb = [], [], [resident_mb(plane)]
    for number in range(10):
        _fill(plane, number)
        full_mb.append(resident_mb(plane))
        began = time.monotonic()
        plane.reset()
        took.append(time.monotonic() - began)
        used_mb.append(resident_mb(plane))
        assert plane.alive, plane.problems
        assert dump(plane) == fresh
    say(f"{used_mb[0]:.0f} MB fresh, at most {max(full_mb):.0f} full, {used_mb[-1]:.0f} after ten resets")
    assert max(*full_mb, *used_mb) <= 600
    say(f"resets of about 400 keys: {', '.join(f'{one:.2f}' for one in took)} s; load {os.getloadavg()[0]:.1f}")
    # what a webhook refused, and a deleted role allowed
    create(plane.api, "/api/v1/namespaces/default/configmaps", {"metadata": {"name": "free"}})
    create(plane.api, "/apis/apps/v1/namespaces/default/deployments", deployment("after", replicas=3))
    until(lambda: len(pods(plane.api, "default")) == 3, "controllers that work")
    plane.reset()
    time.sleep(1)  # nothing comes back
    assert dump(plane) == fresh


def test_a_reset_cluster_equals_another_fresh_one(plane: ControlPlane, binaries: Binaries) -> None:
    _fill(plane, 100)
    plane.reset()
    other = ControlPlane.start(binaries)
    try:
        assert _alike(dump(plane)) == _alike(dump(other))
    finally:
        other.stop()


def _alike(objects: dict[str, object]) -> str:
    """Objects as text, without what each cluster draws: identities, times, the authority, tokens."""
    masked = {
        "uid",
        "creationTimestamp",
        "time",
        "lastTransitionTime",
        "ca.crt",
        "client-ca-file",
        "since",
        "holderIdentity",
    }

    def without(value: object) -> object:
        if isinstance(value, dict):
            return {key: without(one) for key, one in value.items() if key not in masked}
        return [without(one) for one in value] if isinstance(value, list) else value

    lasting = {key: without(one) for key, one in objects.items() if "/leases kube-system apiserver-" not in key}
    return json.dumps(lasting, sort_keys=True, indent=1)


def test_a_cluster_that_cannot_be_reset_is_ended_and_replaced(binaries: Binaries) -> None:
    plane = shared(binaries)
    assert shared(binaries) is plane
    etcd = next(pid for pid, name in plane_owner.descendants(plane.pid).items() if name == "etcd")
    create(plane.api, "/api/v1/namespaces", {"metadata": {"name": "shop"}})
    os.kill(etcd, signal.SIGSTOP)
    plane.reset()
    assert not plane.alive
    another = shared(binaries)
    assert another is not plane
    assert another.api.request("GET", "/api/v1/namespaces/shop")[0] == 404


def test_a_reset_that_goes_on_beside_is_over_before_the_next_cluster_begins(binaries: Binaries) -> None:
    plane = shared(binaries)
    fresh = dump(plane)
    for number in range(5):
        _fill(plane, number, services=4)
        with plane._etcd_lock:  # so long it cannot do anything
            plane.reset_beside()
            found, _ = plane.api.request("GET", f"/api/v1/namespaces/shop{number}")
            assert found == 200, "it is not waited for"
        assert shared(binaries) is plane
        assert dump(plane) == fresh
    create(plane.api, "/api/v1/namespaces", {"metadata": {"name": "shop"}})
    etcd = next(pid for pid, name in plane_owner.descendants(plane.pid).items() if name == "etcd")
    os.kill(etcd, signal.SIGSTOP)
    plane.reset_beside()
    assert shared(binaries) is not plane
    assert not plane.alive


def test_a_cluster_whose_etcd_is_full_is_ended_by_its_reset(
    binaries: Binaries, monkeypatch: pytest.MonkeyPatch
) -> None:
    # test_kube_hostile fills one of the usual size
    monkeypatch.setattr(components, "ETCD_BYTES", 24 << 20)
    plane = ControlPlane.start(binaries)
    try:
        text = "x" * 1_000_000
        for number in range(25):
            body = {"metadata": {"name": f"large{number}"}, "data": {"text": text}}
            status, answer = plane.api.request("POST", "/api/v1/namespaces/default/configmaps", body)
            if status != 201:
                break
        assert "database space exceeded" in answer
        plane.reset()
        assert not plane.alive
    finally:
        plane.stop()


def test_nothing_listens_but_the_api_server_and_nothing_is_reached_from_it(plane: ControlPlane) -> None:
    pid = next(pid for pid, name in plane_owner.descendants(plane.pid).items() if name == "kube-apiserver")
    listening, ports = "0A", set()
    for family in ("tcp", "tcp6", "udp", "udp6"):
        for line in Path(f"/proc/{pid}/net/{family}").read_text().splitlines()[1:]:
            words = line.split()
            if words[3] == listening or family.startswith("udp"):
                ports.add((family, int(words[1].split(":")[1], 16)))
    assert ports == {("tcp", 6443)}
    assert Path(f"/proc/{pid}/net/route").read_text().count("\n") == 1
    assert os.geteuid() != 0 or Path(f"/proc/{pid}").stat().st_uid != 0


@pytest.mark.parametrize("victim", ["etcd", "kube-apiserver", "kube-controller-manager", "kube-scheduler"])
def test_a_component_that_is_killed_is_named_and_the_cluster_replaced(binaries: Binaries, victim: str) -> None:
    plane = shared(binaries)
    left = plane_owner.descendants(plane.pid)
    os.kill(next(pid for pid, name in left.items() if name == victim), signal.SIGKILL)
    until(lambda: not plane.alive, f"the end of {victim} is noticed")
    assert f"{victim} ended with status -9" in plane.problems
    another = shared(binaries)
    assert another is not plane
    assert another.alive
    assert not any(Path(f"/proc/{pid}").exists() for pid in left)
    with pytest.raises(LabError, match="was ended"):
        plane.connect()


@pytest.mark.parametrize("uid", [os.geteuid(), 1000])
def test_nothing_is_left_of_the_control_plane_of_an_owner_that_is_killed(
    binaries: Binaries, uid: int, interpreter: str
) -> None:
    if uid != os.geteuid() != 0:
        pytest.skip("only root becomes another user")
    site = Path(next(path for path in sys.path if path.endswith("site-packages")))
    mounts = Path("/proc/mounts").read_text()
    folders = [binaries.etcd.parent.resolve(), _REPOSITORY, site]
    with within_reach(*folders) as (become, reached):
        # folders of others are bound to other places only for who becomes another user
        folder, checkout, imports = folders if uid == os.geteuid() else reached
        argv = [interpreter, "-B", str(checkout / "tests/support/plane_owner.py"), str(folder)]
        argv = argv if uid == os.geteuid() else [*become(uid), *argv]
        env = {"PYTHONPATH": f"{checkout}:{imports}", "PATH": os.environ["PATH"]}
        with subprocess.Popen(argv, stdout=subprocess.PIPE, text=True, env=env) as owner:
            assert owner.stdout is not None
            line = owner.stdout.readline()
            assert line, owner.wait()
            pids = [int(pid) for pid in json.loads(line)["pids"]]
            assert len(pids) == 6
            owner.kill()
    until(lambda: not any(Path(f"/proc/{pid}").exists() for pid in pids), "all processes have ended")
    assert Path("/proc/mounts").read_text() == mounts
