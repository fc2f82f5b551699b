"""Clients of clusters that run here: releases of kubectl and the Python client, unmodified; pods that agents make.

With ``NETBENCH_WHOLE_CORPUS=1`` (``make selftest`` does that) an older and a newer kubectl are built and tried.
"""

from __future__ import annotations

import contextlib
import fcntl
import http.client
import json
import os
import pty
import secrets
import shutil
import signal
import ssl
import struct
import subprocess
import sys
import termios
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml

from pytest_netbench.backends.kube.binaries import find
from pytest_netbench.backends.kube.plan import WORKSTATION
from pytest_netbench.platforms.capabilities import EXEC
from tests.integration import kubectl_releases
from tests.integration.clusters import SPACE, WORKLOADS, Kubectl, wait_until
from tests.integration.conftest import Obtain
from tests.support.programs import Build, Program

OTHERS = Path.home() / ".cache/netbench/integration"
TOOLBOX = "busybox:1.36"


@pytest.fixture
def front(kubectl: Kubectl) -> str:
    """The name of a pod with a program of the framework."""
    return pod_of(kubectl, "front")


@pytest.fixture
def toolbox(kubectl: Kubectl) -> Iterator[str]:
    """A pod that an agent has made."""
    kubectl("run", "toolbox", f"--image={TOOLBOX}", "--", "sleep", "3600")
    kubectl("wait", "--for=condition=Ready", "pod/toolbox", "--timeout=30s")
    yield "toolbox"
    kubectl("delete", "pod", "toolbox")


def pod_of(kubectl: Kubectl, workload: str) -> str:
    def only() -> str:
        found = kubectl("get", "pods", "-l", f"app={workload}", "-o", "name").split()
        return found[0].removeprefix("pod/") if len(found) == 1 else ""

    return str(wait_until(only))


def status(kubectl: Kubectl, pod: str) -> dict[str, Any]:
    return dict(json.loads(kubectl("get", "pod", pod, "-o", "json"))["status"])


def waiting(kubectl: Kubectl, pod: str) -> dict[str, str]:
    """Why a container of a pod waits."""
    states = [one["state"] for one in status(kubectl, pod).get("containerStatuses", ())]
    return next((dict(one["waiting"]) for one in states if "waiting" in one), {})


@pytest.fixture
def scratch(kubectl: Kubectl) -> Iterator[Kubectl]:
    """The client; pods that a test makes are deleted after it."""
    yield kubectl
    kubectl("delete", "pods", "-l", "run", "--wait=true")


# releases


def _releases() -> list[Any]:
    """That of the server, that of this machine, and those that were built before or, in the whole, are built now."""
    here = shutil.which("kubectl", path="/usr/local/bin:/usr/bin")
    built = sorted(OTHERS.glob("kubectl-*/kubectl"))
    if os.environ.get("NETBENCH_WHOLE_CORPUS"):
        built = [kubectl_releases.OLDER, kubectl_releases.NEWER]
    return [pytest.param(None, id="of-the-server"), *map(_param, ([] if here is None else [Path(here)]) + built)]


def _param(program: Path | Program) -> Any:
    return pytest.param(program, id=program.version if isinstance(program, Program) else program.parent.name)


MANIFEST = """\
apiVersion: apps/v1
kind: Deployment
metadata: {name: extra}
spec:
  replicas: 1
  selector: {matchLabels: {app: extra}}
  template:
    metadata: {labels: {app: extra}}
    spec:
      containers:
      - name: main
        image: netbench/service:1
        env: [{name: NETBENCH_SERVE, value: "http:8080"}]
        readinessProbe: {tcpSocket: {port: 8080}}
"""


def test_no_pod_of_the_application_waited_for_a_machine(kubectl: Kubectl) -> None:
    events = json.loads(kubectl("get", "events", "--all-namespaces", "-o", "json"))["items"]
    reasons = {one["reason"] for one in events}
    assert "Scheduled" in reasons
    assert "FailedScheduling" not in reasons


