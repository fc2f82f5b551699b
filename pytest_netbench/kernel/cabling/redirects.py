"""Cables between two interfaces of one namespace: the kernel redirects frames between them. Standard library only.

An ingress filter of each interface redirects every frame, those for bridges and switches too.
"""

from __future__ import annotations

import struct

from pytest_netbench.kernel.cabling.rtnetlink import Netlink, Request

_NEW_QDISC, _DEL_QDISC, _NEW_FILTER = 36, 37, 44
_MESSAGE = struct.Struct("=BxxxiIII")
_INGRESS_PARENT, _INGRESS = 0xFFFFFFF1, 0xFFFF0000
_ALL_PROTOCOLS = 0x0300  # ETH_P_ALL in network order
_KIND, _OPTIONS = 1, 2
_U32_SELECTOR, _U32_ACTIONS = 5, 7
_TERMINAL = 1
_ACTION_KIND, _ACTION_OPTIONS = 1, 2
_MIRRED_PARAMETERS = 2
_STOLEN, _EGRESS_REDIRECT = 4, 1
_LOOPBACK = 1


def redirect(here: int, there: int) -> list[Request]:
    """Send what comes in at the interface with index ``here`` out at ``there``."""
    selector = struct.pack("=BBBxHHhhI", _TERMINAL, 0, 1, 0, 0, 0, 0, 0) + struct.pack("=IIii", 0, 0, 0, 0)
    action = struct.pack("=IIiiiiI", 0, 0, _STOLEN, 0, 0, _EGRESS_REDIRECT, there)
    mirred = _attribute(_ACTION_KIND, b"mirred\0") + _attribute(_ACTION_OPTIONS, _attribute(_MIRRED_PARAMETERS, action))
    options = _attribute(_U32_SELECTOR, selector) + _attribute(_U32_ACTIONS, _attribute(1, mirred))
    what = f"redirect {here} to {there}"
    qdisc = _MESSAGE.pack(0, here, _INGRESS, _INGRESS_PARENT, 0) + _attribute(_KIND, b"ingress\0")
    rule = (
        _MESSAGE.pack(0, here, 0, _INGRESS, 1 << 16 | _ALL_PROTOCOLS)
        + _attribute(_KIND, b"u32\0")
        + _attribute(_OPTIONS, options)
    )
    return [Request(_NEW_QDISC, qdisc, what), Request(_NEW_FILTER, rule, what)]


def no_redirect(here: int) -> Request:
    """Let what comes in at an interface be."""
    body = _MESSAGE.pack(0, here, _INGRESS, _INGRESS_PARENT, 0) + _attribute(_KIND, b"ingress\0")
    return Request(_DEL_QDISC, body, f"no redirect of {here}", 0)


def are_possible() -> bool:
    """Whether the kernel can redirect. Tried on the loopback interface of this namespace."""
    with Netlink() as netlink:
        try:
            netlink.do(redirect(_LOOPBACK, _LOOPBACK))
        except OSError:
            return False
        finally:
            _undo(netlink)
    return True


def _undo(netlink: Netlink) -> None:
    try:
        netlink.do([no_redirect(_LOOPBACK)])
    except OSError:
        return  # there is none, since it could not be made


def _attribute(kind: int, value: bytes) -> bytes:
    size = 4 + len(value)
    return struct.pack("=HH", size, kind) + value + b"\0" * (-size % 4)
