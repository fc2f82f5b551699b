"""One cycle on plain Mininet with Linux bridges. ``mininet_star.py`` runs it with the system's Python in namespaces.

Prints a JSON object: wall seconds of each phase and how many pairs answered. With the argument ``repair`` the network
is repaired, and there is a matrix before the fault and one after the repair, too.
"""

import json
import sys
import time

from mininet.log import setLogLevel
from mininet.net import Mininet
from mininet.node import Node
from mininet.nodelib import LinuxBridge
from mininet.topo import Topo


class Router(Node):
    """A host that forwards."""

    def config(self, **params):
        super().config(**params)
        self.cmd("sysctl -qw net.ipv4.ip_forward=1")


class Star(Topo):
    """A router with one LAN for each subnet."""

    def build(self, subnets, hosts):
        self.addHost("r0", cls=Router, ip="10.0.0.1/24")
        for subnet in range(subnets):
            switch = self.addSwitch(f"s{subnet + 1}")
            self.addLink(switch, "r0", intfName2=f"r0-eth{subnet}", params2={"ip": f"10.0.{subnet}.1/24"})
            for host in range(hosts):
                name = f"h{subnet}x{host}"
                self.addHost(name, ip=f"10.0.{subnet}.{10 + host}/24", defaultRoute=f"via 10.0.{subnet}.1")
                self.addLink(name, switch)


def ping_all(net, timeout_s):
    """Ping all ordered pairs: each source its targets one after the other, all sources side by side."""
    addresses = {host.name: host.IP() for host in net.hosts}
    loops = []
    for host in net.hosts:
        targets = " ".join(address for name, address in addresses.items() if name != host.name)
        script = f"for a in {targets}; do ping -n -q -c1 -W{timeout_s:g} $a >/dev/null 2>&1 && echo $a; done; true"
        loops.append(host.popen(["sh", "-c", script]))
    return sum(len(loop.communicate()[0].split()) for loop in loops)


def main():
    subnets, hosts, timeout_s, repairs = int(sys.argv[1]), int(sys.argv[2]), float(sys.argv[3]), "repair" in sys.argv
    setLogLevel("critical")
    phases = {}
    began = last = time.monotonic()

    def mark(name):
        nonlocal last
        now = time.monotonic()
        phases[name] = now - last
        last = now

    net = Mininet(topo=Star(subnets=subnets, hosts=hosts), switch=LinuxBridge, controller=None, waitConnected=False)
    net.start()
    mark("deploy")
    if repairs:
        ping_all(net, timeout_s)
        mark("healthy matrix")
    net["r0"].cmd("ip link set r0-eth1 down")
    mark("inject")
    answered = ping_all(net, timeout_s)
    mark("matrix")
    if repairs:
        net["r0"].cmd("ip link set r0-eth1 up")
        mark("repair")
        repaired = ping_all(net, timeout_s)
        mark("repaired matrix")
        phases["right"] = repaired == len(net.hosts) * (len(net.hosts) - 1)
    net.stop()
    mark("destroy")
    print(json.dumps({**phases, "total": last - began, "answered": answered}))


main()
