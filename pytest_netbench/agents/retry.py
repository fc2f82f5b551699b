"""When to retry a request, and how long to wait. Independent of providers."""

from __future__ import annotations

import random
from collections.abc import Callable

from pydantic import Field

from pytest_netbench.model.base import Model


class Retries(Model):
    """Bounds on trying a failed request again. Times in wall seconds."""

    attempts: int = Field(6, ge=1, le=50, description="requests at most, the first included")
    first_wait_s: float = Field(1.0, gt=0, description="wait after the first failure; doubled after each further one")
    longest_wait_s: float = Field(
        60.0, gt=0, description="no single wait is longer; a provider that asks for more has failed"
    )

    def wait_s(
        self, failures: int, retry_after_s: float | None, *, jitter: Callable[[], float] = random.random
    ) -> float:
        """Seconds to wait after ``failures`` failures in a row.

        The delay grows exponentially and half of it is random, so that workers that were refused at the same time do
        not retry at the same time. It is never shorter than the delay that the provider asks for.

        Args:
            failures: 1 after the first failure.
            retry_after_s: What the provider asked for.
            jitter: Draws from 0…1.
        """
        exponential = min(self.longest_wait_s, self.first_wait_s * 2.0 ** (failures - 1))
        spread = exponential * (0.5 + 0.5 * jitter())
        return spread if retry_after_s is None else max(retry_after_s, 0.0) + 0.1 * spread
