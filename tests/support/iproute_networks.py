"""Networks that iproute2 makes, as users have them: namespaces by ``ip netns add`` that no lab knows.

All is in user, mount and network namespaces of their own, which end with the process that holds them.
"""

from __future__ import annotations

import subprocess
from pathlib import Path

NAMES = ("h1", "h2", "r")

MAKE = """
set -e
mount -t tmpfs none /run
for name in h1 h2 r; do
  ip netns add $name
done
for n in 1 2; do
  ip link add up$n netns r type veth peer name eth0 netns h$n
  ip -n r address add 10.0.$n.1/24 dev up$n
  ip -n r link set up$n up
  ip -n h$n address add 10.0.$n.10/24 dev eth0
  ip -n h$n address add 2001:db8:$n::10/64 dev eth0 nodad
  ip -n h$n link set eth0 up
  ip -n h$n route add default via 10.0.$n.1
done
nsenter --net=/run/netns/r sysctl -qw net.ipv4.ip_forward=1
nsenter --net=/run/netns/r nft 'add table ip t
  add chain ip t passing { type filter hook forward priority 0; }
  add rule ip t passing iifname up2 ct state new drop
  add rule ip t passing iifname up2 udp sport 4000 drop'
"""
"""Hosts h1 (10.0.1.10) and h2 (10.0.2.10) at the router r, which drops what h2 begins, and answers from udp 4000."""

_AS_ROOT = ("unshare", "--user", "--map-root-user", "--net", "--mount")


class Network:
    """The namespaces of ``MAKE``, until it is closed.

    Raises:
        RuntimeError: This machine cannot make them; with what it said.
    """

    def __init__(self) -> None:
        argv = [*_AS_ROOT, "sh", "-c", f"{MAKE}\necho ready\nexec cat"]
        pipe = subprocess.PIPE
        self._holder = subprocess.Popen(argv, stdin=pipe, stdout=pipe, stderr=pipe, text=True)
        assert self._holder.stdout is not None
        if self._holder.stdout.readline() != "ready\n":
            raise RuntimeError(self._holder.communicate()[1])
        self.paths = {name: Path(f"/proc/{self._holder.pid}/root/run/netns/{name}") for name in NAMES}

    def start(self, name: str, *argv: str) -> subprocess.Popen[str]:
        """Start a program in a namespace, as a user of this network does."""
        enter = ("nsenter", "-t", str(self._holder.pid), "-U", "-m", f"--net={self.paths[name]}")
        return subprocess.Popen([*enter, "--preserve-credentials", *argv], stdin=subprocess.PIPE, text=True)

    def close(self) -> None:
        self._holder.communicate()
