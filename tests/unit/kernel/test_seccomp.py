"""The filter of system calls, run by a small machine of our own: the labs' tests try it on the kernel."""

from __future__ import annotations

import struct

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_netbench.kernel import seccomp

ALLOW, KILL, EPERM, ENOSYS = 0x7FFF0000, 0x80000000, 0x00050001, 0x00050026
X86, ARM = 0xC000003E, 0xC00000B7


def decide(program: bytes, architecture: int, number: int, *arguments: int) -> int:
    """What the filter answers: classic BPF, of which it uses four instructions."""
    padded = [*arguments, *([0] * (6 - len(arguments)))]
    data = struct.pack("=IIQ6Q", number, architecture, 0, *padded)
    code = list(struct.iter_unpack("HBBI", program))
    at = accumulator = 0
    while True:
        operation, yes, no, value = code[at]
        at += 1
        if operation == 0x20:
            (accumulator,) = struct.unpack_from("=I", data, value)
        elif operation == 0x06:
            return value
        else:
            met = {0x15: accumulator == value, 0x35: accumulator >= value, 0x45: bool(accumulator & value)}[operation]
            at += yes if met else no


@pytest.mark.parametrize(("machine", "architecture", "column"), [("x86_64", X86, 0), ("aarch64", ARM, 1)])
def test_every_listed_call_is_refused(machine: str, architecture: int, column: int) -> None:
    program = seccomp.program(machine)
    for name, numbers in seccomp._REFUSED.items():
        assert decide(program, architecture, numbers[column]) == EPERM, name


@pytest.mark.parametrize(
    ("number", "arguments", "answer"),
    [
        (0, (), ALLOW),
        (59, (), ALLOW),
        (56, (0x1200011,), ALLOW),
        (56, (0x10000011,), EPERM),
        (56, (0x40000000,), EPERM),
        (435, (), ENOSYS),
        (16, (0, 0x5401), ALLOW),
        (16, (0, 0x5412), EPERM),
        (16, (0, 0xFFFFFFFF_00005412), EPERM),
        (41, (2, 1), ALLOW),
        (41, (16, 3), ALLOW),
        (41, (17, 3), ALLOW),
        (41, (40, 1), EPERM),
        (41, (38, 5), EPERM),
        (0x40000000 | 272, (), EPERM),
        (0x40000000, (), EPERM),
    ],
)
def test_calls_on_x86_64(number: int, arguments: tuple[int, ...], answer: int) -> None:
    assert decide(seccomp.program("x86_64"), X86, number, *arguments) == answer


@given(st.integers(0, 0xFFFFFFFF), st.integers(0, 0xFFFFFFFF))
def test_calls_of_another_architecture_end_the_process(architecture: int, number: int) -> None:
    if architecture != X86:
        assert decide(seccomp.program("x86_64"), architecture, number) == KILL


@given(st.integers(0, 0xFFFFFFFF), st.lists(st.integers(0, (1 << 64) - 1), max_size=6))
def test_the_filter_always_answers(number: int, arguments: list[int]) -> None:
    assert decide(seccomp.program("x86_64"), X86, number, *arguments) in (ALLOW, EPERM, ENOSYS)


def test_a_machine_whose_numbers_are_not_known_has_no_filter() -> None:
    assert seccomp.program("s390x") == b""
