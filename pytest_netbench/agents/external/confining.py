"""Confinement: a program in namespaces of its own, with bubblewrap.

It sees the system's programs and libraries, its home and an empty folder. It does not see the project, the installed
tasks, results, the key of sealed tasks, other processes, and other programs' sockets. The host's network stays, for
its provider.
"""

from __future__ import annotations

import contextlib
import os
import shutil
import tempfile
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Final

import pytest_netbench
from pytest_netbench.agents.outside_settings import Confinement
from pytest_netbench.errors import RequirementMissing
from pytest_netbench.model.trial import Brief
from pytest_netbench.sealing.keys import FILE_VARIABLE

PASSED_ON: Final = ("PATH", "HOME", "LANG", "TERM", "SSL_CERT_FILE", "HTTPS_PROXY", "HTTP_PROXY", "NO_PROXY")
BUBBLEWRAP: Final = "bwrap"
_ISOLATED: Final = ("--unshare-user", "--unshare-pid", "--unshare-ipc", "--unshare-uts", "--unshare-cgroup-try")
_SYSTEM: Final = ("/usr", "/etc", "/opt", "/snap", "/nix", "/run/systemd/resolve")
_AT_ROOT: Final = ("/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32")


def require() -> None:
    """Check that programs can be confined here.

    Raises:
        RequirementMissing: bubblewrap is not installed.
    """
    if shutil.which(BUBBLEWRAP) is None:
        raise RequirementMissing(
            "a confined program needs bubblewrap", "apt-get install bubblewrap, or `confine: false` in the agent file"
        )


@contextlib.contextmanager
def confined(
    command: list[str],
    settings: Confinement,
    *,
    brief: Brief,
    socket: Path,
    folder: Path,
    root: Path,
    shown: Iterable[Path] = (),
) -> Iterator[tuple[list[str], tuple[int, ...]]]:
    """The command as it is started, and what it inherits; bubblewrap's arguments are not for the program to see.

    Args:
        command: The program and its arguments.
        settings: Whether it is confined, and what it sees.
        brief: Its logins are shown.
        socket: Of the ANI.
        folder: The program's own.
        root: The project.
        shown: Further files of the project that it may read.
    """
    if not settings.confine:
        yield command, ()
        return
    show = [*(root / path.expanduser() for path in settings.show), *shown]
    if brief.ssh is not None:
        show.append(Path(brief.ssh.inventory))
    words = arguments(folder=folder, socket=socket, root=root, show=show, hide=settings.hide)
    descriptor = os.memfd_create("arguments", 0)
    try:
        os.write(descriptor, b"\0".join(word.encode() for word in words))
        os.lseek(descriptor, 0, os.SEEK_SET)
        yield [BUBBLEWRAP, "--args", str(descriptor), "--", *command], (descriptor,)
    finally:
        os.close(descriptor)


def environment(names: Iterable[str], brief: Brief, socket: Path) -> dict[str, str]:
    """The variables of a program: those that are always passed on, ``names``, and where the network is."""
    variables = {name: os.environ[name] for name in (*PASSED_ON, *names) if name in os.environ}
    if brief.ssh is not None:
        variables["NETBENCH_SSH_INVENTORY"] = brief.ssh.inventory
    return {**variables, "NETBENCH_ANI_SOCKET": str(socket)}


def arguments(*, folder: Path, socket: Path, root: Path, show: Iterable[Path], hide: Iterable[Path]) -> list[str]:
    """The arguments of bubblewrap, without the program.

    Args:
        folder: The program's own, which it may write to and starts in.
        socket: Of the ANI.
        root: The project.
        show: What the program may read although it is in something that is hidden.
        hide: What it may not see, besides the project and the installed tasks.
    """
    words = [*_ISOLATED, "--die-with-parent", "--new-session", "--cap-drop", "ALL"]
    words += ["--proc", "/proc", "--dev", "/dev", "--tmpfs", "/tmp"]  # noqa: S108  (a new one)
    for name in _AT_ROOT:
        words += _as_it_is(Path(name))
    system = [Path(name) for name in _SYSTEM if Path(name).is_dir()]
    home = [Path(os.environ["HOME"])] if Path(os.environ.get("HOME", "")).is_absolute() else []
    for path in system:
        words += _at_its_place("--ro-bind", path)
    for path in home:
        words += _at_its_place("--bind-try", path)
    hidden = _existing([root, Path.cwd(), Path(tempfile.gettempdir()), *hide, *_corpus(), *_keys()])
    words += _covered(hidden, _existing([*system, *home]))
    shown = _existing(show)
    for path in shown:
        words += ["--ro-bind", str(path), str(path)]
    words += _covered(_existing([*_corpus(), *_keys()]), shown)
    words += ["--bind", str(folder), str(folder), "--bind", str(socket), str(socket)]
    return [*words, "--chdir", str(folder)]


def sees(path: Path, settings: Confinement, *, root: Path, shown: Iterable[Path] = ()) -> bool:
    """Whether a confined program sees the file ``path``, as far as ``arguments`` decides.

    Args:
        path: Absolute.
        settings: What it sees and does not see.
        root: The project.
        shown: Further files of the project that it may read.
    """
    real = path.resolve()
    if any(real.is_relative_to(one) for one in _existing([*_corpus(), *_keys()])):
        return False
    if any(
        real.is_relative_to(one) for one in _existing([*(root / one.expanduser() for one in settings.show), *shown])
    ):
        return True
    home = [Path(os.environ["HOME"])] if Path(os.environ.get("HOME", "")).is_absolute() else []
    system = _existing([*map(Path, (*_SYSTEM, *_AT_ROOT)), *home])
    hidden = _existing([root, Path.cwd(), Path(tempfile.gettempdir()), *settings.hide])
    return any(real.is_relative_to(one) for one in system) and not any(real.is_relative_to(one) for one in hidden)


def _at_its_place(option: str, path: Path) -> list[str]:
    """Show ``path`` where it really is, and a link to there: what is hidden in it is then hidden by all its names."""
    real = path.resolve()
    words = [option, str(real), str(real)]
    return words if real == path else [*words, "--symlink", str(real), str(path)]


def _covered(hidden: Iterable[Path], seen: Iterable[Path]) -> list[str]:
    """Empty folders, or an empty file, over what is hidden of what would be seen."""
    words = []
    for path in hidden:
        if any(path.is_relative_to(one) for one in seen):
            words += ["--tmpfs", str(path)] if path.is_dir() else ["--ro-bind", os.devnull, str(path)]
    return words


def _corpus() -> list[Path]:
    """Where tasks lie beside this package: in a wheel, or in its source tree."""
    package = Path(pytest_netbench.__file__).parent
    return [package / "corpus", package.parent / "tasks", package.parent / ".git"]


def _keys() -> list[Path]:
    """The file with the key of sealed tasks."""
    name = os.environ.get(FILE_VARIABLE)
    return [Path(name)] if name else []


def _existing(paths: Iterable[Path]) -> list[Path]:
    return [path.expanduser().resolve() for path in paths if path.expanduser().exists()]


def _as_it_is(path: Path) -> list[str]:
    if path.is_symlink():
        return ["--symlink", str(path.readlink()), str(path)]
    return ["--ro-bind-try", str(path), str(path)]
