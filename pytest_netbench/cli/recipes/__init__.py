"""Recipes of CI services and of a Job, as files: they run an agent in a repository that `netbench init` made."""

from __future__ import annotations

from pathlib import Path
from typing import Final

# the file of each service, where it looks for it
PLACES: Final = {"github": Path(".github/workflows/agents.yml"), "gitlab": Path(".gitlab-ci.yml")}

# the same for several machines
SHARDED: Final = {
    "github-shards": PLACES["github"],
    "gitlab-shards": PLACES["gitlab"],
    "kubernetes-shards": Path("netbench-job.yaml"),
}
EVERY: Final = {**PLACES, **SHARDED}


def recipe(service: str) -> str:
    """Return the text of the recipe of a service, one of `EVERY`."""
    return Path(__file__).with_name(f"{service}.yaml").read_text(encoding="utf-8")
