"""The recorded solutions of the tasks as agents. ``equal_results.py`` copies this module beside a ``solutions.json``.

The class ``S00`` applies the first solution of a task, ``S01`` the second one, and so on. As a plugin of pytest
(``-p``) the module deselects the trials of agents that have no solution for their task.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from pytest_netbench.errors import AniError
from pytest_netbench.model.trial import AgentInfo, Submission

BY_TASK: dict[str, list[dict[str, Any]]] = {}
if (_table := Path(__file__).with_name("solutions.json")).is_file():
    BY_TASK.update(json.loads(_table.read_text(encoding="utf-8")))


class _Recorded:
    number = 0

    def __init__(self) -> None:
        self.info = AgentInfo(id=f"S{self.number:02}", strategy="recorded")

    def run(self, brief: Any, ani: Any) -> Submission:
        solution = BY_TASK[brief.task_name][self.number]
        for node, commands in solution["configs"].items():
            if commands:
                self._configure(ani, node, commands)
        return Submission(reasoning=solution.get("reasoning"))

    def _configure(self, ani: Any, node: str, commands: list[str]) -> None:
        try:
            ani.update_cfg(node, commands)
        except AniError:  # the result counts what the ANI refuses, and a solution may tamper
            return


for _number in range(max(map(len, BY_TASK.values()), default=0)):
    _name = f"S{_number:02}"
    globals()[_name] = type(_name, (_Recorded,), {"number": _number, "__module__": __name__})


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Keep the items of solutions that exist."""
    counts = {solutions[0]["slug"]: len(solutions) for solutions in BY_TASK.values() if solutions}
    kept, left_out = [], []
    for item in items:
        slug, _, agent = item.name.rstrip("]").partition("[")
        number = int(agent.rpartition(".S")[2])
        (kept if number < counts.get(slug, 0) else left_out).append(item)
    items[:] = kept
    config.hook.pytest_deselected(items=left_out)
