"""When a fault is there, in lab seconds from the moment at which an agent can begin."""

from __future__ import annotations

import math
from typing import Self

from pydantic import Field, model_validator

from pytest_netbench.model.base import Model


class Schedule(Model):
    """When a fault begins, and whether it is over some time later, or comes again."""

    begins_s: float = Field(0.0, ge=0, description="lab seconds; 0: it is there when the agent begins")
    lasts_s: float | None = Field(None, gt=0, description="lab seconds until it is over; null: until it is repaired")
    every_s: float | None = Field(
        None, gt=0, description="lab seconds from one beginning to the next one; null: it does not come again"
    )

    @model_validator(mode="after")
    def _ends_before_it_comes_again(self) -> Self:
        if self.every_s is not None and (self.lasts_s is None or self.lasts_s >= self.every_s):
            raise ValueError(f"every_s: {self.every_s:g} needs a lasts_s that is smaller, so that it ends in between")
        return self

    @property
    def heals(self) -> bool:
        """Whether it is over one day without a repair."""
        return self.lasts_s is not None and self.every_s is None

    def is_there(self, lab_s: float) -> bool:
        """Whether it is there at a moment, if nobody repairs it."""
        since = lab_s - self.begins_s
        if since < 0 or self.lasts_s is None:
            return since >= 0
        return (since if self.every_s is None else since % self.every_s) < self.lasts_s

    def next_change(self, lab_s: float) -> float:
        """The next moment at which it begins or is over; infinite if there is none."""
        since = lab_s - self.begins_s
        if since < 0:
            return self.begins_s
        if self.lasts_s is None:
            return math.inf
        if self.every_s is None:
            return self.begins_s + self.lasts_s if since < self.lasts_s else math.inf
        begun = self.begins_s + since // self.every_s * self.every_s
        return begun + (self.lasts_s if lab_s < begun + self.lasts_s else self.every_s)

    @property
    def words(self) -> str:
        """A sentence for people."""
        began = "It is there when the agent begins" if not self.begins_s else f"It begins {self.begins_s:g} s later"
        if self.lasts_s is None:
            return f"{began}."
        if self.every_s is None:
            return f"{began}, and is over after {self.lasts_s:g} s."
        return f"{began}, is over after {self.lasts_s:g} s, and comes again every {self.every_s:g} s."
