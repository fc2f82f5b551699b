"""A running netns lab as a testbed: IOS devices behind its SSH server, Linux hosts with shells of root.

``python -m tests.support.testbeds TASK COMMAND…`` runs a command with a testbed for the network of a task, and tells
whether all of it is afterwards what it was.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import asyncssh

from pytest_netbench import parts
from pytest_netbench.ani.interface import AgentInterface
from pytest_netbench.ani.policy import Policy
from pytest_netbench.ani.ssh import open_ssh
from pytest_netbench.lab.request import LabRequest, request_of
from pytest_netbench.model.task import Budget
from pytest_netbench.taskfile import load_task
from tests.support.ssh_hosts import SshHosts, shell_of

_HOST_SITE = """\
ip address add 172.16.{number}.1/24 dev {interface}
ip address add 2001:db8:{number}::1/64 dev {interface} nodad
ip route add 198.18.{number}.0/24 via 172.16.{number}.9
ip rule add pref 500 from 172.16.0.0/16 lookup 77
ip link add mgmt0 type veth peer name mgmt1
ip link set mgmt0 up
ip address add 192.0.2.{number}/24 dev mgmt0
sysctl -qw net.ipv4.conf.{interface}.rp_filter=2
nft add table inet site
nft add chain inet site input '{{ type filter hook input priority 0; policy accept; }}'
nft add rule inet site input tcp dport 8080 drop
"""
_IOS_SITE = """\
hostname {name}
ip route 198.18.{number}.0 255.255.255.0 Null0
ip access-list extended SITE
 permit ip any any
interface Loopback77
 ip address 172.31.{number}.1 255.255.255.255
"""
_FACTS = "ip -br address; ip route; ip -6 route; ip rule; nft list ruleset; sysctl net.ipv4.ip_forward; ip -br link"


@dataclass(frozen=True)
class Standing:
    """A lab that stands in for a testbed.

    Attributes:
        lab: The lab.
        file: The file of the testbed.
        env: What its file and its passwords need in the environment.
        logins: By device: host and port.
        key: A private key that hosts let in.
        hosts: What serves the hosts.
    """

    lab: Any
    file: Path
    env: Mapping[str, str]
    logins: Mapping[str, tuple[str, int]]
    key: Path
    hosts: SshHosts

    def seen(self) -> dict[str, str]:
        """By device: what it is like, not seen through the backend that is tested."""
        return {name: self._seen(name) for name in self.lab.nodes}

    def _seen(self, name: str) -> str:
        node = self.lab.nodes[name]
        if node.platform == "linux":
            lines = str(node.run(["sh", "-c", _FACTS]).stdout).splitlines()
            return "\n".join(sorted(lines))
        return str(self.lab.driver(name).running_config(node))


@contextmanager
def standing(wanted: LabRequest, folder: Path) -> Iterator[Standing]:
    """A testbed of the nodes and links of a network, with configurations of its own.

    Args:
        wanted: The network.
        folder: For the files.
    """
    startup = {}
    for number, node in enumerate(wanted.topology.nodes, 1):
        site = _HOST_SITE if wanted.dialects[node.name] == "linux" else _IOS_SITE
        interface = next(iter(wanted.topology.interfaces(node.name)), "lo")
        startup[node.name] = site.format(name=node.name, number=number, interface=interface)
    with ExitStack() as stack:
        nodes = tuple(node.model_copy(update={"control": "managed"}) for node in wanted.topology.nodes)
        topology = wanted.topology.model_copy(update={"nodes": nodes})
        lab = parts.load("backends", "netns")().deploy(replace(wanted, topology=topology, startup_configs=startup))
        stack.callback(lab.await_cleanup)
        stack.callback(lab.destroy)
        ani = AgentInterface(lab, policy=Policy(), budget=Budget(calls=None, commands=None, wall_s=None))
        stack.callback(ani.close)
        devices = open_ssh(ani).hosts
        key, made = folder / "key", asyncssh.generate_private_key("ssh-ed25519")
        made.write_private_key(key)
        key.chmod(0o600)
        hosts = [name for name, dialect in wanted.dialects.items() if dialect == "linux"]
        served = SshHosts({name: shell_of(lab.nodes[name]) for name in hosts}, key=made.export_public_key().decode())
        stack.callback(served.close)
        logins = {
            name: ("127.0.0.1", served.ports[name]) if name in hosts else (devices[name].host, devices[name].port)
            for name in wanted.dialects
        }
        known = folder / "known_hosts"
        known.write_text(
            "".join(
                f"[{host}]:{port} {served.host_key if name in hosts else devices[name].host_key}\n"
                for name, (host, port) in logins.items()
            )
        )
        env = {"XDG_STATE_HOME": str(folder / "state"), "PW_HOSTS": served.password}
        lines = ["disposable: true", "wait: 5s", f"defaults: {{known-hosts: {known}}}", "devices:"]
        for name, (host, port) in logins.items():
            where = f"address: {host}, port: {port}, dialect: {wanted.dialects[name]}"
            if name in hosts:
                lines.append(f"  {name}: {{{where}, user: root, management: mgmt0, password: {{env: PW_HOSTS}}}}")
                continue
            number = len(env)
            env |= {f"PW_{number}": devices[name].password, f"EN_{number}": devices[name].enable_secret}
            secrets = f"password: {{env: PW_{number}}}, enable: {{env: EN_{number}}}"
            lines.append(f"  {name}: {{{where}, user: {devices[name].username}, {secrets}}}")
        lines.append("cables:")
        lines += [
            f"- {' <-> '.join(f'{end.node} {end.interface}' for end in one.endpoints)}" for one in wanted.topology.links
        ]
        file = folder / "testbed.yaml"
        file.write_text("\n".join([*lines, ""]))
        yield Standing(lab, file, {**env, "NETBENCH_TESTBED": str(file)}, logins, key, served)


def main() -> int:
    """Run a command with a testbed for a task."""
    wanted = request_of(load_task(Path(sys.argv[1])))
    with tempfile.TemporaryDirectory() as folder, standing(wanted, Path(folder)) as found:
        before = found.seen()
        status = subprocess.run(sys.argv[2:], env={**os.environ, **found.env}, check=False).returncode
        changed = [name for name, text in found.seen().items() if text != before[name]]
        print(f"put back: {'not ' + ', '.join(changed) if changed else 'all'}")
        return status


if __name__ == "__main__":
    sys.exit(main())
