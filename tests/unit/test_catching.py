"""Errors are kept, or raised if they are of another kind."""

from __future__ import annotations

import traceback

import pytest

from pytest_netbench.catching import Caught


def test_a_block_that_raises_nothing_has_no_error():
    with Caught(Exception) as caught:
        done = True
    assert done
    assert caught.error is None


def test_an_error_ends_the_block_and_is_kept_with_its_traceback():
    error = ValueError("wrong")
    with Caught(Exception) as caught:
        raise error
    assert caught.error is error
    assert traceback.extract_tb(error.__traceback__)[-1].line == "raise error"


def test_an_error_of_another_kind_is_raised():
    with pytest.raises(KeyboardInterrupt), Caught(Exception) as caught:
        raise KeyboardInterrupt
    assert caught.error is None


def test_whatever_ends_a_block_can_be_kept():
    with Caught(BaseException) as caught:
        raise SystemExit(3)
    assert isinstance(caught.error, SystemExit)
