"""The base classes of all models: frozen and strict about unknown fields; and values with cleaned texts."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

from pydantic import BaseModel, ConfigDict, model_validator

from pytest_netbench.text import clean_all


class Model(BaseModel):
    """A frozen value; unknown fields are errors."""

    model_config = ConfigDict(frozen=True, extra="forbid", populate_by_name=True)


class Recorded(Model):
    """A value with texts of an agent, a model or a device.

    They are cleaned when the value is made, so that it is safe to print and store (see ``text.clean``).
    ``kept_as_written`` names fields that hold none of these texts.
    """

    kept_as_written: ClassVar[frozenset[str]] = frozenset()

    @model_validator(mode="before")
    @classmethod
    def _clean(cls, data: Any) -> Any:
        if not isinstance(data, Mapping):
            return data
        return {name: one if name in cls.kept_as_written else clean_all(one) for name, one in data.items()}
