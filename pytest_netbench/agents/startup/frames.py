"""Frames of a traceback that are the agent's own code: not this package, the standard library or installed packages."""

from __future__ import annotations

import inspect
import re
import sys
import sysconfig
import traceback
from collections.abc import Iterable
from pathlib import Path
from types import FrameType
from typing import Any, Final

MOST: Final = 8
_PACKAGE: Final = Path(__file__).resolve().parents[2]
_LIBRARY: Final = tuple({Path(sysconfig.get_path(name)).resolve() for name in ("stdlib", "platstdlib")})
_INSTALLED: Final = ("site-packages", "dist-packages")
_LONGEST: Final = 200
_FAULT: Final = re.compile(r'^  File "(?P<file>[^"]+)", line (?P<line>\d+) in (?P<name>.+)$')
"""How ``faulthandler`` writes a frame."""


def frames_of(error: BaseException, *, module: str, rootdir: Path) -> tuple[str, ...]:
    """The own frames of an error, the innermost ones last, each as ``FILE:LINE, in NAME`` and its source line.

    Args:
        error: What was raised.
        module: The agent's module; what is installed beside it is its own code.
        rootdir: Paths under it are shown relative to it.
    """
    found = [
        _shown(frame.filename, frame.lineno or 0, frame.name, frame.line or "", rootdir)
        for frame in traceback.extract_tb(error.__traceback__)
        if _is_own(frame.filename, module)
    ]
    if isinstance(error, SyntaxError) and error.filename and _is_own(error.filename, module):
        found.append(_shown(error.filename, error.lineno or 0, "<module>", error.text or "", rootdir))
    return tuple(found[-MOST:])


def frames_from(frame: FrameType | None, *, module: str, rootdir: Path) -> tuple[str, ...]:
    """The own frames of code that is running, as ``frames_of`` has them."""
    summary: Iterable[traceback.FrameSummary] = traceback.extract_stack(frame)
    found = [
        _shown(one.filename, one.lineno or 0, one.name, one.line or "", rootdir)
        for one in summary
        if _is_own(one.filename, module)
    ]
    return tuple(found[-MOST:])


def frames_in(printed: Iterable[str], *, module: str, rootdir: Path) -> tuple[str, ...]:
    """The own frames among the lines that ``faulthandler`` printed, as ``frames_of`` has them."""
    found = [
        _shown(one["file"], int(one["line"]), one["name"], "", rootdir)
        for one in map(_FAULT.match, printed)
        if one is not None and _is_own(one["file"], module)
    ]
    return tuple(reversed(found[:MOST]))


def definition_of(kind: Any, *, rootdir: Path) -> tuple[str, ...]:
    """Where a class is defined, as ``frames_of`` has frames; nothing if that is not known."""
    kind = kind if inspect.isclass(kind) or inspect.isfunction(kind) else type(kind)
    try:
        file, (lines, line) = inspect.getsourcefile(kind), inspect.getsourcelines(kind)
    except (OSError, TypeError):
        return ()
    return (_shown(file or "", line, "<module>", lines[0], rootdir),)


def _is_own(filename: str, module: str) -> bool:
    if filename.startswith("<"):
        return False
    path = Path(filename).resolve()
    if path.is_relative_to(_PACKAGE):
        return False
    if any(part in _INSTALLED for part in path.parts):
        return any(path.is_relative_to(home) for home in _homes(module))
    return not any(path.is_relative_to(folder) for folder in _LIBRARY)


def _homes(module: str) -> list[Path]:
    """Where the module's top-level package, or the module itself, lies."""
    found = sys.modules.get(module.partition(".")[0])
    folders = [Path(folder).resolve() for folder in getattr(found, "__path__", ())]
    file = getattr(found, "__file__", None)
    return folders or ([Path(file).resolve()] if file else [])


def _shown(filename: str, line: int, name: str, source: str, rootdir: Path) -> str:
    path = Path(filename)
    where = path.relative_to(rootdir) if path.is_relative_to(rootdir) else path
    text = source.strip()[:_LONGEST]
    return f"  {where}:{line}, in {name}" + (f"\n    {text}" if text else "")
