"""What an agent's shell may try, with and without the right to change its node: each fails, and the lab goes on."""

from __future__ import annotations

import os
import socket
import textwrap
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from pytest_netbench.platforms.access import Completed, SandboxLimits
from tests.support.host import Host

READS = ("nft", "iptables", "iptables-save", "conntrack")
SMALL = SandboxLimits(timeout_s=5.0, memory_bytes=64 * 2**20, processes=32, disk_bytes=4 * 2**20)


@pytest.fixture(params=[False, True], ids=["read", "write"])
def writable(request: pytest.FixtureRequest) -> bool:
    return bool(request.param)


@pytest.fixture(autouse=True)
def the_lab_goes_on(lab: Any) -> Iterator[None]:
    """Whatever was tried: both nodes still answer and the host is as it was."""
    before = Host.now()
    yield
    assert [node.run(["true"]).returncode for node in lab.nodes.values()] == [0, 0]
    assert lab.nodes["b"].shell("echo here", writable=False).stdout == "here\n"
    assert Host.now() == before


def python(code: str) -> str:
    """A shell command that runs ``code`` with the host's python."""
    return f"/usr/bin/python3 -I -c '{textwrap.dedent(code)}'"


def shell(lab: Any, command: str, *, writable: bool, node: str = "a", limits: SandboxLimits = SMALL) -> Completed:
    return lab.nodes[node].shell(command, writable=writable, reads=READS, limits=limits)


# ---- files ----


def test_the_hosts_files_cannot_be_seen(lab: Any, writable: bool, tmp_path: Path) -> None:
    secret = tmp_path / "secret.task.yaml"
    secret.write_text("ground_truth: never")
    secret.chmod(0o644)
    for path in (
        secret,
        Path(__file__),
        Path(__file__).parents[3] / "pyproject.toml",
        "/etc/shadow",
        "/etc/hostname.host",
    ):
        assert shell(lab, f"cat {path}", writable=writable).returncode != 0
    assert shell(lab, "ls -A /home", writable=writable).stdout == ""
    assert shell(lab, "ls -A /root", writable=writable).stdout == ""
    assert "netbench" not in shell(lab, "ls -A /tmp /var/tmp /run", writable=writable).stdout


