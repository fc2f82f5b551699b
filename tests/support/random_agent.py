"""Agents that send random requests: in process, as JSON-RPC and over SSH. The same seed gives the same requests."""

from __future__ import annotations

import contextlib
import json
import random
import socket
import string
import time
from collections.abc import Callable
from typing import Any

from pytest_netbench.ani.jsonrpc import serve
from pytest_netbench.errors import AgentError, AniError
from pytest_netbench.model.trial import AgentInfo, Brief, Submission
from pytest_netbench.platforms.cisco_ios.areas import grammar
from tests.support.ios_fuzz import Fuzz

DEVICES = ("R1", "f1", "h1")
METHODS = (
    "get-topology",
    "get-running-cfg",
    "update-cfg",
    "execute-cmd",
    "search-manual",
    "budget-left",
    "",
    "x" * 300,
)
_SHELL = (
    "ip link delete eth0",
    "ip link set eth0 down",
    "ip link set eth0 name {w}",
    "ip link set eth0 mtu {n}",
    "ip address flush dev eth0",
    "ip address add 10.1.0.1/24 dev eth0",
    "ip address add 10.{b}.{b}.{b}/8 dev lo",
    "ip address del 127.0.0.1/8 dev lo",
    "ip link set lo down",
    "ip route add {b}.0.0.0/8 dev eth0",
    "ip route add prohibit 10.0.0.0/8",
    "ip rule add pref {b} prohibit",
    "ip route flush table all",
    "ip link add {w} type bridge",
    "ip link add {w} type dummy",
    "ip link set eth0 alias \"$(head -c 40 /dev/urandom | tr -d '\\0')\"",
    "ip link add \"$(printf '\\{o}\\{o}')\" type dummy",
    "ip link set eth0 netns 1",
    "ip netns add {w}",
    "unshare -rn ip link",
    "ip neigh flush all",
    "nft flush ruleset",
    "nft add table inet {w}",
    "nft add table ip n; nft 'add chain ip n c {{ type filter hook input priority 0; policy drop; }}'",
    "nft -f /dev/urandom",
    "tc qdisc add dev eth0 root netem loss 100%",
    "tc qdisc add dev eth0 root tbf rate 1kbit burst 1k latency 1s",
    "sysctl -w net.ipv4.ip_forward={b}",
    "sysctl -w net.ipv6.conf.all.disable_ipv6=1",
    "date -s 2030-01-01",
    "mount -t tmpfs x /etc",
    "rm -rf /etc /run /var /tmp /root 2>/dev/null",
    "rm -rf /run/* ; mkfifo /run/frr /etc/hosts /tmp/f; ln -s /proc/self/mem /etc/resolv.conf",
    "head -c 30000000 /dev/zero > /var/full",
    "for i in $(seq 9000); do : > /tmp/$i || break; done",
    "kill -STOP -1",
    "kill -9 -1",
    "pkill -9 .",
    "b() {{ b | b & }}; b",
    "yes",
    "yes | head -c 900000 >&2",
    "cat /dev/urandom | head -c {n}",
    "head -c {n} /dev/urandom | sh",
    "exec 2>&-; exit {b}",
    "(setsid sleep 600 &)",
    "while :; do :; done & sleep 0.2",
    "sleep 600",
    "trap '' TERM; sleep 600",
    "ping -f -c 2000 10.1.0.1",
    "ping -b -c 3 -i 0.2 10.1.0.255",
    "python3 -c 'x = bytearray(1 << 30)'",
    "python3 -c 'import os; [os.fork() for _ in range(12)]'",
    "hostname {w}",
    "ls -lR / | head -500",
    "cat /proc/*/environ",
    "ss -a; ip -s link; nft list ruleset",
    "arping -c 1 10.1.0.1",
    "{w}",
    "$({w}",
    "' \" `",
    "\\",
)
_FRR = (
    "hostname {w}",
    "hostname {w}#",
    "no hostname",
    "log file /etc/{w}",
    "log file /run/frr/zebra.vty",
    "router ospf",
    "router bgp {n}",
    "no router bgp",
    "interface eth0",
    "shutdown",
    "no ip address 10.1.0.1/24",
    "ip address 10.{b}.{b}.1/24",
    "ip route {b}.0.0.0/8 {b}.1.1.1",
    "ip route 0.0.0.0/0 Null0",
    "vrf {w}",
    "interface {w}",
    "banner motd line {w}",
    "password {w}",
    "enable password {w}",
    "line vty",
    "exec-timeout 0 1",
    "access-list {w} deny any",
    "ip prefix-list {w} seq {b} permit {b}.0.0.0/8 le 32",
    "route-map {w} permit {b}",
    "match ip address {w}",
    "on-match goto {n}",
    "exit",
    "end",
    "quit",
    "do show running-config",
    "find .*",
    "find (((((((",
    "show running-config",
    "write",
    "copy running-config startup-config",
    "reload",
    "debug zebra events",
    "terminal length 1",
    "terminal paginate",
    "no ip forwarding",
    "router isis {w}",
    "router rip",
    "network 0.0.0.0/0",
    "bfd",
    "pbr-map {w} seq {b}",
    "?",
)