@pytest.mark.parametrize("program", _releases())
def test_a_release_of_kubectl_works_unmodified(
    kubeconfig: Path, program: Path | Program | None, obtain: Obtain, tmp_path: Path
) -> None:
    if isinstance(program, Program):
        program = obtain(program) / "kubectl"
    client = Kubectl(program or find().kubectl, kubeconfig)
    assert "FIELDS" in client("explain", "networkpolicy.spec.ingress")
    client("apply", "-f", "-", input=MANIFEST.encode())
    try:
        client("rollout", "status", "deploy/extra", "--timeout=30s")
        assert client("diff", "-f", "-", input=MANIFEST.encode()) == ""
        other = client.run("diff", "-f", "-", input=MANIFEST.replace("replicas: 1", "replicas: 2").encode())
        assert (other.returncode, b"+  replicas: 2" in other.stdout) == (1, True)
        assert "image: netbench/service:1" in client("get", "deploy", "extra", "-o", "yaml")
        client("scale", "deploy/extra", "--replicas=2")
        client("wait", "--for=jsonpath={.status.readyReplicas}=2", "deploy/extra", "--timeout=30s")
        client("scale", "deploy/extra", "--replicas=1")
        client("rollout", "restart", "deploy/extra")
        client("rollout", "status", "deploy/extra", "--timeout=30s")
        pod = pod_of(client, "extra")
        assert "serving http on port 8080" in client("logs", pod)
        assert client("exec", pod, "--", "hostname") == f"{pod}\n"
        assert client.run("exec", pod, "--", "sh", "-c", "exit 5").returncode == 5
        (tmp_path / "sent").write_bytes(b"content")
        client("cp", str(tmp_path / "sent"), f"{pod}:/tmp/kept")
        client("cp", f"{pod}:/tmp/kept", str(tmp_path / "received"))
        assert (tmp_path / "received").read_bytes() == b"content"
    finally:
        client("delete", "deploy", "extra")
        client("wait", "--for=delete", "pod", "-l", "app=extra", "--timeout=30s")


def _python_client(build: Build) -> None:
    build.run(sys.executable, "-m", "venv", build.folder / "venv")
    build.run(build.folder / "venv/bin/pip", "install", "-q", "kubernetes==35.0.0")


PYTHON_CLIENT = Program(name="kubernetes-client", version="35.0.0", make=_python_client, within_s=300)
SCRIPT = """
import sys, time
from kubernetes import client, config, utils
from kubernetes.stream import stream
config.load_kube_config(sys.argv[1])
core, apps, space = client.CoreV1Api(), client.AppsV1Api(), "shop"
pod = core.list_namespaced_pod(space, label_selector="app=front").items[0].metadata.name
print("logs", "serving" in core.read_namespaced_pod_log(pod, space))
call = dict(stderr=True, stdin=False, stdout=True, tty=False)
print("exec", stream(core.connect_get_namespaced_pod_exec, pod, space, command=["hostname"], **call) == pod + "\\n")
talk = stream(core.connect_get_namespaced_pod_exec, pod, space, command=["sh", "-c", "read x; echo $x >&2; exit 4"],
              **call | dict(stdin=True), _preload_content=False)
talk.write_stdin("said\\n")
talk.run_forever(timeout=20)
print("talk", talk.read_stderr() == "said\\n", talk.returncode)
apps.patch_namespaced_deployment_scale("front", space, {"spec": {"replicas": 2}})
for _ in range(100):
    ready = apps.read_namespaced_deployment("front", space).status.ready_replicas
    if ready == 2:
        break
    time.sleep(0.2)
apps.patch_namespaced_deployment_scale("front", space, {"spec": {"replicas": 1}})
print("scale", ready)
"""


