"""The table of kinds: which container stands for which dialect."""

from __future__ import annotations

from collections.abc import Mapping

from pydantic import BaseModel, ConfigDict, Field

from pytest_netbench.lab.kinds.table import VARIABLE, read

__all__ = ["VARIABLE", "Kind", "table"]


class Kind(BaseModel):
    """One entry of the table, see ``lab/kinds/kinds.yaml``."""

    model_config = ConfigDict(extra="forbid", frozen=True, populate_by_name=True)

    kind: str = "linux"
    image: str
    driver: str
    entrypoint: str | None = None
    cmd: str | None = None
    memory: str | None = None
    cap_add: tuple[str, ...] = Field((), alias="cap-add")
    sysctls: Mapping[str, str | int] = {}


def table() -> dict[str, Kind]:
    """By dialect: what stands for it, from the built-in table and the user's own.

    Raises:
        UsageError: The user's file cannot be read, or is no such table.
    """
    return read(Kind)
