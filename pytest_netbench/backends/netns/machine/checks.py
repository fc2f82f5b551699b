"""The single checks of the doctor: namespaces, programs, FRR, compiled parts, memory.

Owns what is checked and the text for each missing item. Every check is a real attempt.
"""

from __future__ import annotations

import os
import platform
import re
import shutil
from importlib.metadata import version
from importlib.util import find_spec
from pathlib import Path

from pytest_netbench.backends.netns.machine import features
from pytest_netbench.backends.netns.machine.userns import Refusal, files_refused, namespaces_refused, proc_refused
from pytest_netbench.kernel import containers
from pytest_netbench.lab.report import Check
from pytest_netbench.native import build
from pytest_netbench.platforms.frr import daemons
from pytest_netbench.platforms.openflow_controller.programs import PACKAGES
from pytest_netbench.platforms.openvswitch import programs as ovs
from pytest_netbench.platforms.p4 import switch as p4

MEMORY_PER_NODE = 20 * 2**20
"""Bytes that a router with three daemons takes, measured and rounded up."""

TUN = "tun"
"""What a task requires whose nodes make tunnels with programs."""

RPKI = "bgpd-rpki"
"""What a task requires whose routers validate the origins of routes."""

# what the supervisor does as root, in a mount namespace of this command
_COPY = ("sh", "-ec", "mount -t tmpfs netbench /dev/net; mknod /dev/net/tun c 10 200")
_INOTIFY = "/proc/sys/fs/inotify/max_user_instances"
_AUTOGROUP = "/proc/sys/kernel/sched_autogroup_enabled"
_STARVING = "6.18."
_USUAL = 128
_SLOT_NODES = 8
NOT_LINUX = "Run it on Linux: a virtual machine, WSL 2 or a container started as `docs/how-to/install.md` says."

# program: (package, what it is for, required)
PROGRAMS: dict[str, tuple[str, str, bool]] = {
    "unshare": ("util-linux", "makes namespaces", True),
    "ip": ("iproute2", "makes links", True),
    "tc": ("iproute2", "queueing disciplines", True),
    "nft": ("nftables", "filters and NAT of linux nodes", True),
    "ping": ("iputils-ping", "a diagnostic tool of nodes", True),
    "traceroute": ("traceroute", "a diagnostic tool of nodes", False),
    "iperf3": ("iperf3", "a diagnostic tool of nodes", False),
    "iptables": ("iptables", "filters of linux nodes, the old way", False),
    "tcpdump": ("tcpdump", "a diagnostic tool of nodes", False),
    "dnsmasq": ("dnsmasq-base", "DNS servers of linux nodes", False),
    "busybox": ("busybox", "DHCP clients of linux nodes", False),
    "lighttpd": ("lighttpd", "web servers of linux nodes", False),
    "haproxy": ("haproxy", "load balancers of linux nodes", False),
    "wireguard-go": ("wireguard-go", "WireGuard tunnels of linux nodes", False),
    "wg": ("wireguard-tools", "WireGuard tunnels of linux nodes", False),
    "stayrtr": ("stayrtr", "RPKI caches of linux nodes", False),
    "curl": ("curl", "a diagnostic tool of nodes, and the client of http-get", False),
}


def not_linux() -> Check:
    """The one check there is on another system."""
    return Check("Linux", False, True, f"labs are made of Linux namespaces, and this is {platform.system()}", NOT_LINUX)


# ---- namespaces ----


def namespace_checks() -> list[Check]:
    """Whether labs can make their namespaces, tried."""
    refused = namespaces_refused()
    who = "as root, who gives its rights up inside" if os.geteuid() == 0 else "as this user"
    checks = [_check("user namespaces", refused, f"user, pid, mount and network namespaces work {who}", "forbidden")]
    if refused is None:
        proc = proc_refused()
        checks.append(_check("own /proc", proc, "a new PID namespace can mount its own /proc", "refused"))
        if proc is None:
            checks.append(_check("files of nodes", files_refused(), "nodes can have files of their own", "refused"))
    return checks


def _check(name: str, refused: Refusal | None, good: str, verb: str) -> Check:
    if refused is None:
        return Check(name, True, True, good)
    return Check(
        name, False, True, f"{name} {'are' if name.endswith('s') else 'is'} {verb}: {refused.reason}", refused.remedy
    )


# ---- programs ----


def install_command(package: str) -> str:
    """The command that installs a Debian package here."""
    sudo = "" if os.geteuid() == 0 else "sudo "
    return f"{sudo}apt-get install -y --no-install-recommends {package}"


