"""Items of sealed bundles, and why some of them cannot run."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from pytest_netbench.errors import InputError, UsageError
from pytest_netbench.plugin.items import item as items
from pytest_netbench.plugin.items.collection import items_of
from pytest_netbench.plugin.items.item import TaskCollector, TaskItem
from pytest_netbench.plugin.items.sealing import NO_KEY, SEALING, SUFFIX, Sealing
from pytest_netbench.plugin.settings.run_options import run_of

if TYPE_CHECKING:
    from pytest_netbench.sealing.bundle import Bundle


def pytest_collect_file(file_path: Path, parent: pytest.Collector) -> SealedBundle | None:
    """Collect sealed bundles. Another file of this suffix is collected only if it is named."""
    if file_path.suffix != SUFFIX:
        return None
    from pytest_netbench.sealing.bundle import is_bundle  # imports pydantic

    if not is_bundle(file_path) and not parent.session.isinitpath(file_path):
        return None
    file: SealedBundle = SealedBundle.from_parent(parent, path=file_path)
    return file


class SealedBundle(pytest.File, TaskCollector):
    """A sealed bundle: for each task the items that a task file has."""

    item_type = TaskItem

    def collect(self) -> Iterable[TaskItem]:
        from pytest_netbench.results.sealed import SealedTask  # imports pydantic

        sealing = self.config.stash[SEALING]
        try:
            bundle = sealing.bundle(self.path)
            if sealing.key is not None and sealing.key.id == bundle.manifest.key:
                bundle.check_key(sealing.key)
        except InputError as error:
            yield items.broken(self, name=self.path.stem, error=error)
            return
        for name in bundle.manifest.names:
            source = sealing.source(self.path, name)
            if source is None:
                yield self._closed(name, sealing, bundle)
            elif (what := _refusal(self.config)) is not None:
                refused = UsageError(f"{what}: unseal the tasks first (netbench unseal)", path=self.path)
                yield items.broken(self, name=name, error=refused)
            else:
                for item in items_of(self, source):
                    if item.task_error is None:
                        item.sealed = SealedTask(source=source)
                    yield item

    def _closed(self, name: str, sealing: Sealing, bundle: Bundle) -> TaskItem:
        """The item of a task that cannot be read without another key."""
        key, needed = sealing.key, bundle.manifest.key
        reason = NO_KEY if key is None else f"{NO_KEY}: they need the key {needed}, the one given is {key.id}"
        item = items.broken(self, name=name, error=UsageError(reason, path=self.path))
        item.add_marker(pytest.mark.skip(reason=reason))
        return item


def _refusal(config: pytest.Config) -> str | None:
    """Why sealed tasks cannot be run with the options that are set."""
    if run_of(config).selftest:
        return "a self-test would write their ground truth"
    if run_of(config).variant is not None:
        return "variants are not drawn of them"
    if config.option.netbench_record is not None or config.option.netbench_replay is not None:
        return "cassettes have what models are told, in plain text"
    return None
