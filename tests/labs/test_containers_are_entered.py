"""Programs in containers: here in namespaces as a container has them, without an engine."""

from __future__ import annotations

import contextlib
import os
import socket
import struct
import subprocess
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from pytest_netbench.backends.containerlab import authorities, exchange, networks, prober, programs
from pytest_netbench.backends.containerlab.authorities import Authority, Forking, Helper, Root
from pytest_netbench.backends.containerlab.helper import READY
from pytest_netbench.backends.containerlab.node import ContainerNode
from pytest_netbench.backends.containerlab.programs import Place
from pytest_netbench.errors import LabDied, LabError
from pytest_netbench.kernel import silence
from pytest_netbench.kernel.processes import started
from pytest_netbench.model.topology import Node, Topology
from pytest_netbench.platforms.access import SandboxLimits
from pytest_netbench.platforms.linux import boot
from pytest_netbench.platforms.linux.driver import PRIVILEGED_READS
from pytest_netbench.probing.prober import NamespaceProber
from pytest_netbench.probing.records import Probe

pytestmark = pytest.mark.skipif(os.geteuid() != 0, reason="containers are entered as root")
READY_S = 20


@contextlib.contextmanager
def helped(folder: Path, owner: int = 0) -> Iterator[Helper]:
    """The helper of a lab of somebody, here beside all containers."""
    process = subprocess.Popen(
        authorities.module("helper", str(folder), str(owner)), stdin=subprocess.PIPE, stdout=subprocess.PIPE
    )
    assert process.stdin is not None
    assert process.stdout is not None
    try:
        assert process.stdout.readline() == READY
        yield Helper(folder)
    finally:
        process.stdin.close()
        assert process.wait(timeout=READY_S) == 0
        process.stdout.close()


@pytest.fixture(params=["root", "forking", "helper"])
def by(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Authority]:
    """Who enters the containers."""
    if request.param == "root":
        yield Root()
        return
    folder = tmp_path_factory.mktemp("lab")
    with helped(folder) as helper:
        yield Forking(folder) if request.param == "forking" else helper


@pytest.fixture
def place(tmp_path: Path, by: Authority) -> Iterator[Place]:
    """Namespaces with a pair of interfaces, whose first process takes in orphans."""
    ready = tmp_path / "ready"
    script = (
        "ip link set lo up; ip link add near type veth peer name far; ip link set near up; ip link set far up;"
        f" touch {ready}; while :; do sleep 60 & wait $!; done"
    )
    process = subprocess.Popen(
        ["unshare", "--net", "--pid", "--fork", "--kill-child", "--mount-proc", "--uts", "--ipc", "bash", "-c", script]
    )
    ends_at = time.monotonic() + READY_S
    while not ready.exists():
        assert time.monotonic() < ends_at
        time.sleep(0.01)
    (first,) = map(int, Path(f"/proc/{process.pid}/task/{process.pid}/children").read_text().split())
    yield Place("c", first, started(first), by)
    process.kill()
    process.wait()


@pytest.fixture
def node(place: Place, tmp_path: Path) -> Iterator[ContainerNode]:
    topology = Topology(nodes=(Node(name="n"),))
    found = ContainerNode(place=place, name="n", platform="linux", topology=topology, logs=tmp_path, image_memory={})
    yield found
    found.close()


def test_a_trusted_program_is_in_the_container_and_may_set_variables_of_its_network(node: ContainerNode) -> None:
    forward = Path("/proc/sys/net/ipv4/ip_forward")
    before = forward.read_text()
    script = "sysctl -qw net.ipv4.ip_forward=1; sysctl -n net.ipv4.ip_forward; ls /sys/class/net; cat /proc/1/comm; cat"
    done = node.run(["sh", "-c", script], input="given")
    assert done.stdout.split()[0] == "1"
    assert done.stdout.endswith("bash\ngiven")
    assert forward.read_text() == before
    assert node.run(["ip", "-br", "link", "show", "near"]).stdout.startswith("near@far")


def test_an_agent_that_looks_can_change_nothing_and_sees_only_itself(node: ContainerNode) -> None:
    done = node.shell(
        "ip link set near down; touch /etc/x /usr/x /dev/shm/x; ls /proc | grep -c '^[0-9]'; id -u", writable=False
    )
    processes, user = done.stdout.split()
    assert int(processes) < 8
    assert int(user) > 65536
    assert "not permitted" in done.stderr
    assert done.stderr.count("cannot touch") == 3