def test_the_python_client_works_unmodified(kubeconfig: Path, obtain: Obtain, tmp_path: Path) -> None:
    script = tmp_path / "script.py"
    script.write_text(SCRIPT)
    python = obtain(PYTHON_CLIENT) / "venv/bin/python"
    done = subprocess.run([python, script, kubeconfig], capture_output=True, text=True, timeout=120, check=False)
    said = ["logs True", "exec True", "talk True 4", "scale 2"]
    assert (done.stdout.splitlines(), done.returncode) == (said, 0), done.stderr


# commands in pods


def test_a_command_has_three_streams_and_a_status(kubectl: Kubectl, front: str) -> None:
    done = kubectl.run("exec", "-i", front, "--", "sh", "-c", "cat; echo err >&2; exit 7", input=b"\x00\xff in")
    assert (done.stdout, done.returncode) == (b"\x00\xff in", 7)
    assert done.stderr == b"err\ncommand terminated with exit code 7\n"


def test_a_command_that_is_not_there_has_the_status_of_a_shell(kubectl: Kubectl, front: str) -> None:
    done = kubectl.run("exec", front, "--", "no-such-thing")
    assert (done.returncode, b"not found" in done.stderr) == (127, True)


def test_a_command_ended_by_a_signal_has_its_status(kubectl: Kubectl, front: str) -> None:
    assert kubectl.run("exec", front, "--", "sh", "-c", "kill -TERM $$").returncode == 143
    assert kubectl.run("exec", front, "--", "sh", "-c", "sh -c 'kill -KILL $$'").returncode == 137


def test_50_megabytes_come_through(kubectl: Kubectl, front: str) -> None:
    done = kubectl.run("exec", front, "--", "head", "-c", "50000000", "/dev/zero", timeout_s=120)
    assert (len(done.stdout), done.returncode) == (50_000_000, 0)


def test_files_are_copied_both_ways(kubectl: Kubectl, front: str, tmp_path: Path) -> None:
    content = secrets.token_bytes(3 << 20)
    (tmp_path / "folder").mkdir()
    (tmp_path / "folder/file").write_bytes(content)
    kubectl("cp", str(tmp_path / "folder"), f"{front}:/home/folder")
    assert kubectl("exec", front, "--", "ls", "/home/folder") == "file\n"
    kubectl("cp", f"{front}:/home/folder", str(tmp_path / "back"))
    assert (tmp_path / "back/file").read_bytes() == content


def test_an_agent_changes_nothing_of_a_pod_that_its_program_has(kubectl: Kubectl, front: str) -> None:
    for command in ("echo x > /etc/resolv.conf", "ip addr flush dev eth0", "kill -9 -1; sleep 1; true"):
        kubectl.run("exec", front, "--", "sh", "-c", command)
    assert "nameserver 10.96.0.10" in kubectl("exec", front, "--", "cat", "/etc/resolv.conf")
    assert "eth0" in kubectl("exec", front, "--", "ip", "-br", "-4", "addr")
    assert status(kubectl, front)["containerStatuses"][0]["restartCount"] == 0


def test_pods_know_services_by_all_their_names(kubectl: Kubectl, front: str) -> None:
    for name in ("store", f"store.{SPACE}", f"store.{SPACE}.svc", f"store.{SPACE}.svc.cluster.local"):
        assert "10.96.1.12" in kubectl("exec", front, "--", "getent", "hosts", name)


def test_a_terminal_has_the_size_of_the_clients_and_follows_it(kubectl: Kubectl, front: str) -> None:
    child, master = pty.fork()
    if child == 0:
        os.execvpe(str(kubectl.program), [*kubectl.command("exec", "-it", front, "--", "sh")], dict(kubectl.env))
    try:
        seen = Terminal(master)
        seen.size(columns=91, rows=17)
        seen.type("echo si''ze; stty size\n")
        seen.until("size\r\n17 91")
        seen.size(columns=60, rows=11)
        os.kill(child, signal.SIGWINCH)
        time.sleep(1.0)
        seen.type("stty size; sleep 100\n")
        seen.until("11 60")
        seen.type("\x03")  # ends the sleep, not the shell
        seen.type("echo al''ive\n")
        seen.until("alive")
        seen.type("exit 9\n")
        assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 9
        child = 0
    finally:
        os.close(master)
        if child:
            os.kill(child, signal.SIGKILL)
            os.waitpid(child, 0)


