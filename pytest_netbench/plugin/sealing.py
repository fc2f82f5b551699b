"""Sealed bundles in a run: the key, their items, and what their reports may say.

Nothing of a sealed task may reach a file: not by results, JUnit, captured output, tracebacks with locals, or caches.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import pytest

from pytest_netbench.errors import InputError, SealedFileError, UsageError
from pytest_netbench.plugin.item import TaskCollector, TaskItem

if TYPE_CHECKING:
    from pytest_netbench.generators.sealed import SealedSource
    from pytest_netbench.model.trial import TrialResult
    from pytest_netbench.sealing.bundle import Bundle
    from pytest_netbench.sealing.keys import SealingKey

SUFFIX: Final = ".sealed"
VARIABLE: Final = "NETBENCH_KEY"
FILE_VARIABLE: Final = "NETBENCH_KEY_FILE"
"""The same as in ``sealing.keys``, which an ordinary run does not import."""
WORKER_KEY: Final = "netbench_key"
NO_KEY: Final = f"sealed tasks: give their key with --netbench-key=FILE or {VARIABLE}"


class Sealing:
    """The key of a run and the bundles that it has read.

    The key is taken out of the environment while the run lasts, so that no process that is started inherits it. Workers
    get it from the controller.

    Args:
        config: Of the run.

    Raises:
        pytest.UsageError: The key cannot be used, or does not open a bundle that is named on the command line.
    """

    def __init__(self, config: pytest.Config) -> None:
        workerinput: Mapping[str, Any] = getattr(config, "workerinput", {})
        self._saved = {name: os.environ.get(name) for name in (VARIABLE, FILE_VARIABLE)}
        self._bundles: dict[Path, Bundle] = {}
        given = config.option.netbench_key
        path = Path(config.invocation_params.dir, given) if given else None
        try:
            text = workerinput.get(WORKER_KEY)
            self.key = _key(path, text)
            if path is not None:
                os.environ[FILE_VARIABLE] = str(path)  # a confined program must not see it
            os.environ.pop(VARIABLE, None)
            if self.key is not None and not workerinput:
                self._check_named(config, self.key)
        except InputError as error:
            self.pytest_unconfigure()
            raise pytest.UsageError(str(error)) from error

    def _check_named(self, config: pytest.Config, key: SealingKey) -> None:
        for argument in config.args:
            path = Path(config.invocation_params.dir, argument.partition("::")[0])
            if path.suffix == SUFFIX and path.is_file():
                bundle = self.bundle(path)
                bundle.check_key(key)

    def bundle(self, path: Path) -> Bundle:
        """The bundle in a file; each is read once.

        Raises:
            SealedFileError: It is none, or was changed.
        """
        from pytest_netbench.sealing.bundle import read_bundle  # noqa: PLC0415  (imports pydantic)

        path = path.absolute()
        if path not in self._bundles:
            self._bundles[path] = read_bundle(path)
        return self._bundles[path]

    def source(self, path: Path, name: str) -> SealedSource | None:
        """The task ``name`` of a bundle; ``None`` if it cannot be opened."""
        from pytest_netbench.generators.sealed import SealedSource  # noqa: PLC0415  (imports pydantic)

        try:
            bundle = self.bundle(path)
        except SealedFileError:
            return None
        opens = self.key is not None and self.key.id == bundle.manifest.key and name in bundle.manifest.names
        return SealedSource(bundle=bundle, name=name, key=self.key) if self.key is not None and opens else None

    @pytest.hookimpl(optionalhook=True)
    def pytest_configure_node(self, node: Any) -> None:
        """Give a worker the key: its environment does not have it."""
        if self.key is not None:
            node.workerinput[WORKER_KEY] = self.key.text

    def pytest_unconfigure(self) -> None:
        """Leave the environment as it was."""
        for name, value in self._saved.items():
            if value is None:
                os.environ.pop(name, None)
            else:
                os.environ[name] = value


def _key(path: Path | None, text: str | None) -> SealingKey | None:
    """The key that the controller gave, or that in a file or in the environment."""
    if text is None and path is None and not any(os.environ.get(name) for name in (VARIABLE, FILE_VARIABLE)):
        return None
    from pytest_netbench.sealing.keys import SealingKey, key_of  # noqa: PLC0415  (only if there is a key)

    return key_of(path) if text is None else SealingKey.of_text(text, where="the controller's key")


SEALING = pytest.StashKey[Sealing]()


def configure(config: pytest.Config) -> None:
    """Take the key of a run into ``config.stash``."""
    config.stash[SEALING] = sealing = Sealing(config)
    config.pluginmanager.register(sealing, "netbench-sealing")


def pytest_collect_file(file_path: Path, parent: pytest.Collector) -> SealedBundle | None:
    """Collect sealed bundles. Another file of this suffix is collected only if it is named."""
    if file_path.suffix != SUFFIX:
        return None
    from pytest_netbench.sealing.bundle import is_bundle  # noqa: PLC0415  (imports pydantic)

    if not is_bundle(file_path) and not parent.session.isinitpath(file_path):
        return None
    file: SealedBundle = SealedBundle.from_parent(parent, path=file_path)
    return file


class SealedBundle(pytest.File, TaskCollector):
    """A sealed bundle: for each task the items that a task file has."""

    item_type = TaskItem

    def collect(self) -> Iterable[TaskItem]:
        from pytest_netbench.plugin import item as items  # noqa: PLC0415
        from pytest_netbench.plugin.collection import items_of  # noqa: PLC0415  (imports this module's siblings)
        from pytest_netbench.results.sealed import SealedTask  # noqa: PLC0415  (imports pydantic)

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
        from pytest_netbench.plugin import item as items  # noqa: PLC0415

        key, needed = sealing.key, bundle.manifest.key
        reason = NO_KEY if key is None else f"{NO_KEY}: they need the key {needed}, the one given is {key.id}"
        item = items.broken(self, name=name, error=UsageError(reason, path=self.path))
        item.add_marker(pytest.mark.skip(reason=reason))
        return item


def _refusal(config: pytest.Config) -> str | None:
    """Why sealed tasks cannot be run with the options that are set."""
    from pytest_netbench.plugin.run import run_of  # noqa: PLC0415  (imports this module's siblings)

    if run_of(config).selftest:
        return "a self-test would write their ground truth"
    if run_of(config).variant is not None:
        return "variants are not drawn of them"
    if config.option.netbench_record is not None or config.option.netbench_replay is not None:
        return "cassettes have what models are told, in plain text"
    return None


def withheld(item: TaskItem, excinfo: pytest.ExceptionInfo[BaseException]) -> str:
    """What is said of an error of a sealed item instead of its text."""
    if item.outcome is None:
        return f"{excinfo.typename}: the text is sealed, as the task is (netbench unseal shows it)"
    result = item.outcome.result
    scores = ", ".join(f"{one.metric} {one.value:.3g}" for one in result.scores if one.value is not None)
    how = f"{result.status}, {result.outcome}" if result.outcome not in {None, "done"} else result.status
    return f"{how} ({scores or 'no scores'}); the reasons are sealed, as the task is (netbench unseal shows them)"


def published(result: TrialResult, source: Any) -> TrialResult:
    """``result`` as it may be written: without what is sealed, if its task is."""
    from pytest_netbench.generators.sealed import SealedSource  # noqa: PLC0415  (imports pydantic)
    from pytest_netbench.results.sealed import SealedTask  # noqa: PLC0415

    return SealedTask(source=source).public(result) if isinstance(source, SealedSource) else result
