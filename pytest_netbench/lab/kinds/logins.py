"""How one logs in to nodes of a kind, as an entry of the table says it."""

from __future__ import annotations

import os

from pydantic import BaseModel, ConfigDict, Field

from pytest_netbench.errors import RequirementMissing
from pytest_netbench.lab.consoles import Credentials


class Login(BaseModel):
    """The fields of an entry that say who logs in. ``$NAME`` is read from the environment."""

    model_config = ConfigDict(extra="forbid", frozen=True, populate_by_name=True)

    username: str = ""
    password: str = Field("", repr=False)
    enable_secret: str = Field("", alias="enable-secret", repr=False)

    def credentials(self) -> Credentials:
        """How to log in.

        Raises:
            RequirementMissing: A variable that it names is not set.
        """
        return Credentials(
            username=_value(self.username), password=_value(self.password), enable_secret=_value(self.enable_secret)
        )


def _value(text: str) -> str:
    if not text.startswith("$"):
        return text
    name = text[1:].strip("{}")
    if name not in os.environ:
        raise RequirementMissing(f"the variable {name} is not set, which the table of kinds names")
    return os.environ[name]
