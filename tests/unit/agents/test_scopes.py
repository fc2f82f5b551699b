"""Which value holds in a context, in another one, and in threads."""

from __future__ import annotations

import contextvars
import threading

from pytest_netbench.agents.scopes import Scoped


def in_a_thread(look):
    seen = []
    thread = threading.Thread(target=lambda: seen.append(look()))
    thread.start()
    thread.join()
    return seen[0]


def test_a_value_holds_in_its_context_until_the_block_ends():
    scoped = Scoped("test-block")
    with scoped.used("outer"):
        with scoped.used("inner"):
            assert scoped.current() == "inner"
        assert scoped.current() == "outer"
    assert scoped.current() is None


def test_a_thread_has_the_value_of_the_process_and_not_of_the_context_that_started_it():
    scoped = Scoped("test-thread")
    scoped.use_in_process("process")
    with scoped.used("context"):
        assert scoped.current() == "context"
        assert in_a_thread(scoped.current) == "process"
        assert in_a_thread(scoped.of_context) is None


def test_a_copy_of_the_context_keeps_its_value():
    scoped = Scoped("test-copy")
    with scoped.used("trial"):
        copied = contextvars.copy_context()
    assert copied.run(scoped.current) == "trial"
    assert scoped.current() is None
