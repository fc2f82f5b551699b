"""Recipes of CI services, as files: they run an agent in a repository that `netbench init` made."""

from __future__ import annotations

from pathlib import Path
from typing import Final

# the file of each service, where it looks for it
PLACES: Final = {"github": Path(".github/workflows/agents.yml"), "gitlab": Path(".gitlab-ci.yml")}


def recipe(service: str) -> str:
    """Return the text of the recipe of a service, one of `PLACES`."""
    return Path(__file__).with_name(f"{service}.yaml").read_text(encoding="utf-8")
