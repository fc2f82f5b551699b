"""Types of generator parameters, and how they are written on a command line."""

from __future__ import annotations

import random
import re
from typing import Any, Self

from pydantic import model_serializer, model_validator

from pytest_netbench.model.base import Model


class Span(Model):
    """A range of whole numbers, both ends included. Written ``2-4``, or ``3`` for one number."""

    low: int
    high: int

    @model_validator(mode="before")
    @classmethod
    def _read(cls, value: Any) -> Any:
        if isinstance(value, int) and not isinstance(value, bool):
            return {"low": value, "high": value}
        if not isinstance(value, str):
            return value
        found = re.fullmatch(r"(\d+)(?:-(\d+))?", value)
        if found is None:
            raise ValueError(f"{value!r} is not a whole number such as 3, nor a range such as 2-4")
        return {"low": int(found[1]), "high": int(found[2] or found[1])}

    @model_validator(mode="after")
    def _in_order(self) -> Self:
        if self.low > self.high:
            raise ValueError(f"the range {self} ends before it begins; write {self.high}-{self.low}")
        return self

    @model_serializer
    def _written(self) -> str:
        return str(self)

    def __str__(self) -> str:
        return str(self.low) if self.low == self.high else f"{self.low}-{self.high}"

    def __contains__(self, number: object) -> bool:
        return isinstance(number, int) and self.low <= number <= self.high

    def checked(self, *, low: int, high: int) -> Self:
        """The range itself.

        Raises:
            ValueError: It is not within ``low`` and ``high``.
        """
        if low <= self.low and self.high <= high:
            return self
        raise ValueError(f"{self} is not within {low}-{high}")

    def draw(self, source: random.Random) -> int:
        """A number of the range, each with the same probability."""
        return source.randint(self.low, self.high)
