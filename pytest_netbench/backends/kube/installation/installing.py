"""Installations in the user's cache: one at a time, whole or not at all."""

from __future__ import annotations

import contextlib
import errno
import fcntl
import re
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Final, Literal

from pytest_netbench.backends.kube import binaries
from pytest_netbench.backends.kube.installation import modules, releases
from pytest_netbench.backends.kube.installation.downloads import Say, Unreachable
from pytest_netbench.errors import RequirementMissing, UsageError

VERSION: Final = "1.36.3"
"""The release that is installed by default: the one that this package is tested with."""
Source = Literal["release", "modules"]
_PARTIAL: Final = ".partial-"


def install(
    version: str = VERSION,
    *,
    say: Say,
    source: Source | None = None,
    sources: releases.Sources | None = None,
    place: Path | None = None,
) -> Path:
    """Install the programs of a release; returns their folder. One that is there already is kept.

    Args:
        version: Of Kubernetes, e.g. ``1.36.3``.
        say: Takes lines of progress.
        source: Where they come from; by default released ones, or else modules where the servers cannot be reached.
        sources: The servers of released ones.
        place: The folder of installations; by default in the user's cache.

    Raises:
        UsageError: The version is none.
        RequirementMissing: They cannot be had; what was installed before is as it was.
    """
    if not re.fullmatch(r"v?\d+\.\d+\.\d+", version):
        raise UsageError(f"{version!r} is no release of Kubernetes, e.g. {VERSION}")
    version = version.removeprefix("v")
    try:
        place = place or binaries.installations()
        place.mkdir(parents=True, exist_ok=True)
        with _alone(place, say):
            folder = place / version
            if (folder / binaries.COMPLETE).exists():
                say(f"Kubernetes {version} is installed in {folder}")
                return folder
            _install(version, folder, say, source, sources or releases.Sources())
    except OSError as error:
        if error.errno == errno.ENOSPC:
            raise RequirementMissing(f"no space is left for Kubernetes {version}: {error}", "free 600 MB") from error
        raise RequirementMissing(f"Kubernetes {version} cannot be installed: {error}") from error
    say(f"Kubernetes {version} is installed in {folder}")
    return folder


def _install(version: str, folder: Path, say: Say, source: Source | None, sources: releases.Sources) -> None:
    draft = folder.with_name(f"{_PARTIAL}{version}")
    try:
        _clear(draft)
        if source != "modules":
            try:
                releases.bring(version, draft, sources, say=say)
            except Unreachable as error:
                if source == "release":
                    raise RequirementMissing(str(error), "reach it, or build the programs: --from modules") from error
                say(f"released programs cannot be fetched ({error}); they are built from their Go modules")
                _clear(draft)
                source = "modules"
        if source == "modules":
            modules.build(version, draft, say=say)
        found = binaries.find(draft)
        if found.version != version:
            raise RequirementMissing(f"kube-apiserver says that it is {found.version}, and was to be {version}")
        (draft / binaries.COMPLETE).touch()
        shutil.rmtree(folder, ignore_errors=True)
        draft.rename(folder)
    finally:
        shutil.rmtree(draft, ignore_errors=True)


def _clear(draft: Path) -> None:
    shutil.rmtree(draft, ignore_errors=True)
    draft.mkdir()


@contextlib.contextmanager
def _alone(place: Path, say: Say) -> Iterator[None]:
    """Wait until nobody else installs; then what another one left that was killed goes."""
    with (place / ".lock").open("w") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            say("another installation is under way; waiting for it")
            fcntl.flock(lock, fcntl.LOCK_EX)
        for left in place.glob(f"{_PARTIAL}*"):
            shutil.rmtree(left, ignore_errors=True)
        yield