def test_an_agent_that_changes_may_change_the_network_and_nothing_of_this_machine(node: ContainerNode) -> None:
    machine = "echo x > /proc/sys/kernel/core_pattern; touch /root/x; unshare -n true"
    done = node.shell(f"ip link set near mtu 1400 && ip link show near; {machine}", writable=True)
    assert "mtu 1400" in done.stdout
    assert "cannot create /proc/sys/kernel/core_pattern" in done.stderr
    assert "cannot touch" in done.stderr
    assert "Operation not permitted" in done.stderr


def test_listings_are_made_for_an_agent_that_looks_and_nothing_else_is(node: ContainerNode) -> None:
    assert node.run(["nft", "add", "table", "ip", "seen"]).returncode == 0
    done = node.shell("nft list ruleset; nft flush ruleset; nft list tables", writable=False, reads=PRIVILEGED_READS)
    assert done.stdout.count("table ip seen") == 2
    assert "listings only" in done.stdout
    assert "not permitted" in node.shell("nft list ruleset", writable=False).stderr


@pytest.mark.parametrize("taken", [3, 4, 5])
def test_listings_are_made_whatever_descriptors_are_open(node: ContainerNode, taken: int) -> None:
    asked = programs.request(node.place, ["/bin/sh", "-c", "nft list tables"], "read", reads=PRIVILEGED_READS)
    opened = " ".join(f"{number}</dev/null" for number in range(3, 3 + taken))
    assert node.run(["nft", "add", "table", "ip", "seen"]).returncode == 0
    done = subprocess.run(
        ["sh", "-c", f'exec {opened}; exec "$@"', "sh", *programs.command(asked)],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.stdout == "table ip seen\n", done.stderr


def test_what_is_too_long_too_slow_or_left_to_run_ends(node: ContainerNode) -> None:
    few = SandboxLimits(timeout_s=1, output_bytes=1000)
    flooding = node.shell("yes", writable=False, limits=few)
    assert flooding.truncated
    assert len(flooding.stdout) == 1000
    assert node.shell("sleep 100", writable=False, limits=few).timed_out
    node.shell("setsid sleep 4321 & setsid sleep 4321 & exit 0", writable=True)
    assert "4321" not in node.run(["ps", "-eo", "args"]).stdout.replace("ps -eo args", "")


def test_several_programs_have_their_own_outputs_and_one_that_hangs_ends_the_rest(node: ContainerNode) -> None:
    argvs = [["printf", "a b"], ["sh", "-c", "printf no >&2; exit 4"], ["cat"], ["no-such-program"], ["echo", "d\ne"]]
    first, second, third, fourth, fifth = node.run_many(argvs)
    assert (first.stdout, first.stderr, first.returncode) == ("a b", "", 0)
    assert (second.stdout, second.stderr, second.returncode) == ("", "no", 4)
    assert (third.stdout, third.returncode) == ("", 0)
    assert fourth.returncode == 127
    assert fifth.stdout == "d\ne\n"
    assert node.run_many([]) == []
    assert len(node.run_many([["echo", "x" * 1000]] * 300)) == 300
    done, hung, never = node.run_many([["echo", "1"], ["sleep", "4322"], ["echo", "3"]], timeout_s=0.4)
    assert (done.stdout, done.timed_out) == ("1\n", False)
    assert hung.timed_out
    assert never.timed_out
    assert never.stdout == ""


def test_many_processes_and_much_memory_are_refused(node: ContainerNode) -> None:
    limits = SandboxLimits(timeout_s=10, processes=16)
    done = node.shell(
        "i=0; while [ $i -lt 60 ]; do sleep 5 & i=$((i+1)); done; echo made", writable=True, limits=limits
    )
    assert "fork" in done.stderr.lower()
    done = node.shell("head -c 2000000000 /dev/zero | tail", writable=False, limits=SandboxLimits(timeout_s=20))
    assert done.returncode != 0


def test_a_long_command_and_a_large_input_pass(node: ContainerNode) -> None:
    assert node.run(["sh", "-c", "wc -c"], input="x" * 300_000).stdout.strip() == "300000"
    many = "true\n" * 20_000
    assert node.shell(f"{many}echo end", writable=False).stdout == "end\n"


def test_a_container_that_has_ended_is_an_error_and_not_another_process(place: Place) -> None:
    other = Place("c", os.getpid(), place.started, place.by)
    with pytest.raises(LabDied, match="the container has ended"):
        programs.run(programs.request(other, ["true"], "trusted"), timeout_s=10)


@pytest.fixture
def other_network() -> Iterator[int]:
    """A process in a network of its own."""
    process = subprocess.Popen(["unshare", "--net", "sh", "-c", "echo; exec sleep 600"], stdout=subprocess.PIPE)
    assert process.stdout is not None
    process.stdout.readline()
    yield process.pid
    process.kill()
    process.wait()


@pytest.mark.skipif(not silence.is_possible(), reason="this kernel takes no programs for interfaces (XDP)")
def test_a_silent_interface_has_carrier_and_receives_nothing(
    node: ContainerNode, place: Place, other_network: int
) -> None:
    def there(*words: str) -> None:
        subprocess.run(["nsenter", "-t", str(other_network), "--net", *words], check=True)

    subprocess.run(
        ["nsenter", "-t", str(place.pid), "--net", "ip", "link", "set", "far", "netns", str(other_network)], check=True
    )
    there("ip", "address", "add", "192.0.2.2/24", "dev", "far")
    there("ip", "link", "set", "far", "up")
    node.run(["ip", "address", "add", "192.0.2.1/24", "dev", "near"])
    ping = ["ping", "-c", "1", "-W", "1", "192.0.2.2"]
    assert node.run(ping).returncode == 0
    networks.set_silent(other_network, "far", silent=True)
    assert node.run(ping).returncode == 1
    assert "LOWER_UP" in node.run(["ip", "link", "show", "near"]).stdout
    networks.set_silent(other_network, "far", silent=False)
    assert node.run(ping).returncode == 0
    with pytest.raises(OSError, match="no interface"):
        networks.set_silent(other_network, "gone", silent=True)


def test_files_on_mounts_of_the_container_are_reached_and_nothing_outside(node: ContainerNode) -> None:
    assert node.read_file("/proc/1/comm") == "bash\n"
    with pytest.raises(LabError, match="symbolic links"):
        node.read_file("/proc/1/root/etc/hostname")


@pytest.mark.parametrize(
    ("config", "has_taken_effect"),
    [
        ("ip address add 10.0.0.1/24 dev near\n", True),
        ("ip address add 2001:db8::1/64 dev near\n", False),
        ("ip link add br0 type bridge; ip link set near master br0; ip link set br0 up\n", False),
        ("echo netbench-addresses; cat <<EOF\n", False),
        ("exit 0\n", False),
    ],
)
def test_a_startup_config_says_whether_all_of_it_has_taken_effect(
    node: ContainerNode, config: str, has_taken_effect: bool
) -> None:
    assert boot.boot(node, config) == ([], has_taken_effect)


def test_a_line_that_prints_its_error_is_named_without_what_was_asked_beside(node: ContainerNode) -> None:
    ((one,), _) = boot.boot(node, "true\necho sorry; false\n")
    assert (one.line_number, one.message) == (2, "sorry")


def test_files_and_sockets_of_a_container_are_opened_by_whoever_may(place: Place) -> None:
    asked = place.pid, place.started
    with os.fdopen(place.by.open_file(*asked, "/etc/hostname", os.O_RDONLY, 0)) as file:
        assert file.read() == Path("/etc/hostname").read_text()
    with pytest.raises(FileNotFoundError):
        place.by.open_file(*asked, "/etc/nothing", os.O_RDONLY, 0)
    with pytest.raises(ProcessLookupError, match="has ended"):
        place.by.open_file(place.pid, "1", "/etc/hostname", os.O_RDONLY, 0)
    network = place.by.network(*asked)
    assert os.fstat(network).st_ino == Path(f"/proc/{place.pid}/ns/net").stat().st_ino
    os.close(network)
    with pytest.raises(OSError, match="no interface"):
        place.by.set_silent(place.pid, "gone", silent=False)


def test_probes_are_sent_by_whoever_may(node: ContainerNode) -> None:
    found = prober.prober_of({"n": node})
    assert found is not None
    with found:
        (result,) = found.probe([Probe(source="n", target="127.0.0.1")])
    assert result.delivered


def test_who_measures_is_forked_by_the_helper(place: Place, tmp_path: Path) -> None:
    """An interpreter that starts anew takes ten times as long, and an evaluation has dozens of them."""
    with helped(tmp_path), measuring(place, tmp_path) as found:
        with exchange.connected(str(tmp_path)) as connection:
            data = connection.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, 12)
        helper = Path(f"/proc/{struct.unpack('=iII', data)[0]}")
        with found.capturing("n", "lo"):
            (child,) = (helper / "task" / helper.name / "children").read_text().split()
            assert Path(f"/proc/{child}/cmdline").read_bytes() == (helper / "cmdline").read_bytes()


