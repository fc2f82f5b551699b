"""The path of a file that an option names, which is written when the run has ended."""

from __future__ import annotations

from pathlib import Path

import pytest


def path_of(config: pytest.Config, option: str) -> Path:
    """The file that ``option`` names, such as ``--netbench-ctrf``.

    Raises:
        pytest.UsageError: It cannot be written; known before the run.
    """
    given = getattr(config.option, option.removeprefix("--").replace("-", "_"))
    path = Path(config.invocation_params.dir, given)
    if not path.parent.is_dir():
        raise pytest.UsageError(f"{option}={given}: there is no such folder")
    if path.is_dir():
        raise pytest.UsageError(f"{option}={given}: this is a folder; give the name of a file")
    return path
