"""The event loop that services share."""

from __future__ import annotations

import os

from pytest_netbench.platforms.cisco_ios.services.programs.common.loop import Loop


def test_what_came_for_a_descriptor_that_was_closed_is_not_given_to_the_next_with_its_number():
    loop, calls = Loop(), []
    spare, spare_writer = os.pipe()
    first, first_writer = os.pipe()
    second, second_writer = os.pipe()

    def replace(own: int, other: int, name: str) -> None:
        calls.append(name)
        loop.unwatch(own)
        loop.unwatch(other)
        os.dup2(spare, other)
        loop.watch(other, lambda: calls.append("the new one"))

    loop.watch(first, lambda: replace(first, second, "first"))
    loop.watch(second, lambda: replace(second, first, "second"))
    os.write(first_writer, b"x")
    os.write(second_writer, b"x")
    loop.turn(1.0)
    assert calls in (["first"], ["second"])
    for fd in (spare, spare_writer, first, second, first_writer, second_writer):
        os.close(fd)
