"""System calls that an agent's programs have no use for, refused by a filter. Standard library only.

What is refused reaches round the limits of a shell (memory that no process owns), round its namespaces (sockets that no
network namespace holds), or widens what of the kernel can be attacked (namespaces of one's own, mounts, tracing).
"""

from __future__ import annotations

import ctypes
import os
import socket
import struct

from pytest_netbench.kernel import syscalls

# machine: (audit architecture, column of the table below)
_ARCHITECTURES = {"x86_64": (0xC000003E, 0), "aarch64": (0xC00000B7, 1), "riscv64": (0xC00000F3, 1)}
# name: number on x86_64, number in the kernel's generic table
_REFUSED = {
    "unshare": (272, 97),
    "setns": (308, 268),
    "mount": (165, 40),
    "umount2": (166, 39),
    "pivot_root": (155, 41),
    "chroot": (161, 51),
    "open_tree": (428, 428),
    "move_mount": (429, 429),
    "fsopen": (430, 430),
    "fsconfig": (431, 431),
    "fsmount": (432, 432),
    "fspick": (433, 433),
    "mount_setattr": (442, 442),
    "memfd_create": (319, 279),
    "memfd_secret": (447, 447),
    "shmget": (29, 194),
    "msgget": (68, 186),
    "semget": (64, 190),
    "ptrace": (101, 117),
    "process_vm_readv": (310, 270),
    "process_vm_writev": (311, 271),
    "pidfd_getfd": (438, 438),
    "io_uring_setup": (425, 425),
    "bpf": (321, 280),
    "userfaultfd": (323, 282),
    "perf_event_open": (298, 241),
    "keyctl": (250, 219),
    "add_key": (248, 217),
    "request_key": (249, 218),
    "personality": (135, 92),
    "name_to_handle_at": (303, 264),
    "open_by_handle_at": (304, 265),
    "kcmp": (312, 272),
}
_CLONE = (56, 220)
_CLONE3 = 435
_IOCTL = (16, 29)
_SOCKET = (41, 198)
_NEW_NAMESPACES = 0x7E020000
_REFUSED_IOCTLS = (0x5412, 0x541C)  # TIOCSTI, TIOCLINUX
_FAMILIES = (socket.AF_UNIX, socket.AF_INET, socket.AF_INET6, socket.AF_NETLINK, socket.AF_PACKET)
_X32 = 0x40000000

_LOAD, _EQUAL, _AT_LEAST, _ANY_BIT, _RETURN = 0x20, 0x15, 0x35, 0x45, 0x06
_NUMBER_AT, _ARCHITECTURE_AT, _ARGUMENTS_AT = 0, 4, 16
_ALLOW, _KILL, _FAIL = 0x7FFF0000, 0x80000000, 0x00050000
_EPERM, _ENOSYS = 1, 38
_PR_SET_SECCOMP, _FILTER = 22, 2

_Instruction = tuple[int, int, int, int]


class _Program(ctypes.Structure):
    _fields_ = [("length", ctypes.c_ushort), ("filter", ctypes.c_void_p)]


def program(machine: str) -> bytes:
    """The filter as BPF instructions; empty for a machine whose numbers are not known here."""
    if machine not in _ARCHITECTURES:
        return b""
    architecture, column = _ARCHITECTURES[machine]
    refuse, absent = (_RETURN, 0, 0, _FAIL | _EPERM), (_RETURN, 0, 0, _FAIL | _ENOSYS)
    allow: _Instruction = (_RETURN, 0, 0, _ALLOW)
    code: list[_Instruction] = [
        (_LOAD, 0, 0, _ARCHITECTURE_AT),
        (_EQUAL, 1, 0, architecture),
        (_RETURN, 0, 0, _KILL),
        (_LOAD, 0, 0, _NUMBER_AT),
        (_AT_LEAST, 0, 1, _X32),
        refuse,
        # glibc falls back to clone, whose flags a filter can see
        (_EQUAL, 0, 1, _CLONE3),
        absent,
    ]
    for number in sorted({numbers[column] for numbers in _REFUSED.values()}):
        code += [(_EQUAL, 0, 1, number), refuse]
    code += _when(_CLONE[column], 0, [(_ANY_BIT, 0, 1, _NEW_NAMESPACES), refuse, allow])
    ioctls = [step for request in _REFUSED_IOCTLS for step in ((_EQUAL, 0, 1, request), refuse)]
    code += _when(_IOCTL[column], 1, [*ioctls, allow])
    families = [step for family in _FAMILIES for step in ((_EQUAL, 0, 1, int(family)), allow)]
    code += _when(_SOCKET[column], 0, [*families, refuse])
    return b"".join(struct.pack("HBBI", *instruction) for instruction in [*code, allow])


def _when(number: int, argument: int, then: list[_Instruction]) -> list[_Instruction]:
    """``then`` with the low half of an argument loaded, for one call only; it must end in a return."""
    return [(_EQUAL, 0, len(then) + 1, number), (_LOAD, 0, 0, _ARGUMENTS_AT + 8 * argument), *then]


def install(filter_program: bytes) -> None:
    """Install the filter for this process and its children; no_new_privs must be set before.

    Raises:
        OSError: The kernel has no filters.
    """
    if not filter_program:
        return
    buffer = ctypes.create_string_buffer(filter_program, len(filter_program))
    description = _Program(len(filter_program) // 8, ctypes.addressof(buffer))
    syscalls.control_process(_PR_SET_SECCOMP, _FILTER, ctypes.addressof(description), "install the system call filter")


PROGRAM = program(os.uname().machine)
