"""NetArena's star compared with bare namespaces: ``python benchmarks/star.py [--runs N]``, as root.

A Linux router and one LAN for each subnet. The bare network is made in new namespaces: one ``ip -batch`` for namespaces
and links, and one for the addresses of each namespace. Both are deployed in turn; the minimum of each is compared.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

from benchmarks.measure import table
from benchmarks.networks import star
from pytest_netbench.backends.netns.backend import NetnsBackend
from pytest_netbench.lab.request import request_of

_SIZES = ((2, 2), (4, 4), (8, 4))
_ALLOWANCE_S = 0.1
_FACTOR = 2


def bare_commands(subnets: int, hosts: int) -> tuple[list[str], dict[str, list[str]]]:
    """``ip -batch`` lines that make namespaces and links, and by namespace those that configure it."""
    links = ["netns add r"]
    inside: dict[str, list[str]] = {"r": ["link set lo up"]}
    for subnet in range(subnets):
        bridge = f"b{subnet}"
        links += [
            f"link add {bridge} type bridge",
            f"link set {bridge} up",
            f"link add p{subnet}r type veth peer name eth{subnet} netns r",
            f"link set p{subnet}r up master {bridge}",
        ]
        inside["r"] += [f"address add 10.0.{subnet}.1/24 dev eth{subnet}", f"link set eth{subnet} up"]
        for host in range(hosts):
            name, port = f"h{subnet}x{host}", f"p{subnet}.{host}"
            links += [
                f"netns add {name}",
                f"link add {port} type veth peer name eth0 netns {name}",
                f"link set {port} up master {bridge}",
            ]
            inside[name] = [
                "link set lo up",
                f"address add 10.0.{subnet}.{10 + host}/24 dev eth0",
                "link set eth0 up",
                f"route add default via 10.0.{subnet}.1",
            ]
    return links, inside


def bare_s(subnets: int, hosts: int) -> float:
    """Wall seconds in which the bare network comes up, with the start of its namespaces."""
    links, inside = bare_commands(subnets, hosts)
    script = "mount -t tmpfs run /run && mkdir /run/netns && ip -batch - <<'END'\n" + "\n".join(links) + "\nEND\n"
    for name, lines in inside.items():
        script += f"ip -n {name} -batch - <<'END'\n" + "\n".join(lines) + "\nEND\n"
    script += "ip netns exec r sysctl -qw net.ipv4.ip_forward=1\necho up\nread line\n"
    started = time.monotonic()
    with subprocess.Popen(
        ["unshare", "--net", "--mount", "sh", "-ec", script], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        said = process.stdout.readline()
        taken = time.monotonic() - started
        process.stdin.write("\n")
        process.stdin.close()
    if said != "up\n" or process.returncode:
        raise SystemExit("the bare network did not come up")
    return taken


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=7)
    options = parser.parse_args()
    backend = NetnsBackend()
    rows = []
    for subnets, hosts in _SIZES:
        task, _ = star(subnets, hosts)
        bare: list[float] = []
        ours: list[float] = []
        for _ in range(options.runs):
            bare.append(bare_s(subnets, hosts))
            lab = backend.deploy(request_of(task))
            ours.append(lab.deploy_s)
            lab.destroy()
            lab.await_cleanup()
        target = _ALLOWANCE_S + _FACTOR * min(bare)
        met = "met" if min(ours) <= target else "MISSED"
        rows.append(
            (
                f"star of {subnets * hosts + 1} nodes: deploy",
                f"{min(ours):.3f} s",
                f"{target:.3f} s {met} (bare {min(bare):.3f} s)",
                " ".join(f"{one:.3f}/{other:.3f}" for one, other in zip(ours, bare, strict=True)),
            )
        )
    table("Stars beside bare namespaces (ours/bare)", rows)


if __name__ == "__main__":
    main()