class Terminal:
    """The master end of a terminal."""

    def __init__(self, master: int) -> None:
        self._master = master
        self._text = ""
        os.set_blocking(master, False)

    def size(self, *, columns: int, rows: int) -> None:
        fcntl.ioctl(self._master, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))

    def type(self, text: str) -> None:
        os.write(self._master, text.encode())

    def until(self, text: str) -> None:
        def is_there() -> bool:
            with contextlib.suppress(OSError):
                self._text += os.read(self._master, 65_536).decode("utf-8", "replace")
            return text in self._text

        try:
            wait_until(is_there, within_s=20)
        except AssertionError:
            raise AssertionError(f"no {text!r} in {self._text!r}") from None


def test_a_command_whose_client_goes_away_ends(shop: Any, kubectl: Kubectl, front: str) -> None:
    client = kubectl.start("exec", front, "--", "sleep", "4713")
    wait_until(lambda: processes(shop, "sleep 4713"))
    client.kill()
    client.communicate()
    wait_until(lambda: not processes(shop, "sleep 4713"), within_s=10)


def processes(shop: Any, command: str) -> int:
    """How many processes of the lab's nodes have this command line."""
    pattern = f"[{command[0]}]{command[1:]}$"
    done = shop.inner.nodes[WORKSTATION].capability(EXEC).run(["pgrep", "-c", "-f", pattern])
    return int(done.stdout)


def test_what_is_not_served_is_refused_with_a_sentence(kubectl: Kubectl, front: str) -> None:
    refused = kubectl.run("port-forward", front, "18080:9000")
    assert b"port-forward is not served here" in refused.stderr
    refused = kubectl.run("debug", front, "--image=busybox", "--", "sh")
    assert b'cannot patch resource "pods/ephemeralcontainers"' in refused.stderr


# pods of agents


def test_a_pod_runs_a_command_whose_status_kubectl_has(scratch: Kubectl) -> None:
    words = ("run", "once", f"--image={TOOLBOX}", "--restart=Never", "--rm", "-i", "--")
    done = scratch.run(*words, "sh", "-c", "echo name $(hostname); exit 3")
    assert (b"name once" in done.stdout, done.returncode) == (True, 3), done
    done = scratch.run(*words, "sh", "-c", "read x; echo got $x", input=b"typed\n")
    assert (b"got typed" in done.stdout, done.returncode) == (True, 0), done


def test_a_pod_that_completes_or_fails_says_so(scratch: Kubectl) -> None:
    for name, code, phase in (("well", "0", "Succeeded"), ("ill", "2", "Failed")):
        scratch("run", name, f"--image={TOOLBOX}", "--restart=Never", "--", "sh", "-c", f"echo said; exit {code}")
        scratch("wait", f"--for=jsonpath={{.status.phase}}={phase}", f"pod/{name}", "--timeout=20s")
        assert scratch("logs", name) == "said\n"
        assert status(scratch, name)["containerStatuses"][0]["state"]["terminated"]["exitCode"] == int(code)


def test_a_pod_that_ends_is_started_again_ever_later(scratch: Kubectl) -> None:
    scratch("run", "crash", f"--image={TOOLBOX}", "--", "sh", "-c", "echo said by $$ at $(date +%N); exit 2")
    wait_until(lambda: waiting(scratch, "crash").get("reason") == "CrashLoopBackOff")
    assert "back-off 10s restarting failed container=crash" in waiting(scratch, "crash")["message"]
    found = status(scratch, "crash")
    assert (found["phase"], found["containerStatuses"][0]["restartCount"]) == ("Running", 1)
    now, before = scratch("logs", "crash"), scratch("logs", "crash", "-p")
    assert now != before
    assert now.startswith("said by")
    assert before.startswith("said by")


