"""Kernel settings that differ from those of a fresh network namespace. Pure, but for the paths it names."""

from __future__ import annotations

from collections.abc import Iterable

_GLOBAL = (
    "net/ipv4/ip_forward",
    "net/ipv4/ip_default_ttl",
    "net/ipv4/icmp_echo_ignore_all",
    "net/ipv4/icmp_echo_ignore_broadcasts",
    "net/ipv4/tcp_syncookies",
    "net/ipv4/fib_multipath_hash_policy",
    "net/ipv4/fib_multipath_use_neigh",
    "net/ipv4/ip_nonlocal_bind",
    "net/ipv6/conf/all/forwarding",
    "net/ipv6/conf/all/disable_ipv6",
    "net/ipv6/fib_multipath_hash_policy",
)
_PER_INTERFACE = (
    "net/ipv4/conf/{}/rp_filter",
    "net/ipv4/conf/{}/proxy_arp",
    "net/ipv4/conf/{}/forwarding",
    "net/ipv4/conf/{}/accept_redirects",
    "net/ipv4/conf/{}/send_redirects",
    "net/ipv4/conf/{}/accept_source_route",
    "net/ipv4/conf/{}/accept_local",
    "net/ipv4/conf/{}/route_localnet",
    "net/ipv4/conf/{}/arp_ignore",
    "net/ipv4/conf/{}/arp_announce",
    "net/ipv4/conf/{}/log_martians",
    "net/ipv6/conf/{}/disable_ipv6",
    "net/ipv6/conf/{}/accept_ra",
)
_ROOT = "/proc/sys/"
# The first network of a machine has this file, and gives its own values to new ones unless it says 2.
_FRESH = """
inherit=/proc/sys/net/core/devconf_inherit_init_net
kept=$(cat $inherit 2>/dev/null)
[ -z "$kept" ] || echo 2 2>/dev/null >$inherit
unshare --net -- /bin/sh -c "$0"
status=$?
[ -z "$kept" ] || echo "$kept" 2>/dev/null >$inherit
exit $status
"""


def paths() -> list[str]:
    """Files to read, as shell patterns."""
    return [f"{_ROOT}{path.format('*')}" for path in (*_GLOBAL, *_PER_INTERFACE)]


def read_command() -> str:
    """The shell command that prints ``path:value`` for each of them."""
    return f"grep -s '' {' '.join(paths())}; true"


def fresh_command() -> tuple[str, ...]:
    """The program that prints the same of a network that nobody has configured; it needs the rights of root."""
    return ("/bin/sh", "-c", _FRESH, read_command())


def parse(text: str) -> dict[str, str]:
    """Path below ``/proc/sys`` to value."""
    found = {}
    for line in text.splitlines():
        path, separator, value = line.partition(":")
        if separator and path.startswith(_ROOT):
            found[path.removeprefix(_ROOT)] = " ".join(value.split())
    return found


def lines(now: dict[str, str], fresh: dict[str, str], interfaces: Iterable[str]) -> list[str]:
    """``sysctl`` lines for what differs; a value that only follows from ``ip_forward`` is not said again.

    Args:
        now: Of the node.
        fresh: Of a fresh network namespace.
        interfaces: Names to look at beside ``all`` and ``default``.
    """
    found = {path: now[path] for path in _GLOBAL if path in now and now[path] != fresh.get(path, now[path])}
    for pattern in _PER_INTERFACE:
        for name in ("all", "default", *interfaces):
            path = pattern.format(name)
            if path not in now or path in _GLOBAL:
                continue
            usual = _usual(path, pattern, name, now, fresh)
            if now[path] != usual:
                found[path] = now[path]
    return [f"sysctl {_dotted(path)} = {value}" for path, value in sorted(found.items())]


def _usual(path: str, pattern: str, name: str, now: dict[str, str], fresh: dict[str, str]) -> str | None:
    if pattern.endswith("v4/conf/{}/forwarding"):
        return now.get("net/ipv4/ip_forward", now[path])
    if pattern.endswith("v4/conf/{}/accept_redirects") and now.get("net/ipv4/ip_forward") == "1":
        return "0" if name == "all" else now[path]
    if name in {"all", "default"}:
        return fresh.get(path, now[path])
    return fresh.get(path) if path in fresh else fresh.get(pattern.format("default"), now[path])


def _dotted(path: str) -> str:
    # an interface name may hold dots: sysctl then writes the path with slashes
    return path if "." in path else path.replace("/", ".")
