"""Interfaces that receive nothing although they have carrier: a program of two instructions drops each frame.

For interfaces of the network namespace that the calling thread is in. Standard library only.
"""

from __future__ import annotations

import ctypes
import os
import platform
import socket
import struct

_SYS_BPF = {"x86_64": 321, "aarch64": 280, "riscv64": 280}
_PROG_LOAD, _XDP = 5, 6
_PROGRAM = struct.pack("=BBhi", 0xB7, 0, 0, 1) + struct.pack("=BBhi", 0x95, 0, 0, 0)  # r0 = XDP_DROP; exit
_LICENSE = b"GPL\0"
_RTM_SETLINK, _NLMSG_ERROR = 19, 2
_NLM_F_REQUEST, _NLM_F_ACK = 0x1, 0x4
_IFLA_XDP, _IFLA_XDP_FD, _IFLA_XDP_FLAGS = 43, 1, 3
_NESTED = 0x8000
_GENERIC = 1 << 1  # works for every kind of interface

_libc = ctypes.CDLL(None, use_errno=True)


def silence(name: str, *, silent: bool) -> None:
    """Let an interface receive nothing, or all again.

    Raises:
        OSError: The kernel has no such programs, or there is no such interface.
    """
    program = _load() if silent else -1
    try:
        _attach(socket.if_nametoindex(name), program)
    finally:
        if program >= 0:
            os.close(program)


def is_possible() -> bool:
    """Whether the kernel takes the program; asks for the right to load one."""
    try:
        os.close(_load())
    except OSError:
        return False
    return True


def _load() -> int:
    number = _SYS_BPF.get(platform.machine())
    if number is None:
        raise OSError(f"programs of the kernel are not known on {platform.machine()}")
    code, license_text = ctypes.create_string_buffer(_PROGRAM), ctypes.create_string_buffer(_LICENSE)
    attributes = struct.pack(
        "=IIQQ", _XDP, len(_PROGRAM) // 8, ctypes.addressof(code), ctypes.addressof(license_text)
    ).ljust(120, b"\0")
    buffer = ctypes.create_string_buffer(attributes, len(attributes))
    found = int(_libc.syscall(number, _PROG_LOAD, buffer, len(attributes)))
    if found < 0:
        code_of_error = ctypes.get_errno()
        raise OSError(code_of_error, f"a program of the kernel cannot be loaded: {os.strerror(code_of_error)}")
    return found


def _attach(index: int, program: int) -> None:
    nested = _attribute(_IFLA_XDP_FD, struct.pack("=i", program)) + _attribute(
        _IFLA_XDP_FLAGS, struct.pack("=I", _GENERIC)
    )
    body = struct.pack("=BxHiII", socket.AF_UNSPEC, 0, index, 0, 0) + _attribute(_IFLA_XDP | _NESTED, nested)
    header = struct.pack("=IHHII", 16 + len(body), _RTM_SETLINK, _NLM_F_REQUEST | _NLM_F_ACK, 1, 0)
    with socket.socket(socket.AF_NETLINK, socket.SOCK_RAW, socket.NETLINK_ROUTE) as link:
        link.send(header + body)
        answer = link.recv(4096)
    kind, (error,) = struct.unpack_from("=H", answer, 4)[0], struct.unpack_from("=i", answer, 16)
    if kind == _NLMSG_ERROR and error:
        raise OSError(-error, os.strerror(-error))


def _attribute(kind: int, value: bytes) -> bytes:
    length = 4 + len(value)
    return struct.pack("=HH", length, kind) + value.ljust((len(value) + 3) // 4 * 4, b"\0")