def test_programs_of_a_pod_share_its_files_and_have_no_rights(kubectl: Kubectl, toolbox: str) -> None:
    kubectl("exec", toolbox, "--", "sh", "-c", "echo kept > /tmp/file")
    assert kubectl("exec", toolbox, "--", "cat", "/tmp/file") == "kept\n"
    assert "0000000000000000" in kubectl("exec", toolbox, "--", "grep", "CapEff", "/proc/self/status")


def test_nginx_serves(scratch: Kubectl, toolbox: str) -> None:
    scratch("run", "web", "--image=nginx")
    scratch("wait", "--for=condition=Ready", "pod/web", "--timeout=20s")
    address = status(scratch, "web")["podIP"]
    assert scratch("exec", toolbox, "--", "curl", "-s", "-m", "5", f"http://{address}/") == "web: ok\n"


def test_at_most_ten_pods_of_others_run_and_the_next_one_waits_for_room(scratch: Kubectl) -> None:
    for number in range(12):
        scratch("run", f"p{number}", f"--image={TOOLBOX}", "--", "sleep", "3600")

    def running() -> list[str]:
        found = json.loads(scratch("get", "pods", "-l", "run", "-o", "json"))["items"]
        return [one["metadata"]["name"] for one in found if one["status"]["phase"] == "Running"]

    wait_until(lambda: len(running()) == 10)
    late = next(f"p{number}" for number in range(12) if f"p{number}" not in running())
    assert waiting(scratch, late)["reason"] == "ImagePullBackOff"
    assert "at most 10 pods" in waiting(scratch, late)["message"]
    scratch("delete", "pod", *running()[:2])
    wait_until(lambda: len(running()) == 10)


@pytest.mark.parametrize(
    ("overrides", "reason", "words"),
    [
        ({"hostNetwork": True}, "CreateContainerConfigError", "hostNetwork is not available"),
        ({"hostPID": True}, "CreateContainerConfigError", "hostPID is not available"),
        ({"initContainers": [{"name": "i", "image": "busybox"}]}, "CreateContainerConfigError", "init containers"),
        (
            {"volumes": [{"name": "v", "hostPath": {"path": "/"}}]},
            "CreateContainerConfigError",
            "volumes of the kind hostPath are not available",
        ),
        (
            {"containers": [{"name": "c", "image": "busybox", "securityContext": {"capabilities": {"add": ["ALL"]}}}]},
            "CreateContainerConfigError",
            "capabilities cannot be added",
        ),
        (
            {"containers": [{"name": "c", "image": "busybox", "envFrom": [{"configMapRef": {"name": "none"}}]}]},
            "CreateContainerConfigError",
            'configmap "none" not found',
        ),
        ({"containers": [{"name": "c", "image": "ubuntu"}]}, "ImagePullBackOff", 'Back-off pulling image "ubuntu"'),
    ],
)
def test_a_pod_that_cannot_run_says_why(scratch: Kubectl, overrides: dict[str, Any], reason: str, words: str) -> None:
    pod = {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {"name": "odd", "labels": {"run": "odd"}},
        "spec": {"containers": [{"name": "c", "image": "busybox"}], **overrides},
    }
    scratch("apply", "-f", "-", input=json.dumps(pod).encode())
    wait_until(lambda: waiting(scratch, "odd"))
    found = waiting(scratch, "odd")
    assert (found["reason"], words in found["message"]) == (reason, True), found
    assert b"waiting to start" in scratch.run("logs", "odd").stderr


def test_a_privileged_pod_is_refused_by_the_api(scratch: Kubectl) -> None:
    refused = scratch.run("run", "odd", "--image=busybox", "--privileged")
    assert b"privileged: Forbidden" in refused.stderr


