"""How long to wait before a request is made again."""

from __future__ import annotations

from types import SimpleNamespace

import pytest

from pytest_netbench.agents.failures import retry_after_s
from pytest_netbench.agents.retry import Retries

RETRIES = Retries(first_wait_s=1, longest_wait_s=10)


@pytest.mark.parametrize(
    ("failures", "least", "most"), [(1, 0.5, 1), (2, 1, 2), (3, 2, 4), (4, 4, 8), (5, 5, 10), (30, 5, 10)]
)
def test_waits_double_up_to_the_longest_and_half_of_each_is_random(failures, least, most):
    assert RETRIES.wait_s(failures, None, jitter=lambda: 0.0) == least
    assert RETRIES.wait_s(failures, None, jitter=lambda: 1.0) == most


def test_what_the_provider_asks_for_is_never_undercut():
    assert RETRIES.wait_s(1, 7.0, jitter=lambda: 0.0) == pytest.approx(7.05)


def test_a_negative_retry_after_is_none_at_all():
    assert 0 < RETRIES.wait_s(1, -5.0) < 0.2


@pytest.mark.parametrize(
    ("header", "seconds"),
    [("2", 2.0), ("0.5", 0.5), ("Wed, 21 Oct 2015 07:28:00 GMT", 0.0), ("soon", None), (None, None)],
)
def test_retry_after_is_a_number_or_a_date(header, seconds):
    headers = {} if header is None else {"retry-after": header}
    error = SimpleNamespace(response=SimpleNamespace(headers=headers))
    assert retry_after_s(error) == seconds