def test_a_probe_without_its_helper_is_an_error_of_the_lab(place: Place, tmp_path: Path) -> None:
    with contextlib.ExitStack() as stack:
        with helped(tmp_path):
            found = stack.enter_context(measuring(place, tmp_path))
            begun = found.capturing("n", "lo")
            begun.__enter__()
        with pytest.raises(LabError, match="capture: the process that measures is lost"):
            begun.__exit__(None, None, None)
        with pytest.raises(LabError, match="addresses: the process that measures cannot be started"):
            found.addresses("n")


@contextlib.contextmanager
def measuring(place: Place, folder: Path) -> Iterator[NamespaceProber]:
    """A prober whose processes the helper in ``folder`` starts."""
    topology, entered = Topology(nodes=(Node(name="n"),)), Place("c", place.pid, place.started, Forking(folder))
    node = ContainerNode(place=entered, name="n", platform="linux", topology=topology, logs=folder, image_memory={})
    found = prober.prober_of({"n": node})
    assert found is not None
    with found:
        yield found


def test_a_program_on_a_terminal_ends_with_it(node: ContainerNode) -> None:
    program = node.pty(["/bin/sh", "-c", "tty; exec sleep 4321"], writable=True)
    ends_at, said = time.monotonic() + READY_S, b""
    while b"pts" not in said and time.monotonic() < ends_at:
        with contextlib.suppress(BlockingIOError):
            said += os.read(program.fd, 1000)
    assert b"/pts/" in said
    program.close()
    while "4321" in node.run(["ps", "-eo", "args"]).stdout:
        assert time.monotonic() < ends_at
        time.sleep(0.05)