def program_check(name: str) -> Check:
    """Whether one of ``PROGRAMS`` is installed."""
    package, purpose, required = PROGRAMS[name]
    path = shutil.which(name, path=f"{features.PATH}:{os.environ.get('PATH', '')}")
    if path:
        return Check(name, True, required, path)
    return Check(name, False, required, f"{name} is not installed ({purpose})", install_command(package))


def tun_check(path: Path = Path("/dev/net/tun"), *, root: Path = Path("/")) -> Check:
    """Whether tunnels of programs can be made, tried: ``path`` is opened and closed.

    Args:
        path: The device.
        root: Where the marks of a container are looked for.
    """
    sudo = "" if os.geteuid() == 0 else "sudo "
    contained = containers.runtime(root) is not None
    try:
        os.close(os.open(path, os.O_RDWR | os.O_CLOEXEC))
    except PermissionError:
        detail = f"{path} may not be opened by this user (WireGuard tunnels of linux nodes)"
        there = f"on the host chmod 666 {path}, then {containers.grant(['tun'], root)}"
        return Check(TUN, False, False, detail, there if contained else f"{sudo}chmod 666 {path}")
    except OSError as error:
        detail = f"{path} cannot be opened (WireGuard tunnels of linux nodes): {error.strerror}"
        return Check(TUN, False, False, detail, containers.grant(["tun"], root) if contained else f"{sudo}modprobe tun")
    is_for_all = path.stat().st_mode & 0o006 == 0o006
    if os.geteuid() == 0 and not is_for_all and (done := features.run_probe(["unshare", "--mount", *_COPY])).returncode:
        detail = f"only root may open {path}, and root may not copy it for labs: {done.stderr.strip()}"
        return Check(TUN, False, False, detail, f"chmod 666 {path}")
    return Check(TUN, True, False, f"{path} can be opened")


def interpreter_check(path: Path = Path("/usr/bin/python3")) -> Check:
    """Whether there is a Python that nodes can run: they see the host's ``/usr`` and no virtual environment."""
    if path.exists():
        return Check("python3 for nodes", True, False, str(path))
    detail = f"{path} is not there, and IOS routers run HSRP, VRRP, DHCP, IP SLA and spanning tree with it"
    return Check("python3 for nodes", False, False, detail, install_command("python3"))


def frr_checks() -> list[Check]:
    """FRR's daemons and vtysh."""
    directory, version = daemons.directory(), daemons.version()
    if directory is None:
        return [Check("FRR", False, True, "FRR is not installed (routers of platform frr)", install_command("frr"))]
    if version is None:
        return [Check("FRR", False, True, f"{directory}/zebra does not run", install_command("--reinstall frr"))]
    names = [name for name in daemons.installed() if name in {"zebra", "staticd", "ospfd", "bgpd", "mgmtd"}]
    others = len(daemons.installed()) - len(names)
    detail = f"{version} in {directory}: {', '.join(names)} and {others} more"
    major = int(version.split(".", 1)[0])
    if major >= 10 and "mgmtd" not in names:
        return [
            Check("FRR", False, True, f"FRR {version} has no mgmtd, which it needs", install_command("--reinstall frr"))
        ]
    vtysh = shutil.which("vtysh", path=features.PATH)
    return [
        Check("FRR", True, True, detail),
        (
            Check("vtysh", True, True, vtysh)
            if vtysh
            else Check("vtysh", False, True, "vtysh is not installed (the command line of FRR)", install_command("frr"))
        ),
    ]


def rpki_check() -> Check:
    """Whether FRR's bgpd has its module for RPKI."""
    if daemons.has_rpki():
        return Check(RPKI, True, False, "bgpd has its module for RPKI")
    detail = "bgpd has no module for RPKI (routers of platform frr that validate the origins of routes)"
    return Check(RPKI, False, False, detail, install_command("frr-rpki-rtrlib"))


def ovs_check() -> Check:
    """Open vSwitch's programs."""
    if (missing := ovs.missing()) is not None:
        detail = f"{missing} is not installed (switches of platform openvswitch)"
        return Check("Open vSwitch", False, False, detail, install_command("openvswitch-switch"))
    return Check("Open vSwitch", True, False, f"{ovs.version()}, in user space")


def os_ken_check() -> Check:
    """The OpenFlow library of controllers."""
    lacking = [name for name in PACKAGES if find_spec(name) is None]
    if lacking:
        detail = f"the Python package {lacking[0]} is not installed (controllers of platform openflow_controller)"
        return Check("os-ken", False, False, detail, "pip install 'pytest-netbench[sdn]'")
    return Check("os-ken", True, False, f"{version('os-ken')}, for OpenFlow controllers")