def test_several_containers_of_a_pod_share_its_network_and_its_variables_come_from_objects(scratch: Kubectl) -> None:
    scratch("create", "configmap", "colours", "--from-literal=COLOUR=green")
    two = {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {"name": "two", "labels": {"run": "two"}},
        "spec": {
            "containers": [
                {"name": "web", "image": "nginx"},
                {
                    "name": "tool",
                    "image": "busybox",
                    "command": ["sh", "-c", "echo $(COLOUR) $COLOUR $ADDRESS; sleep 3600"],
                    "envFrom": [{"configMapRef": {"name": "colours"}}],
                    "env": [{"name": "ADDRESS", "valueFrom": {"fieldRef": {"fieldPath": "status.podIP"}}}],
                },
            ]
        },
    }
    try:
        scratch("apply", "-f", "-", input=json.dumps(two).encode())
        scratch("wait", "--for=condition=Ready", "pod/two", "--timeout=20s")
        address = status(scratch, "two")["podIP"]
        assert wait_until(lambda: scratch("logs", "two", "-c", "tool")) == f"green green {address}\n"
        assert scratch("exec", "two", "-c", "tool", "--", "curl", "-s", "http://127.0.0.1/") == "two: ok\n"
        assert "green" in scratch("logs", "two", "--all-containers")
    finally:
        scratch("delete", "configmap", "colours")


def test_two_restarts_of_all_workloads_leave_nothing_of_the_pods_before(
    shop: Any, kubectl: Kubectl, front: str
) -> None:
    kubectl("exec", front, "--", "sh", "-c", "echo kept > /tmp/file")
    for _ in range(2):
        kubectl("rollout", "restart", *(f"deploy/{name}" for name in WORKLOADS))
        for name in WORKLOADS:
            kubectl("rollout", "status", f"deploy/{name}", "--timeout=40s")
    new = {pod_of(kubectl, name) for name in WORKLOADS}
    assert front not in new
    for pod in new:
        assert kubectl("exec", pod, "--", "ls", "/tmp") == ""
        assert kubectl("logs", pod).count("serving grpc") == 1
    wait_until(lambda: processes(shop, "pod.py") == len(WORKLOADS) + 1)  # and the resolver


# logs


def test_logs_are_chosen_by_lines_times_and_labels(scratch: Kubectl) -> None:
    command = "for i in 1 2 3; do echo line $i; done; sleep 4; echo late; sleep 3600"
    scratch("run", "talker", f"--image={TOOLBOX}", "--", "sh", "-c", command)
    wait_until(lambda: scratch("logs", "talker").endswith("late\n"))
    assert scratch("logs", "talker") == "line 1\nline 2\nline 3\nlate\n"
    assert scratch("logs", "talker", "--tail=2") == "line 3\nlate\n"
    assert scratch("logs", "talker", "--tail=0") == ""
    assert scratch("logs", "talker", "--limit-bytes=6") == "line 1"
    assert "line 1" not in scratch("logs", "talker", "--since=3s")
    assert scratch("logs", "-l", "run=talker", "--tail=1") == "late\n"
    moment, _, text = scratch("logs", "talker", "--timestamps", "--tail=1").partition(" ")
    assert (moment[:2], moment[-1], text) == ("20", "Z", "late\n")
    refused = scratch.run("logs", "talker", "-p")
    assert b"previous terminated container" in refused.stderr


def test_a_log_is_followed_until_its_container_ends(scratch: Kubectl) -> None:
    command = "for i in 1 2 3; do echo line $i; sleep 1; done"
    scratch("run", "brief", f"--image={TOOLBOX}", "--restart=Never", "--", "sh", "-c", command)
    scratch("wait", "--for=jsonpath={.status.phase}=Running", "pod/brief", "--timeout=20s")
    assert scratch("logs", "-f", "brief", timeout_s=30) == "line 1\nline 2\nline 3\n"


# machines