def test_a_helper_serves_nobody_but_its_owner_and_root(tmp_path: Path) -> None:
    tmp_path.chmod(0o755)
    code = f"import socket; socket.socket(socket.AF_UNIX).connect({str(tmp_path / 'helper')!r})"
    with helped(tmp_path, owner=54_321):
        status = (tmp_path / "helper").stat()
        assert (status.st_uid, status.st_mode & 0o777) == (54_321, 0o600)
        script = ["setpriv", "--reuid=54322", "--regid=54322", "--clear-groups", "/usr/bin/python3", "-c", code]
        done = subprocess.run(script, capture_output=True, text=True, check=False)
    assert "PermissionError" in done.stderr


def test_a_helper_that_is_gone_is_a_dead_lab(place: Place, tmp_path: Path) -> None:
    gone = Place("c", place.pid, place.started, Helper(tmp_path))
    with pytest.raises(LabDied, match="the container cannot be entered"):
        programs.run(programs.request(gone, ["true"], "trusted"), timeout_s=10)


def test_a_helper_that_ends_while_a_program_runs_is_a_dead_lab(
    tmp_path: Path, place: Place, tmp_path_factory: pytest.TempPathFactory
) -> None:
    begun = tmp_path / "begun"
    with ThreadPoolExecutor(1) as threads:
        with helped(tmp_path_factory.mktemp("other")) as helper:
            there = Place("c", place.pid, place.started, helper)
            asked = programs.request(there, ["sh", "-c", f"touch {begun}; sleep 5"], "trusted")
            running = threads.submit(programs.run, asked, timeout_s=30)
            ends_at = time.monotonic() + READY_S
            while not begun.exists():
                assert time.monotonic() < ends_at
                time.sleep(0.02)
        with pytest.raises(LabDied, match="the helper of the lab is gone"):
            running.result()
