"""Sealed bundles in a run: the key, the bundles, and what of their results may be written.

Nothing of a sealed task may reach a file: not by results, JUnit, captured output, tracebacks with locals, or caches.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import pytest

from pytest_netbench.errors import InputError, SealedFileError

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
        from pytest_netbench.sealing.bundle import read_bundle  # imports pydantic

        path = path.absolute()
        if path not in self._bundles:
            self._bundles[path] = read_bundle(path)
        return self._bundles[path]

    def source(self, path: Path, name: str) -> SealedSource | None:
        """The task ``name`` of a bundle; ``None`` if it cannot be opened."""
        from pytest_netbench.generators.sealed import SealedSource  # imports pydantic

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
    from pytest_netbench.sealing.keys import SealingKey, key_of  # only if there is a key

    return key_of(path) if text is None else SealingKey.of_text(text, where="the controller's key")


SEALING = pytest.StashKey[Sealing]()


def configure(config: pytest.Config) -> None:
    """Take the key of a run into ``config.stash``."""
    config.stash[SEALING] = sealing = Sealing(config)
    config.pluginmanager.register(sealing, "netbench-sealing")


def published(result: TrialResult, source: Any) -> TrialResult:
    """``result`` as it may be written: without what is sealed, if its task is."""
    from pytest_netbench.generators.sealed import SealedSource  # imports pydantic
    from pytest_netbench.results.sealed import SealedTask

    return SealedTask(source=source).public(result) if isinstance(source, SealedSource) else result
