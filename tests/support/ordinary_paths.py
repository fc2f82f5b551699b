"""Paths of a checkout that root's home hides, within reach of an ordinary user."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

# the paths to bind come in pairs, then "--" and the command
_BIND = 'while [ "$1" != -- ]; do mount --bind "$1" "$2" || exit 125; shift 2; done; shift; exec "$@"'

Become = Callable[[int], list[str]]


@contextmanager
def within_reach(*folders: Path) -> Iterator[tuple[Become, list[Path]]]:
    """Yield what starts a command as a user, and the folders as that user finds them.

    A folder below one that others may not enter is bound to a public place, in a mount namespace of the command's own.
    """
    with tempfile.TemporaryDirectory(prefix="within-reach-") as public:
        Path(public).chmod(0o755)
        found, binds = [], list[str]()
        for number, folder in enumerate(folders):
            place = folder
            if any(parent.stat().st_mode & 0o005 != 0o005 for parent in (folder, *folder.parents)):
                place = Path(public, str(number))
                place.mkdir()
                binds += [str(folder), str(place)]
            found.append(place)
        bind = (
            ["unshare", "--mount", "--propagation", "private", "sh", "-c", _BIND, "sh", *binds, "--"] if binds else []
        )
        yield lambda uid: [*bind, "setpriv", f"--reuid={uid}", f"--regid={uid}", "--clear-groups", "--"], found
