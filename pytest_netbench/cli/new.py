"""netbench new: write a small complete task to begin with."""

from __future__ import annotations

import argparse
import re
import shlex
from pathlib import Path
from typing import TYPE_CHECKING, Final

from pytest_netbench.errors import UsageError

if TYPE_CHECKING:
    from pytest_netbench.taskfile.templates import Template

DOMAIN: Final = "routing"
PLATFORMS: Final = ("frr", "cisco_ios", "linux")
_NAME: Final = re.compile(r"[A-Za-z0-9][A-Za-z0-9 _-]*")
_DOMAIN: Final = re.compile(r"[a-z0-9][a-z0-9_-]*")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """What is written, and its name."""
    kinds = parser.add_subparsers(dest="kind", metavar="KIND", required=True)
    task = kinds.add_parser(
        "task",
        help="a task with testcases, a recorded reference behaviour, and right and wrong solutions",
        description="Write a task that passes netbench validate and its self-test as it is, to change it step by step.",
        allow_abbrev=False,
    )
    task.add_argument("name", metavar="NAME", help="e.g. two-sites: written to tasks/DOMAIN/two-sites.task.yaml")
    task.add_argument("--domain", default=DOMAIN, metavar="DOMAIN", help=f"the folder in tasks/ (default: {DOMAIN})")
    task.add_argument(
        "--platform", choices=PLATFORMS, default=PLATFORMS[0], help=f"of the routers (default: {PLATFORMS[0]})"
    )


def run(arguments: argparse.Namespace) -> int:
    """Write the files of a task, none of which may exist, and say what to do next."""
    from pytest_netbench.taskfile.loader import slug_of  # imports pydantic
    from pytest_netbench.taskfile.solutions import solutions_path
    from pytest_netbench.taskfile.templates import template

    name, domain = arguments.name.strip(), arguments.domain
    if not _NAME.fullmatch(name):
        raise UsageError(f"{arguments.name!r} is no name of a task: use letters, digits, hyphens and spaces")
    if not _DOMAIN.fullmatch(domain):
        raise UsageError(
            f"--domain {domain!r}: use lower-case letters, digits and hyphens; it names a folder of tasks/"
        )
    slug = slug_of(Path(f"{name}.task.yaml"))
    path = Path("tasks", domain, f"{slug}.task.yaml")
    solutions = solutions_path(path, slug)
    texts = template(arguments.platform, name=_title(name), path=path)
    _write({path: texts.task, solutions: texts.solutions})
    recorded = _record(path, texts)
    for one in (path, solutions, recorded):
        print(f"wrote {one}")
    print(_next(path))
    return 0


def _title(name: str) -> str:
    words = re.sub(r"[-_ ]+", " ", name).strip()
    # in quotes, because YAML reads names such as 1 and yes as something else
    return f'"{words[:1].upper()}{words[1:]}"'


def _write(texts: dict[Path, str]) -> None:
    for path in texts:
        if path.exists() or path.is_symlink():
            raise UsageError(f"{path} exists, and nothing is overwritten: give another name, or move it away")
    for path, text in texts.items():
        path.parent.mkdir(parents=True, exist_ok=True)
        with path.open("x", encoding="utf-8") as file:
            file.write(text)


def _record(path: Path, texts: Template) -> Path:
    """Write the recorded behaviour where ``netbench record`` would, and return its file."""
    from pytest_netbench.model.behaviour import Behaviour  # imports pydantic
    from pytest_netbench.results.reference import ReferenceStore
    from pytest_netbench.taskfile import load_task

    task = load_task(path)
    store = ReferenceStore.around(path.parent, root=Path.cwd())
    written = store.save(task, Behaviour.model_validate_json(texts.behaviour))
    return written.relative_to(Path.cwd()) if written.is_relative_to(Path.cwd()) else written


def _next(path: Path) -> str:
    file = shlex.quote(str(path))
    return f"""The task is complete: it is valid, and it passes its self-test. Next:
  pytest {file} --agent=oracle
      solves it with its own ground truth, in a few seconds
  netbench validate {file}
      checks the file; after each change of yours
  netbench record {file}
      records what the network does; after a change of the network, its configs or the ground truth
  netbench explain {file}
      lists what is recorded, and what the testcase of kind reference compares
  pytest {file} --netbench-selftest
      proves that the task can be solved, and that wrong solutions fail
Commit .solutions, .reference and .truth with the task. More: docs/how-to/write-a-task.md of pytest-netbench"""
