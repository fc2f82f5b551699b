"""The kernel features available to an unprivileged user, found by trying them.

Owns the list of features a task may require. Each is attempted once per boot in a short-lived namespace and remembered.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
import shutil
import subprocess
import tempfile
from collections.abc import Iterable, Mapping
from pathlib import Path

from pytest_netbench.native import build

PATH = "/usr/sbin:/usr/bin:/sbin:/bin"
_TIMEOUT_S = 20.0

_LINKS = {
    "veth": "link add nb0 type veth peer name nb1",
    "bridge": "link add nb2 type bridge",
    "bridge-vlan": "link add nb3 type bridge vlan_filtering 1",
    "bridge-stp": "link add nb4 type bridge stp_state 1",
    "macvlan": "link add nb5 link nb0 type macvlan",
    "vxlan": "link add nb6 type vxlan id 1 dstport 4789 dev nb1",
    "dummy": "link add nb7 type dummy",
    "vrf": "link add nb8 type vrf table 10",
    "8021q": "link add link nb0 name nb9 type vlan id 5",
    "gre": "link add nba type gre local 10.0.0.1 remote 10.0.0.2",
    "ipip": "link add nbb type ipip local 10.0.0.1 remote 10.0.0.2",
    "ifb": "link add nbc type ifb",
    "wireguard": "link add nbd type wireguard",
    "mpls": "route add 10.9.0.0/16 encap mpls 100 via inet 127.0.0.1 dev lo",
}
_QDISCS = {
    "netem": "qdisc replace dev nb0 root netem delay 1ms",
    "tbf": "qdisc replace dev nb0 root tbf rate 1mbit burst 32kbit latency 50ms",
    "sfq": "qdisc replace dev nb0 root sfq perturb 10",
    "fq": "qdisc replace dev nb0 root fq",
    "fq_codel": "qdisc replace dev nb0 root fq_codel",
    "prio": "qdisc replace dev nb0 root prio",
    "red": "qdisc replace dev nb0 root red limit 400000 min 30000 max 90000 avpkt 1000 burst 55 bandwidth 10mbit",
    "htb": "qdisc replace dev nb0 root handle 1: htb default 1",
    "cls_u32": "filter add dev nb0 parent 1: protocol ip prio 1 u32 match u32 0 0 flowid 1:1",
    "cls_fw": "filter add dev nb0 parent 1: protocol ip prio 2 handle 1 fw flowid 1:1",
    "cls_flower": "filter add dev nb0 parent 1: protocol ip prio 3 flower ip_proto udp classid 1:1",
    "cls_matchall": "filter add dev nb0 parent 1: protocol all prio 4 matchall classid 1:1",
    "ingress": "qdisc add dev nb1 ingress",
    "act_police": (
        "filter add dev nb1 parent ffff: protocol ip prio 1 u32 match u32 0 0 police rate 1mbit burst 10k drop"
    ),
    "act_police by matchall": (
        "filter add dev nb1 parent ffff: protocol ip prio 2 matchall action police rate 1mbit burst 10k"
    ),
    "act_mirred": (
        "filter add dev nb1 parent ffff: protocol ip prio 3 u32 match u32 0 0 action mirred egress redirect dev nb0"
    ),
    "ingress removed": "qdisc del dev nb1 ingress",
    "clsact": "qdisc add dev nb1 clsact",
}
_FILTER = "type filter hook forward priority 0;"
_NFT = {
    "nft-ip": f"ip {_FILTER}",
    "nft-ip6": f"ip6 {_FILTER}",
    "nft-inet": f"inet {_FILTER}",
    "nft-bridge": f"bridge {_FILTER}",
    "nft-arp": "arp type filter hook input priority 0;",
    "nft-netdev": "netdev type filter hook ingress device lo priority 0;",
    "nft-egress": "netdev type filter hook egress device lo priority 0;",
    "nft-nat": "ip type nat hook postrouting priority 100; oifname lo masquerade;",
    "nft-ct": f"ip {_FILTER} ct state established accept;",
    "nft-connlimit": f"ip {_FILTER} ct count over 10 drop;",
    "nft-numgen": f"ip {_FILTER} numgen random mod 10 0 drop;",
    "nft-meta-priority": f"ip {_FILTER} meta priority set 1;",
    "nft-dscp": f"ip {_FILTER} ip dscp set ef;",
    "nft-limit": f"ip {_FILTER} limit rate over 10/second drop;",
    "nft-fib": "ip type filter hook prerouting priority 0; fib saddr . iif oif missing drop;",
    "nft-log": f"ip {_FILTER} log;",
}
_STEPS = {"act_police by matchall", "ingress removed"}

FEATURES: tuple[str, ...] = tuple(name for name in (*_LINKS, *_QDISCS, *_NFT) if name not in _STEPS)
"""Every feature that is tried, by the name a task's ``requirements`` may use."""

REDIRECTION = ("ingress", "cls_u32", "act_mirred")
"""What cables need that can be cut and shaped. Without one of them a cable is a pair of interfaces in both nodes."""

SUBSTITUTES: Mapping[str, str] = {
    "netem": "the wire program: delay, jitter, loss and rate of links, outside the nodes",
}
"""Kernel feature to what stands in for it on links. A task that requires the feature itself gets no substitute."""