def test_a_machine_that_the_control_plane_does_not_reach_times_out(shop: Any, kubectl: Kubectl, front: str) -> None:
    machine = json.loads(kubectl("get", "pod", front, "-o", "json"))["spec"]["nodeName"]
    node = shop.inner.nodes[machine].capability(EXEC)
    rule = "tcp dport 10250 drop"
    node.run(["nft", "add table ip cut; add chain ip cut c { type filter hook input priority 0; }"])
    node.run(["nft", f"add rule ip cut c {rule}"])
    try:
        began = time.monotonic()
        for words in (("logs", front), ("exec", front, "--", "true")):
            refused = kubectl.run(*words)
            assert refused.returncode != 0
            assert b":10250: i/o timeout" in refused.stderr, refused.stderr
        assert time.monotonic() - began < 20
    finally:
        node.run(["nft", "delete table ip cut"])
    assert kubectl("exec", front, "--", "echo", "back") == "back\n"


# hostile clients


def resident_mb() -> float:
    """The memory of this process, in which the gateway runs."""
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE") / 2**20


@contextlib.contextmanager
def usable(kubectl: Kubectl, front: str, *, most_mb: float = 120.0) -> Iterator[None]:
    """What happens meanwhile leaves the cluster usable, and takes little memory."""
    before = resident_mb()
    yield
    began = time.monotonic()
    assert kubectl("exec", front, "--", "echo", "here") == "here\n"
    took, grown = time.monotonic() - began, resident_mb() - before
    print(f"exec took {took:.1f} s, memory grew by {grown:.0f} MB")
    assert took < 15
    assert grown < most_mb


def test_a_pod_that_floods_its_output_has_a_bounded_log(scratch: Kubectl, front: str) -> None:
    with usable(scratch, front):
        scratch("run", "flood", f"--image={TOOLBOX}", "--", "sh", "-c", "yes flooded")
        scratch("wait", "--for=condition=Ready", "pod/flood", "--timeout=20s")
        time.sleep(3)
        assert 100_000 < len(scratch("logs", "flood")) <= 1 << 20


def test_a_client_that_reads_nothing_holds_up_nobody(scratch: Kubectl, front: str) -> None:
    with usable(scratch, front):
        slow = [scratch.start("exec", front, "--", "yes", "unread") for _ in range(4)]
        time.sleep(3)
    for one in slow:
        one.kill()
        one.communicate()


def opened(ask: urllib.request.Request, context: ssl.SSLContext) -> http.client.HTTPResponse:
    """The answer to a request. A busy server refuses some at first, which is its right."""
    ends_at = time.monotonic() + 120
    while True:
        try:
            return urllib.request.urlopen(ask, timeout=120, context=context)
        except urllib.error.HTTPError as error:
            if error.code != 503 or time.monotonic() > ends_at:
                raise AssertionError(error.read().decode()) from error
        time.sleep(1)


def test_two_hundred_watches_leave_the_cluster_usable(kubectl: Kubectl, front: str, kubeconfig: Path) -> None:
    told = yaml.safe_load(kubeconfig.read_text())
    token, server = told["users"][0]["user"]["token"], told["clusters"][0]["cluster"]["server"]
    context = ssl._create_unverified_context()
    # the other ends of the connections, and two threads for each, are in this process, too
    with usable(kubectl, front, most_mb=300), contextlib.ExitStack() as stack:
        for _ in range(200):
            url = f"{server}/api/v1/namespaces/{SPACE}/pods?watch=true&resourceVersion=0"
            ask = urllib.request.Request(url, headers={"Authorization": f"Bearer {token}"})
            stack.enter_context(opened(ask, context))
        assert kubectl("exec", front, "--", "echo", "here") == "here\n"


def test_a_manifest_of_50_megabytes_is_refused(kubectl: Kubectl, front: str) -> None:
    data = {"key": "x" * 50_000_000}
    large = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "large"}, "data": data}
    with usable(kubectl, front):
        refused = kubectl.run("create", "-f", "-", input=json.dumps(large).encode(), timeout_s=120)
        assert refused.returncode != 0
        assert b"large" in refused.stderr
