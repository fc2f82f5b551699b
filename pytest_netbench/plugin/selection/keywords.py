"""``-k`` over tasks: pytest's own substring match, in which the names of agents take no part.

pytest matches the name of an item, which ends in the agent in brackets. So its own selection is left out at its place,
and made once more when all other hooks have run, with the items under the names of their tasks.
"""

from __future__ import annotations

from collections.abc import Generator, Iterator
from contextlib import contextmanager
from typing import Final

import pytest

from pytest_netbench.plugin.items.item import TaskItem

_SELECTS: Final = "mark"
"""The name of pytest's plugin that has ``-k`` and ``-m``."""


class Withheld:
    """Withholds the expression of ``-k`` from pytest, if there are tasks. Wraps all other hooks.

    Attributes:
        expression: What was withheld.
    """

    def __init__(self) -> None:
        self.expression = ""

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_collection_modifyitems(self, config: pytest.Config, items: list[pytest.Item]) -> Generator[None]:
        """Let the other hooks run without ``-k``."""
        if not any(isinstance(item, TaskItem) for item in items):
            return (yield)
        self.expression, config.option.keyword = config.option.keyword, ""
        try:
            return (yield)
        finally:
            config.option.keyword = self.expression or config.option.keyword
            self.expression = ""


class Keywords:
    """Selects by ``-k`` what was withheld.

    Args:
        withheld: Has the expression.
    """

    def __init__(self, withheld: Withheld) -> None:
        self._withheld = withheld

    @pytest.hookimpl(trylast=True)
    def pytest_collection_modifyitems(
        self, session: pytest.Session, config: pytest.Config, items: list[pytest.Item]
    ) -> None:
        """Let pytest select, with the items of tasks under the names of their tasks."""
        if not self._withheld.expression:
            return
        manager = config.pluginmanager
        others = [plugin for plugin in manager.get_plugins() if plugin is not manager.get_plugin(_SELECTS)]
        select = manager.subset_hook_caller("pytest_collection_modifyitems", remove_plugins=others)
        option = config.option
        marks, option.markexpr, option.keyword = option.markexpr, "", self._withheld.expression
        try:
            with _named_by_task(list(items)):
                select(session=session, config=config, items=items)
        finally:
            option.markexpr, option.keyword = marks, ""


@contextmanager
def _named_by_task(items: list[pytest.Item]) -> Iterator[None]:
    trials = [item for item in items if isinstance(item, TaskItem) and item.agent_choice is not None]
    for item in trials:
        item.full_name, item.name = item.name, _task_name(item)
    try:
        yield
    finally:
        for item in trials:
            item.name, item.full_name = item.full_name or item.name, None


def _task_name(item: TaskItem) -> str:
    if item.task is not None and item.task.drawn is not None:
        return item.task.drawn.id
    return item.name.rpartition("[")[0]