MODULES: Mapping[str, str] = {
    "8021q": "8021q",
    "act_mirred": "act_mirred",
    "act_police": "act_police",
    "bridge-vlan": "bridge",
    "bridge-stp": "bridge",
    "fq_codel": "sch_fq_codel",
    "gre": "ip_gre",
    "ipip": "ipip",
    "mpls": "mpls_iptunnel",
    **{name: name for name in ("bridge", "dummy", "ifb", "macvlan", "veth", "vrf", "vxlan", "wireguard")},
    **{name: f"sch_{name}" for name in ("clsact", "fq", "htb", "ingress", "netem", "prio", "red", "sfq", "tbf")},
    **{name: name for name in _QDISCS if name.startswith("cls_")},
    "nft-connlimit": "nft_connlimit",
    "nft-numgen": "nft_numgen",
    "nft-nat": "nft_masq",
    "nft-ct": "nft_ct",
    "nft-limit": "nft_limit",
    "nft-fib": "nft_fib_ipv4",
    "nft-log": "nft_log",
    **{f"nft-{family}": "nf_tables" for family in ("ip", "ip6", "inet", "bridge", "arp", "netdev", "egress", "dscp")},
    "nft-meta-priority": "nf_tables",
}
"""The kernel module that brings a feature."""


def kernel_features() -> frozenset[str]:
    """The features of ``FEATURES`` that this kernel and these tools have; empty where no user namespace can be made.

    Costs some 100 ms once per boot and set of loaded modules, and a file read afterwards.
    """
    remembered = _memory()
    if remembered is not None and (known := _read(remembered)) is not None:
        return known
    found = probe()
    if found and remembered is not None:
        # the attempts may have loaded modules, which are part of the name it is remembered by
        _write(_memory() or remembered, found)
    return found


def probe() -> frozenset[str]:
    """Try every feature now."""
    done = run_probe(["unshare", "--user", "--map-root-user", "--net", "sh", "-s"], input=_script())
    return _parse(done.stdout)


def run_probe(argv: list[str], *, input: str = "") -> subprocess.CompletedProcess[str]:
    """Run a command as the one who makes labs' namespaces: this user. Never raises for what it does.

    Root too makes them as root and gives its uid up inside: a machine may forbid them to everybody else.
    """
    try:
        return subprocess.run(
            argv,
            input=input,
            capture_output=True,
            text=True,
            timeout=_TIMEOUT_S,
            check=False,
            cwd="/",
            env={"PATH": PATH, "LC_ALL": "C"},
        )
    except (OSError, subprocess.SubprocessError) as error:
        return subprocess.CompletedProcess(argv, 127, "", str(error))


def _script() -> str:
    # lo up: an MPLS route wants a device that is up; the batches go on after a failure and name its line
    batches = [("ip", ["link set lo up", *_LINKS.values()])]
    tc = list(_QDISCS.values())
    tc.insert(list(_QDISCS).index("cls_u32"), "class add dev nb0 parent 1: classid 1:1 htb rate 1mbit")
    batches.append(("tc", tc))
    lines = []
    for program, commands in batches:
        lines += [f"echo =={program}", f"command -v {program} >/dev/null && {program} -force -batch - 2>&1 <<'END'"]
        lines += [*commands, "END", "echo"]
    lines += ["echo ==nft"]
    for number, (name, rule) in enumerate(_NFT.items()):
        family, chain = rule.split(" ", 1)
        table = f"add table {family} t{number} {{ chain c {{ {chain} }}; }}"
        lines.append(f"(nft '{table}' 2>/dev/null && echo {name}) &")
    return "\n".join([*lines, "wait", "echo ==end", ""])


def _parse(output: str) -> frozenset[str]:
    sections = dict(re.findall(r"^==(\w+)\n(.*?)(?=^==)", output, re.DOTALL | re.MULTILINE))
    if "nft" not in sections:
        return frozenset()
    found = {line for line in sections["nft"].split("\n") if line in _NFT}
    ip_names = ["lo up", *_LINKS]
    tc_names = list(_QDISCS)
    tc_names.insert(tc_names.index("cls_u32"), "class")
    for program, names in (("ip", ip_names), ("tc", tc_names)):
        if shutil.which(program, path=PATH):
            failed = {int(line) for line in re.findall(r"^Command failed -:(\d+)$", sections[program], re.MULTILINE)}
            found |= {name for number, name in enumerate(names, 1) if number not in failed}
    if "act_police by matchall" in found:
        found.add("act_police")
    return frozenset(found & set(FEATURES))


def _memory() -> Path | None:
    """Where the answer for this boot, these modules and these tools is kept, or ``None`` where nothing can be kept."""
    parts: list[str] = [os.uname().release, str(os.geteuid()), str(FEATURES)]
    try:
        parts.append(Path("/proc/sys/kernel/random/boot_id").read_text().strip())
        parts += sorted(line.split(" ", 1)[0] for line in _lines("/proc/modules"))
        for program in ("ip", "tc", "nft"):
            path = shutil.which(program, path=PATH)
            parts.append(f"{path} {Path(path).stat().st_mtime_ns}" if path else f"no {program}")
        directory = build.cache_dir()
    except OSError:
        return None
    return directory / f"features-{hashlib.sha256(repr(parts).encode()).hexdigest()[:20]}.json"


def _lines(path: str) -> Iterable[str]:
    try:
        return Path(path).read_text().splitlines()
    except FileNotFoundError:  # a kernel without modules
        return ()


def _read(path: Path) -> frozenset[str] | None:
    try:
        return frozenset(json.loads(path.read_text()))
    except (OSError, ValueError):
        return None


def _write(path: Path, found: frozenset[str]) -> None:
    """Write a temporary file and rename it, because workers run in parallel. On failure, try again next time."""
    try:
        with tempfile.NamedTemporaryFile("w", dir=path.parent, prefix=".features-", delete=False) as draft:
            json.dump(sorted(found), draft)
        Path(draft.name).replace(path)
    except OSError:
        return