def p4_check() -> Check:
    """The switch of P4 nodes, and the client of its runtime API."""
    if (lack := p4.lack()) is not None:
        return Check("P4 switch", False, False, *lack)
    return Check("P4 switch", True, False, f"{p4.NAME} {p4.version()}")


# ---- what is compiled here ----


def native_checks() -> list[Check]:
    """Lab time and its pacer, the rules of IOS, the wire and the switch: compiled here, or not."""
    rules = build.ios_rules()
    built = (
        ("lab time", build.labtime(), "protocol timers run at wall speed", "daemons can run faster than the wall"),
        ("pacer", build.pacer(), "lab time passes at a factor only", "lab time can be moved by events"),
        (
            "IOS rules",
            next(iter(rules.values())).parent.parent if len(rules) == len(build.IOS_RULES) else None,
            "BGP and OSPF of cisco_ios follow FRR's rules in some cases",
            "BGP and OSPF of cisco_ios follow IOS's rules",
        ),
        ("wire", build.wire(), "links cannot delay, lose or pace", "links can delay, lose and pace packets"),
        ("switch", build.switch(), "nodes cannot switch frames or tag them", "nodes can switch frames and tag them"),
    )
    remedy = install_command("gcc libc6-dev")
    return [
        (
            Check(name, True, False, f"{good} ({path})")
            if path
            else Check(name, False, False, f"{bad}: {build.why_not()}", remedy)
        )
        for name, path, bad, good in built
    ]


# ---- the machine ----


def memory_check() -> Check:
    """How many labs fit side by side."""
    available, cores = available_memory(), len(os.sched_getaffinity(0))
    slots = lab_slots(available)
    detail = (
        f"{available / 2**30:.1f} GiB available, {cores} cores: room for {slots} labs of {_SLOT_NODES} routers side by"
        " side"
    )
    return Check("memory", slots > 0, False, detail, None)


def inotify_check(path: str = _INOTIFY) -> Check:
    """How many IOS devices can run side by side: each holds an inotify instance."""
    allowed = _number(path)
    if allowed is None:
        return Check("inotify", True, False, f"{path} cannot be read")
    detail = f"{allowed} instances for all labs of a user: room for fewer than {allowed} IOS devices side by side"
    return Check("inotify", allowed >= _USUAL, False, detail, f"sysctl fs.inotify.max_user_instances={_USUAL}")


def scheduling_check(path: str = _AUTOGROUP, release: str | None = None) -> Check:
    """Whether the kernel lets a busy session keep all others waiting.

    Sessions are groups of the scheduler where ``sched_autogroup_enabled`` is 1. Under Linux 6.18.44, on two cores, a
    busy group was measured to run all the time while its virtual run time stood still. Threads of the kernel waited for
    up to 25 s, and what terminals carry with them.
    """
    grouped = _number(path) == 1
    kernel = platform.release() if release is None else release
    how = "among sessions" if grouped else "among processes"
    starving = grouped and kernel.startswith(_STARVING)
    told = f": on Linux {kernel} labs that keep all cores busy can stop for seconds" if starving else ""
    return Check("scheduling", not starving, False, how + told, "sysctl kernel.sched_autogroup_enabled=0")


def available_memory() -> int:
    """Bytes this process could still use: the machine's, or the container's limit if that is less."""
    match = re.search(r"^MemAvailable:\s+(\d+) kB", Path("/proc/meminfo").read_text(), re.MULTILINE)
    free = int(match.group(1)) * 1024 if match else 0
    for limit, usage in (
        ("/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory.current"),
        ("/sys/fs/cgroup/memory/memory.limit_in_bytes", "/sys/fs/cgroup/memory/memory.usage_in_bytes"),
    ):
        allowed, used = _number(limit), _number(usage)
        if allowed is not None and used is not None:
            free = min(free, max(0, allowed - used))
    return free


def lab_slots(available: int, nodes: int = _SLOT_NODES) -> int:
    """How many labs of ``nodes`` routers fit into ``available`` bytes, leaving a quarter of it alone."""
    return int(available * 0.75) // (nodes * MEMORY_PER_NODE)


def _number(path: str) -> int | None:
    try:
        return int(Path(path).read_text())
    except (OSError, ValueError):  # absent, or "max"
        return None


def cgroup_check() -> Check:
    """The available cgroups, for information."""
    if Path("/sys/fs/cgroup/cgroup.controllers").exists():
        kind = "version 2"
    elif Path("/sys/fs/cgroup/memory").exists():
        kind = "version 1"
    else:
        kind = "none mounted"
    return Check("cgroups", True, False, f"{kind}; not needed: limits of agents are resource limits and tmpfs sizes")
