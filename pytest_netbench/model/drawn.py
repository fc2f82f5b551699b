"""Drawn: which draw of which generator made a task."""

from __future__ import annotations

from typing import Any, Final

from pydantic import Field

from pytest_netbench.model.base import Model

LABEL: Final = r"^[A-Za-z0-9_.]+(\+[A-Za-z0-9_.]+)*$"


class Drawn(Model):
    """The draw that made a task. It can be repeated: the same values give the same task on any machine."""

    generator: str = Field(pattern=r"^[a-z0-9][a-z0-9_.-]*$", description="the generator's part name")
    parameters: dict[str, Any] = Field({}, description="the generator's parameters, all of them, as JSON values")
    seed: int = Field(ge=0, description="the seed of the series of draws")
    index: int = Field(ge=0, description="the place in the series, from 0")
    label: str = Field(pattern=LABEL, description="the kind of task within the generator, e.g. `DR+WR`")
    scenario: str | None = Field(
        None,
        exclude_if=lambda value: value is None,  # other draws keep their digests
        description="the shape of the network, if the generator draws several",
    )
    packages: dict[str, str] | None = Field(
        None,
        exclude_if=lambda value: value is None,  # other draws keep their digests
        description="by part of another package that was drawn from: the package and its version",
    )
    level: int = Field(ge=1, description="how hard the generator makes it, from 1")

    @property
    def id(self) -> str:
        """The id of the task, e.g. ``repair-routing[s7-0042-DR+WR]``."""
        return f"{self.generator}[s{self.seed}-{self.index:04}-{self.label}]"

    @property
    def slug(self) -> str:
        """The id as a slug, e.g. ``repair-routing-s7-0042-dr-wr``."""
        words = f"{self.generator}-s{self.seed}-{self.index:04}-{self.label}".lower()
        return "".join(sign if sign.isalnum() else "-" for sign in words)
