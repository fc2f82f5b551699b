"""The base of all models: frozen, strict about unknown fields."""

from __future__ import annotations

from pydantic import BaseModel, ConfigDict


class Model(BaseModel):
    """A frozen value; unknown fields are errors."""

    model_config = ConfigDict(frozen=True, extra="forbid", populate_by_name=True)