def test_the_environment_is_made_anew(lab: Any, writable: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-secret")
    names = {line.partition("=")[0] for line in shell(lab, "env", writable=writable).stdout.splitlines()}
    assert names <= {"PATH", "LANG", "LC_ALL", "TERM", "VTYSH_PAGER", "HOME", "PWD", "_", "OLDPWD", "SHLVL"}
    environments = shell(lab, "cat /proc/*/environ | tr '\\0' '\\n'", writable=writable).stdout
    assert "sk-secret" not in environments
    assert "PYTEST" not in environments


def test_only_the_shells_own_processes_can_be_seen(lab: Any, writable: bool) -> None:
    pids = shell(lab, "cd /proc && echo [0-9]*", writable=writable).stdout.split()
    assert set(pids) <= {"1", "2", "3"}
    command_line = shell(lab, "tr '\\0' ' ' < /proc/1/cmdline", writable=writable).stdout
    assert command_line.startswith(("/bin/sh -c", "tr "))


def test_no_descriptor_of_the_lab_comes_along(lab: Any, writable: bool) -> None:
    listing = shell(lab, "ls -l /proc/self/fd", writable=writable).stdout
    open_ones = {line.split()[-3] for line in listing.splitlines() if "->" in line}
    assert open_ones <= {"0", "1", "2", "3", *(() if writable else ("8", "9"))}


def test_other_nodes_files_cannot_be_reached(lab: Any, writable: bool) -> None:
    lab.nodes["b"].write_file("/tmp/of-b", "secret of b")
    found = shell(lab, "find / -xdev -name of-b 2>/dev/null; ls /proc/*/root/tmp; ls /tmp/n", writable=writable)
    assert "of-b" not in found.stdout


def test_a_read_only_shell_cannot_write_the_nodes_files(lab: Any) -> None:
    for directory in ("/", "/etc", "/root", "/run", "/var/log", "/var/tmp", "/opt/netbench/lib", "/usr", "/usr/bin"):
        done = shell(lab, f"touch {directory}/new || mkdir {directory}/newdir", writable=False)
        assert "Read-only file system" in done.stderr, directory
    assert shell(lab, "echo x > /tmp/mine && cat /tmp/mine", writable=False).stdout == "x\n"
    assert shell(lab, "cat /tmp/mine", writable=False).returncode != 0


def test_what_a_trusted_program_loads_cannot_be_changed(lab: Any) -> None:
    """The framework's own commands would run a preload list or another loader of the node with the lab's privileges."""
    for attempt in (
        "echo /tmp/evil.so > /etc/ld.so.preload",
        "rm /etc/ld.so.cache",
        "mv /etc/ld.so.preload /etc/gone",
        "cp /bin/true /etc/new && mv /etc/new /etc/ld.so.preload",
        "mv /etc /etc.old",
        "mv /lib64 /lib64.old",
        "ln -sf /tmp /lib64x && mv -T /lib64x /lib64",
        "rm /bin /sbin",
        "mkdir /iptables-",
        "rm -rf /opt/netbench",
        "echo > /opt/netbench/bin/nft",
        "rm -rf /etc/pam.d/frr",
        "echo x > /etc/frr/vtysh.conf",
        "mv /usr /usr.old",
        "rm /dev/null",
    ):
        assert shell(lab, attempt, writable=True).returncode != 0, attempt
    assert lab.nodes["a"].run(["ip", "link"]).returncode == 0


def test_a_shell_that_may_change_its_node_keeps_its_files(lab: Any) -> None:
    for path in ("/etc/resolv.conf", "/etc/nftables.conf", "/root/notes", "/var/log/notes", "/run/notes"):
        assert shell(lab, f"echo kept > {path}", writable=True).returncode == 0, path
        assert shell(lab, f"cat {path}", writable=False).stdout == "kept\n"


def test_links_planted_for_the_framework_lead_nowhere(lab: Any, tmp_path: Path) -> None:
    target = tmp_path / "host-file"
    target.write_text("untouched")
    target.chmod(0o666)
    shell(
        lab,
        f"ln -sf {target} /tmp/link; ln -sfn ../../../../../.. /tmp/up; ln -sf /proc/self/environ /tmp/environ",
        writable=True,
    )
    node = lab.nodes["a"]
    for path in ("/tmp/link", f"/tmp/up{target}", "/tmp/environ", "/proc/1/environ"):
        with pytest.raises(Exception, match=r"No such file|cross-device|not a"):
            node.read_file(path)
    with pytest.raises(Exception, match=r"No such file|cross-device|not a"):
        node.write_file(f"/tmp/up{target}", "changed")
    assert target.read_text() == "untouched"


def test_a_fifo_or_a_directory_in_the_place_of_a_file_hangs_nobody(lab: Any) -> None:
    node = lab.nodes["a"]
    shell(lab, "mkfifo /tmp/fifo; mkdir -p /tmp/directory", writable=True)
    started = time.monotonic()
    for path in ("/tmp/fifo", "/tmp/directory"):
        with pytest.raises(Exception, match=f"{path}: .*"):
            node.write_file(path, "text")
        with pytest.raises(Exception, match=f"{path}: .*"):
            node.read_file(path)
    assert time.monotonic() - started < 2


def test_device_nodes_cannot_be_made_or_opened(lab: Any, writable: bool) -> None:
    assert shell(lab, "mknod /tmp/disk b 8 0", writable=writable).returncode != 0
    assert shell(lab, "mknod /tmp/mem c 1 1", writable=writable).returncode != 0
    names = set(shell(lab, "ls /dev", writable=writable).stdout.split())
    assert names <= {
        "null",
        "zero",
        "full",
        "random",
        "urandom",
        "tty",
        "pts",
        "ptmx",
        "fd",
        "stdin",
        "stdout",
        "stderr",
    }


# ---- the host's network and kernel ----


def test_a_listener_on_the_hosts_loopback_sees_nothing(lab: Any, writable: bool) -> None:
    with socket.create_server(("127.0.0.1", 0)) as server, socket.socket(socket.AF_UNIX) as unix:
        name = f"netbench-test-{os.getpid()}-{writable}"
        unix.bind(f"\0{name}")
        unix.listen()
        server.settimeout(0.1)
        port = server.getsockname()[1]
        code = f"""
            import socket
            for host in ("127.0.0.1", "169.254.169.254", "192.168.0.1", "8.8.8.8"):
                try:
                    socket.create_connection((host, {port}), timeout=0.2)
                    print("reached", host)
                except OSError as error:
                    print(error.strerror)
            try:
                socket.socket(socket.AF_UNIX).connect("\\0{name}")
                print("reached the abstract socket")
            except OSError as error:
                print(error.strerror)
        """
        assert "reached" not in shell(lab, python(code), writable=writable).stdout
        with pytest.raises(TimeoutError):
            server.accept()


def test_there_is_no_route_out(lab: Any, writable: bool) -> None:
    routes = shell(lab, "ip route; ip -6 route | grep default", writable=writable).stdout.split("\n")
    assert [route for route in routes if route] == ["10.0.0.0/24 dev eth0 proto kernel scope link src 10.0.0.1 "]
    assert "unreachable" in shell(lab, "ping -c1 -W1 1.1.1.1", writable=writable).stderr.lower()


@pytest.mark.parametrize("family", ["AF_VSOCK", "AF_ALG", "AF_KEY", "AF_BLUETOOTH"])
def test_sockets_that_no_network_namespace_holds_are_refused(lab: Any, writable: bool, family: str) -> None:
    code = f"import socket; socket.socket(getattr(socket, '{family}', 15), 3 if '{family}' != 'AF_VSOCK' else 1)"
    done = shell(lab, f'/usr/bin/python3 -I -c "{code}"', writable=writable)
    assert "PermissionError" in done.stderr or "not permitted" in done.stderr


def test_the_hosts_proc_and_sys_cannot_be_written(lab: Any, writable: bool) -> None:
    for path in (
        "/proc/sys/kernel/core_pattern",
        "/proc/sys/kernel/hostname",
        "/proc/sys/vm/drop_caches",
        "/proc/sysrq-trigger",
        "/proc/sys/user/max_user_namespaces",
        "/proc/sys/kernel/pid_max",
        "/proc/sys/fs/file-max",
    ):
        assert shell(lab, f"echo 1 > {path}", writable=writable).returncode != 0, path
    assert shell(lab, "ls -A /sys", writable=writable).stdout == ""


def test_a_read_only_shell_cannot_change_the_network(lab: Any) -> None:
    node = lab.nodes["a"]
    before = node.run_many(
        [["ip", "-d", "address"], ["ip", "route"], ["nft", "list", "ruleset"], ["sysctl", "net.ipv4"]]
    )
    for attempt in (
        "ip address add 10.9.9.9/24 dev eth0",
        "ip link set eth0 down",
        "ip route add default via 10.0.0.2",
        "nft add table inet x",
        "iptables -A INPUT -j DROP",
        "sysctl -w net.ipv4.ip_forward=1",
        "tc qdisc add dev eth0 root tbf rate 1kbit burst 1kb latency 1s",
        "ip link delete eth0",
        "hostname other",
    ):
        assert shell(lab, attempt, writable=False).returncode != 0, attempt
    after = node.run_many(
        [["ip", "-d", "address"], ["ip", "route"], ["nft", "list", "ruleset"], ["sysctl", "net.ipv4"]]
    )
    assert [done.stdout for done in after] == [done.stdout for done in before]


def test_a_shell_that_may_change_its_node_changes_its_network(lab: Any) -> None:
    for command in ("ip address add 10.9.9.9/24 dev lo", "nft add table inet x", "sysctl -w net.ipv4.ip_forward=1"):
        assert shell(lab, command, writable=True, node="b").returncode == 0, command
    assert "10.9.9.9" in lab.nodes["b"].run(["ip", "address"]).stdout


@pytest.mark.parametrize(
    "attempt",
    [
        "mount -t tmpfs x /tmp",
        "mount --bind /tmp /etc",
        "umount /proc",
        "mount -o remount,rw /",
        "mount -o remount,rw /usr",
        "unshare --user --map-root-user true",
        "unshare --mount true",
        "unshare --net true",
        "nsenter -t 1 -m true",
        "chroot / true",
    ],
)
def test_namespaces_and_mounts_are_out_of_reach(lab: Any, writable: bool, attempt: str) -> None:
    done = shell(lab, attempt, writable=writable)
    assert done.returncode != 0
    assert any(
        words in done.stderr for words in ("not permitted", "permission denied", "umount failed", "must be superuser")
    )


SYSCALL = """
    import ctypes, os
    libc = ctypes.CDLL(None, use_errno=True)
    result = libc.syscall({number}, {arguments})
    print(result, ctypes.get_errno())
"""


@pytest.mark.skipif(os.uname().machine != "x86_64", reason="numbers of x86_64")
@pytest.mark.parametrize(
    ("name", "number", "arguments"),
    [
        ("ptrace", 101, "0, 0, 0, 0"),
        ("memfd_create", 319, '\\"x\\", 0'),
        ("shmget", 29, "0, 4096, 0o1600"),
        ("msgget", 68, "0, 0o1600"),
        ("semget", 64, "0, 1, 0o1600"),
        ("io_uring_setup", 425, "8, 0"),
        ("bpf", 321, "0, 0, 0"),
        ("userfaultfd", 323, "1"),
        ("perf_event_open", 298, "0, 0, -1, -1, 0"),
        ("keyctl", 250, "0, -3"),
        ("add_key", 248, '\\"user\\", \\"x\\", \\"y\\", 1, -3'),
        ("open_by_handle_at", 304, "-100, 0, 0"),
        ("fsopen", 430, '\\"tmpfs\\", 0'),
        ("clone with a user namespace", 56, "0x10000011, 0, 0, 0, 0"),
        ("personality", 135, "0x0040000"),
    ],
)
def test_calls_that_no_shell_needs_are_refused(
    lab: Any, writable: bool, name: str, number: int, arguments: str
) -> None:
    code = textwrap.dedent(SYSCALL.format(number=number, arguments=arguments))
    done = shell(lab, f'/usr/bin/python3 -I -c "{code}"', writable=writable)
    assert done.stdout == "-1 1\n", name


def test_another_call_convention_is_no_way_round(lab: Any, writable: bool) -> None:
    """x32 numbers mean the same calls; a filter that forgets them is none."""
    code = textwrap.dedent(SYSCALL.format(number=0x40000000 + 272, arguments="0x10000000"))
    done = shell(lab, f'/usr/bin/python3 -I -c "{code}"', writable=writable)
    assert done.stdout.startswith("-1 ")


# ---- processes ----


def test_the_lab_and_its_daemons_cannot_be_signalled(lab: Any, writable: bool) -> None:
    code = """
        import os
        for pid in range(1, 4000):
            if pid != os.getpid() and pid != 1:
                try:
                    os.kill(pid, 9)
                    print("killed", pid)
                except OSError:
                    pass
    """
    assert "killed" not in shell(lab, python(code), writable=writable).stdout
    assert shell(lab, "kill -9 -1; true", writable=writable).timed_out is False


def test_a_fork_bomb_ends_at_its_limit(lab: Any, writable: bool) -> None:
    done = shell(
        lab, "b() { b | b & }; b; wait; sleep 60", writable=writable, limits=SandboxLimits(timeout_s=1.5, processes=32)
    )
    # its shells complain until the flood of complaints ends it, if not the deadline
    assert done.timed_out or done.truncated
    assert lab.nodes["a"].shell("echo again", writable=writable).stdout == "again\n"


@pytest.mark.parametrize(
    "hang",
    [
        "trap '' TERM INT HUP QUIT; while :; do :; done",
        "sleep 1000",
        "setsid sh -c 'setsid sleep 1000 & sleep 1000' & sleep 1000",
        "cat /dev/zero > /dev/null",
    ],
)
def test_a_command_that_hangs_ends_at_its_deadline(lab: Any, writable: bool, hang: str) -> None:
    started = time.monotonic()
    done = shell(lab, f"echo begun; {hang}", writable=writable, limits=SandboxLimits(timeout_s=0.3))
    assert done.timed_out
    assert done.stdout == "begun\n"
    assert time.monotonic() - started < 2


def test_a_daemon_left_behind_ends_with_its_command(lab: Any, writable: bool) -> None:
    before = lab_processes(lab)
    started = time.monotonic()
    done = shell(lab, "setsid nohup sleep 777 >/dev/null 2>&1 & (setsid sleep 778 &) ; echo left", writable=writable)
    assert done.stdout == "left\n"
    assert time.monotonic() - started < 2
    assert lab_processes(lab) == before


def lab_processes(lab: Any) -> int:
    return Host.descendants(lab.supervisor_pid)


# ---- memory, disk, output ----


FORKED_BY_THREADS = """
import os, threading, time
def fork():
    if os.fork() == 0:
        x = bytearray(30 << 20)
    time.sleep(9)
for _ in range(4):
    threading.Thread(target=fork).start()
"""


@pytest.mark.parametrize(
    "code",
    [
        "x = bytearray(1 << 30)",
        "import mmap, time\nm = mmap.mmap(-1, 1 << 27)\nfor i in range(0, 1 << 27, 4096): m[i] = 1\ntime.sleep(9)",
        "import os, time\n[os.fork() for _ in range(3)]\nx = bytearray(40 << 20)\ntime.sleep(9)",
        FORKED_BY_THREADS,
    ],
    ids=["one", "shared", "many", "forked-by-threads"],
)
def test_memory_is_limited_for_a_command_as_a_whole(lab: Any, writable: bool, code: str) -> None:
    started = time.monotonic()
    done = shell(lab, f"/usr/bin/python3 -I -c '{code}'", writable=writable)
    assert done.returncode != 0
    assert not done.timed_out
    assert "MemoryError" in done.stderr or "killed: more than 64 MiB of memory" in done.stderr
    assert time.monotonic() - started < 4


def test_disk_is_limited_by_size_and_by_number(lab: Any, writable: bool) -> None:
    where = "/tmp"
    done = shell(
        lab,
        f"cd {where} && mkdir f && cd f && for i in $(seq 30); do head -c 2000000 /dev/zero > $i; done; rm -rf ../f",
        writable=writable,
    )
    assert "No space left" in done.stderr
    big = shell(lab, f"head -c 99000000 /dev/zero > {where}/big; s=$?; rm {where}/big; exit $s", writable=writable)
    assert big.returncode != 0
    code = """
        import os
        os.mkdir("/tmp/many")
        try:
            for number in range(20000):
                open(f"/tmp/many/{number}", "w").close()
        except OSError as error:
            print(error.strerror)
    """
    assert "No space left" in shell(lab, python(code.replace("'", '"')), writable=writable).stdout
    shell(lab, "rm -rf /tmp/many", writable=True)


def test_a_flood_of_output_is_cut_and_ended(lab: Any, writable: bool) -> None:
    started = time.monotonic()
    done = shell(lab, "yes & yes >&2", writable=writable, limits=SandboxLimits(timeout_s=20, output_bytes=10_000))
    assert done.truncated
    assert len(done.stdout) <= 10_000
    assert len(done.stderr) <= 10_000
    assert time.monotonic() - started < 3


def test_words_that_are_no_text_end_only_their_own_command(lab: Any, writable: bool) -> None:
    assert shell(lab, "echo \ud800", writable=writable).returncode != 0
    assert shell(lab, "echo \0", writable=writable).returncode != 0
    assert shell(lab, "x" * 200_000, writable=writable).returncode != 0
    with pytest.raises(Exception, match="surrogates not allowed"):
        lab.nodes["a"].write_file("/tmp/x", "\ud800")
    with pytest.raises(Exception, match="surrogates not allowed"):
        lab.nodes["a"].run(["cat"], input="\ud800")


def test_shells_of_several_agents_run_side_by_side(lab: Any, writable: bool) -> None:
    results: list[str] = []
    threads = [
        threading.Thread(
            target=lambda n=n: results.append(shell(lab, f"sleep 0.2; echo {n}", writable=writable).stdout)
        )
        for n in range(6)
    ]
    started = time.monotonic()
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(results) == [f"{n}\n" for n in range(6)]
    assert time.monotonic() - started < 1.5
