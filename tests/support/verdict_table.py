"""The page of verdicts: each shipped task by the kinds of error, from its recorded solutions.

``python -m tests.support.verdict_table > docs/reference/verdicts.md`` writes it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from pytest_netbench.model.solutions import ERROR_KINDS, ErrorKind, Solution, Solutions
from pytest_netbench.taskfile import load_task
from pytest_netbench.taskfile.solutions import load_solutions, solutions_path
from tests.support.task_list import files

HEAD = """# Verdicts of the shipped tasks

Each task by the [kinds of error](../explanation/task-quality.md#errors-of-verdicts) that a verdict may have. **W**: a
recorded wrong solution of this kind is caught. **R**: a recorded right one is accepted. `–`: it does not apply. Empty:
not looked at yet. The self-test proves each W and R. This page is made from the files in `.solutions`.
"""


def page() -> str:
    """The page as Markdown."""
    by_slug = dict(sorted(_recorded()))
    return "\n".join([HEAD, *_table(by_slug), *_sections(by_slug)]) + "\n"


def open_cells(recorded: Solutions) -> list[ErrorKind]:
    """The kinds that neither a solution nor a reason covers."""
    covered = {kind for one in (*recorded.right, *recorded.wrong) for kind in one.kinds}
    return [kind for kind in ERROR_KINDS if kind not in covered and kind not in recorded.inapplicable]


def _recorded() -> Iterator[tuple[str, Solutions]]:
    for path in files():
        task = load_task(path)
        recorded = solutions_path(path, task.slug)
        if recorded.is_file():
            yield task.slug, load_solutions(recorded, task)


def _table(by_slug: dict[str, Solutions]) -> Iterator[str]:
    yield f"| task | {' | '.join(f'`{kind}`' for kind in ERROR_KINDS)} |"
    yield "|---" * (len(ERROR_KINDS) + 1) + "|"
    for slug, recorded in by_slug.items():
        yield f"| [{slug}](#{slug}) | {' | '.join(_mark(recorded, kind) for kind in ERROR_KINDS)} |"


def _mark(recorded: Solutions, kind: ErrorKind) -> str:
    marks = ["W"] * bool(_of(recorded.wrong, kind)) + ["R"] * bool(_of(recorded.right, kind))
    return " ".join(marks) or ("–" if kind in recorded.inapplicable else "")


def _of(solutions: Sequence[Solution], kind: ErrorKind) -> list[str]:
    return [one.name for one in solutions if kind in one.kinds]


def _sections(by_slug: dict[str, Solutions]) -> Iterator[str]:
    for slug, recorded in by_slug.items():
        yield f"\n## {slug}\n"
        for kind in ERROR_KINDS:
            words = [f"wrong and caught: {name}" for name in _of(recorded.wrong, kind)]
            words += [f"right and accepted: {name}" for name in _of(recorded.right, kind)]
            words += [f"does not apply: {recorded.inapplicable[kind]}"] if kind in recorded.inapplicable else []
            yield from (f"- `{kind}`: {one}" for one in words)
        if still := open_cells(recorded):
            yield f"- not looked at yet: {', '.join(f'`{kind}`' for kind in still)}"


if __name__ == "__main__":
    print(page(), end="")
