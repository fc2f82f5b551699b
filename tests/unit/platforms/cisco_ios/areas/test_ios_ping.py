"""The output of ``ping`` while packets are under way."""

from __future__ import annotations

from pytest_netbench.platforms.cisco_ios.areas.diagnostics import marks_of, read_marks
from pytest_netbench.platforms.cisco_ios.device.exec import Interrupted


def answered(count: int, _timeout_s: float) -> str:
    return "\n".join(f"64 bytes from 10.0.0.1: icmp_seq={number + 1} ttl=64 time=2.0 ms" for number in range(count))


def test_five_packets_are_one_row_and_a_rate():
    assert list(marks_of(5, answered, 9)) == [
        "!!!!!",
        "\nSuccess rate is 100 percent (5/5), round-trip min/avg/max = 2/2/2 ms\n",
    ]


def test_rows_have_seventy_marks():
    shown = "".join(marks_of(141, answered, 9))
    assert [len(line) for line in shown.splitlines()] == [70, 70, 1, 72]
    assert "(141/141)" in shown


def test_marks_come_while_packets_are_under_way():
    sizes = [len(piece.strip()) for piece in marks_of(100, answered, 9)]
    assert sizes[:-1] == [5, 10, 20, 35, 30]


def test_an_interrupt_ends_it_and_the_rate_is_of_what_was_sent():
    marks = marks_of(100, answered, 9)
    next(marks)
    assert marks.throw(Interrupted()) == "\nSuccess rate is 100 percent (5/5), round-trip min/avg/max = 2/2/2 ms\n"
    assert list(marks) == []


def test_it_ends_when_its_time_is_over():
    assert list(marks_of(100, answered, 0)) == ["Success rate is 0 percent (0/0)\n"]


def test_what_is_refused_and_what_is_lost_are_marked_apart():
    text = (
        "64 bytes from 10.0.0.1: icmp_seq=1 ttl=64 time=0.1 ms\n"
        "no answer yet for icmp_seq=2\n"
        "From 10.9.9.9 icmp_seq=3 Packet filtered\n"
        "From 10.9.9.9 icmp_seq=4 Frag needed and DF set (mtu = 1400)\n"
    )
    assert read_marks(text, 4) == ("!.UM", [0.1])
