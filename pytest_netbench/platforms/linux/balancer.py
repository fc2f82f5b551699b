"""The load balancer of Linux hosts: the config of HAProxy, and its arguments.

It asks its servers in turn, never twice for one request, and does not check them: a server that does not answer fails
its share of the requests, for as long as it does not.
"""

from __future__ import annotations

from typing import Final

from pytest_netbench.model.hosting import ALIVE, WEB_PORT, LoadBalancer

LB_CONF: Final = "/etc/haproxy/haproxy.cfg"
PROGRAM: Final = "haproxy"
PATH: Final = "/usr/sbin/haproxy"
ARGUMENTS: Final = ("-db", "-q", "-f", LB_CONF)
"""In the foreground, without words."""
MOST_CONNECTIONS: Final = 64
"""Far more than hosts have at a time. More wait."""
CONNECT_S: Final = 4
"""Lab seconds that it waits for a web server that says nothing. Most clients wait longer."""
_HEAD: Final = f"""\
global
    maxconn {MOST_CONNECTIONS}
    nbthread 1

defaults
    mode http
    retries 0
    timeout connect {CONNECT_S}s
    timeout client 15m
    timeout server 15m

frontend web
    bind :{WEB_PORT}
    monitor-uri {ALIVE}
    default_backend servers

backend servers
    balance roundrobin
"""
# Timeouts are in lab time, which may pass twenty times as fast as packets travel.
# one thread: several would each have a turn of their own, and take memory for each processor of the machine


def config_text(balancer: LoadBalancer) -> str:
    """The text of ``LB_CONF``."""
    return _HEAD + "".join(f"    server {name} {socket}\n" for name, socket in balancer.servers.items())
