"""tasks/README.md: summary and size of each shipped task. Written by ``python -m tests.support.task_list``."""

from __future__ import annotations

from pathlib import Path

from pytest_netbench.model.task import Task
from pytest_netbench.taskfile import load_task

TASKS = Path(__file__).parents[2] / "tasks"
PAGE = TASKS / "README.md"
HEAD = """# The shipped tasks

Written by `python -m tests.support.task_list` from the task files. *Devices* counts the nodes, behind the bar those \
that
have to be configured; *steps* the commands of the ground truth. How hard a task is shows only when agents are measured.
"""


def page() -> str:
    """The page as it has to be."""
    domains = sorted({path.parent for path in files()})
    return "\n".join([HEAD, *("\n".join([*_section(domain), ""]) for domain in domains)])


def files() -> list[Path]:
    """All shipped task files."""
    return sorted([*TASKS.glob("*/*.task.yaml"), *TASKS.glob("*/*.task.json")])


def _section(domain: Path) -> list[str]:
    tasks = [(path.name, load_task(path)) for path in files() if path.parent == domain]
    rows = [
        _row(domain.name, name, task)
        for name, task in sorted(tasks, key=lambda one: (one[1].network.platform, one[1].payload.steps))
    ]
    head = ["| task | platform | about | intents | devices | steps | testcases |", "|---|---|---|---|---|---|---|"]
    return [f"## {domain.name}: {len(tasks)}", "", *head, *rows]


def _row(domain: str, name: str, task: Task) -> str:
    size = task.size
    cells = [
        f"[{task.task_name}]({domain}/{name})",
        f"`{task.network.platform}`",
        ", ".join(task.tags),
        str(len(task.payload.intents)),
        f"{size.devices} / {size.configured}",
        str(size.steps),
        str(len(task.payload.testcases)),
    ]
    return f"| {' | '.join(cells)} |"


if __name__ == "__main__":
    PAGE.write_text(page(), "utf-8")