class RandomAgent:
    """An agent whose requests follow from ``seed``."""

    def __init__(self, seed: int) -> None:
        self.info = AgentInfo(id=f"random-{seed}", strategy="own")
        self._random = random.Random(seed)
        self._fuzz = Fuzz(grammar(), seed=seed)
        self.sent: list[str] = []

    def run(self, brief: Brief, ani: Any) -> Submission:
        """Send some requests by each way, whatever is answered."""
        ways: tuple[Callable[[Any, Brief], None], ...] = (self._call, self._rpc, self._ssh, self._raw_ssh)
        ends_at = time.monotonic() + self._random.choice((1.5, 2.5))
        for _ in range(self._random.randint(4, 12)):
            if time.monotonic() > ends_at:
                break
            with contextlib.suppress(AniError, OSError, EOFError):
                self._random.choices(ways, (10, 4, 3, 1))[0](ani, brief)
        how = self._random.random()
        if how < 0.1:
            raise RuntimeError(self._text(50))
        if how < 0.15:
            raise AgentError("no more")
        return Submission(reasoning=self._text(200) if how < 0.5 else "")

    # ---- ways ----

    def _call(self, ani: Any, _brief: Brief) -> None:
        kind = self._random.random()
        device = self._random.choice(DEVICES)
        if kind < 0.45:
            ani.update_cfg(device, [self._line(device) for _ in range(self._random.randint(1, 6))])
        elif kind < 0.75:
            ani.execute_cmd(device, self._line(device))
        elif kind < 0.9:
            ani.call(self._random.choice(METHODS), self._params())
        else:
            ani.note(self._text(100))

    def _rpc(self, ani: Any, _brief: Brief) -> None:
        with serve(ani) as server, socket.socket(socket.AF_UNIX) as client:
            client.settimeout(3)
            client.connect(str(server.path))
            for _ in range(self._random.randint(1, 4)):
                client.sendall(self._message() + b"\n")
                if self._random.random() < 0.6:
                    client.recv(1000)

    def _ssh(self, _ani: Any, brief: Brief) -> None:
        import paramiko

        assert brief.ssh is not None
        device = self._random.choice(DEVICES)
        login = brief.ssh.hosts[device]
        with contextlib.closing(paramiko.SSHClient()) as client, contextlib.suppress(paramiko.SSHException):
            client.set_missing_host_key_policy(paramiko.AutoAddPolicy())
            client.connect(
                login.host,
                login.port,
                login.username,
                login.password,
                look_for_keys=False,
                allow_agent=False,
                timeout=3,
            )
            if self._random.random() < 0.3:
                _, output, _ = client.exec_command(self._line(device).encode(errors="replace"), timeout=1)
                output.read(1000)
                return
            sizes = (0, 1, 80, 4096, 70_000, 2**31 - 1)
            shell = client.invoke_shell(width=self._random.choice(sizes), height=self._random.choice(sizes))
            shell.settimeout(0.3)
            for _ in range(self._random.randint(1, 6)):
                keys = (
                    self._bytes(60)
                    if self._random.random() < 0.4
                    else f"{self._line(device)}\r".encode(errors="replace")
                )
                shell.send(keys)
                with contextlib.suppress(TimeoutError):
                    shell.recv(1000)
                shell.resize_pty(width=self._random.choice(sizes), height=self._random.choice(sizes))

    def _raw_ssh(self, _ani: Any, brief: Brief) -> None:
        assert brief.ssh is not None
        login = brief.ssh.hosts[self._random.choice(DEVICES)]
        with contextlib.ExitStack() as stack:
            for _ in range(self._random.choice((1, 5, 130))):
                client = stack.enter_context(socket.create_connection((login.host, login.port), timeout=2))
                client.sendall(self._bytes(100))

    # ---- what is sent ----

    def _line(self, device: str) -> str:
        if self._random.random() < 0.12:
            line = self._text(self._random.choice((1, 20, 400, 5000)))
        elif device == "R1":
            line = next(iter(self._fuzz.lines(1) if self._random.random() < 0.7 else self._fuzz.asked(1)))
        else:
            line = self._filled(self._random.choice(_SHELL if device == "h1" else _FRR))
        self.sent.append(f"{device}: {line[:200]!r}")
        return line

    def _filled(self, text: str) -> str:
        word = "".join(self._random.choices(string.ascii_lowercase, k=self._random.randint(1, 15)))
        number = self._random.choice((0, 1, 67, 1500, 65_535, 70_000, 2**31, 2**32 + 1))
        octal = f"{self._random.randint(1, 255):03o}"
        return text.format(w=word, n=number, b=self._random.randint(0, 255), o=octal)

    def _params(self) -> Any:
        device = self._random.choice((*DEVICES, "R9", self._text(5)))
        plain = {"device": device, "commands": [self._text(20)], "command": self._text(20), "devices": [device]}
        kept = {key: value for key, value in plain.items() if self._random.random() < 0.5}
        return kept if self._random.random() < 0.6 else {**kept, self._text(3): self._json(3)}

    def _json(self, depth: int) -> Any:
        kind = self._random.randint(0, 6 if depth else 4)
        if kind == 5:
            return [self._json(depth - 1) for _ in range(self._random.randint(0, 4))]
        if kind == 6:
            return {self._text(4): self._json(depth - 1) for _ in range(self._random.randint(0, 4))}
        return (None, True, self._random.choice((0, -1, 1e300, 10**400)), self._text(10), 0.5)[kind]

    def _message(self) -> bytes:
        kind = self._random.random()
        if kind < 0.2:
            return self._bytes(200)
        request: Any = {
            "jsonrpc": "2.0",
            "id": self._json(1),
            "method": self._random.choice(METHODS),
            "params": self._params(),
        }
        if kind < 0.3:
            request = [request] * self._random.choice((0, 2, 101))
        data = json.dumps(request).encode()
        if kind < 0.4:
            at = self._random.randrange(len(data))
            data = data[:at] + self._bytes(3) + data[at:]
        return b"[" * self._random.choice((1, 50_000)) if kind > 0.97 else data

    def _text(self, longest: int) -> str:
        alphabet = string.printable + "\x00\x01\x1b\x7f\x9b\u202e\ud800\u00e9\u2028"
        return "".join(self._random.choices(alphabet, k=self._random.randint(0, longest)))

    def _bytes(self, longest: int) -> bytes:
        return self._random.randbytes(self._random.randint(0, longest))
