"""Files that the self-test records near a task, found by a digest of what determines them.

An example is ``tasks/.truth/llq-voice-5f7a2b422d3a7ece.json``. So a task keeps what is recorded for it if its file is
renamed, copied or generated, or if its wording changes.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Self

from pytest_netbench import __version__, parts
from pytest_netbench.errors import ResultsError, UsageError
from pytest_netbench.model.task import Task
from pytest_netbench.platforms.driver import RunsHere
from pytest_netbench.results.files import replace_file
from pytest_netbench.taskfile.corpus import corpus


class RecordedFiles:
    """Files of one kind near a task.

    Args:
        folders: Where they are looked for, and recorded, nearest first.
        shipped: Where they are looked for afterwards; nothing is written there.
    """

    def __init__(self, folders: Sequence[Path], *, shipped: Sequence[Path] = ()) -> None:
        self._folders = tuple(folders)
        self._shipped = tuple(shipped)

    @classmethod
    def around(cls, name: str, folder: Path, *, root: Path | None = None) -> Self:
        """The files in folders called ``name`` in ``folder``, in its parents up to ``root``, and of the shipped tasks.

        Args:
            name: Name of the folders, e.g. ``.truth``.
            folder: The folder of the task file, or where a script runs.
            root: Where the search ends; by default, and if ``folder`` is not in it, in the folder itself.
        """
        here = folder.absolute()
        top = here if root is None or not here.is_relative_to(root.absolute()) else root.absolute()
        parents = [one for one in (here, *here.parents) if one.is_relative_to(top)]
        try:
            shipped = [corpus() / "tasks" / name]
        except UsageError:
            shipped = []
        below = [top / "tasks" / name]
        return cls([one / name for one in parents] + below, shipped=shipped)

    def find(self, digest: str) -> Path | None:
        """The nearest file of this digest."""
        for folder in dict.fromkeys((*self._folders, *self._shipped)):
            for path in sorted(folder.glob(f"*-{digest}.json")):
                return path
        return None

    def named(self, slug: str) -> Path | None:
        """A file of this slug and any digest."""
        for folder in dict.fromkeys((*self._folders, *self._shipped)):
            for path in sorted(folder.glob(f"{slug}-{'[0-9a-f]' * 16}.json")):
                return path
        return None

    def write(self, slug: str, digest: str, text: str, *, what: str) -> Path:
        """Write the file of a digest.

        It goes to the file that has the digest, else to the nearest of the folders that exists, else to a new one
        beside the task.

        Args:
            slug: Of the task.
            digest: Of what determines the content.
            text: The content.
            what: What it is, for errors.

        Raises:
            ResultsError: It cannot be written.
        """
        path = self._place(slug, digest)
        try:
            replace_file(path, text)
        except ResultsError as error:
            raise ResultsError(
                f"{path}: the {what} cannot be recorded ({_reason(error)}); make {path.parent.parent} writable,"
                " or copy the tasks to a directory that is"
            ) from error
        return path

    def _place(self, slug: str, digest: str) -> Path:
        for folder in self._folders:
            for path in sorted(folder.glob(f"*-{digest}.json")):
                return path
        chosen = next((folder for folder in self._folders if folder.is_dir()), self._folders[0])
        return chosen / f"{slug}-{digest}.json"


def versions_of(task: Task) -> dict[str, str]:
    """The versions of this package and of what runs on the task's platforms."""
    versions = {"netbench": __version__}
    for platform in sorted(task.network.platforms) if task.has_network else ():
        driver = parts.load("drivers", platform)() if platform in parts.names("drivers") else None
        version = driver.installed_version() if isinstance(driver, RunsHere) else None
        if version is not None:
            versions[platform] = version
    return versions


def _reason(error: ResultsError) -> str:
    cause = error.__cause__
    return str(cause.strerror) if isinstance(cause, OSError) else str(error)
