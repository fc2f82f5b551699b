"""The files of FRR in a container: saved, and written as they were if a run has changed them."""

from __future__ import annotations

import shlex
from collections.abc import Mapping
from typing import Final

from pytest_netbench.errors import LabError
from pytest_netbench.platforms.access import Exec

_FOLDER: Final = "/etc/frr"
_READ: Final = (
    f"cd {_FOLDER} 2>/dev/null || exit 0\n"
    "find . -type f | sort | while read -r file; do\n"
    '  echo "$(stat -c \'%a %u %g\' "$file") $(base64 < "$file" | tr -d \'\\n\') $file"\n'
    "done"
)
Files = Mapping[str, str]
"""By name: mode, owner, group, and the content in base64."""


def read(name: str, node: Exec) -> dict[str, str]:
    """The files of a node.

    Raises:
        LabError: They cannot be read.
    """
    done = node.run(["/bin/sh", "-c", _READ])
    if done.returncode:
        raise LabError(f"{name}: {_FOLDER} cannot be read: {done.stderr.strip() or done.returncode}")
    lines = [line.rsplit(" ./", 1) for line in done.stdout.splitlines()]
    return {file: rest for rest, file in lines}


def put_back(name: str, node: Exec, saved: Files) -> None:
    """Make the files what they were.

    Raises:
        LabError: They are not; the text names them.
    """
    now = read(name, node)
    script = [f"rm -f {shlex.quote(f'{_FOLDER}/{file}')}" for file in now.keys() - saved.keys()]
    for file, rest in saved.items():
        if now.get(file) != rest:
            mode, user, group, *content = rest.split(" ")
            path = shlex.quote(f"{_FOLDER}/{file}")
            # in place: the file may be one of the machine's, mounted there
            script += [
                f"echo {''.join(content)} | base64 -d > {path}",
                f"chown {user}:{group} {path}",
                f"chmod {mode} {path}",
            ]
    if script:
        node.run(["/bin/sh", "-c", "\n".join([*script, "true"])])
        now = read(name, node)
    if wrong := sorted(file for file in now.keys() | saved.keys() if now.get(file) != saved.get(file)):
        raise LabError(f"{name}: files of {_FOLDER} are not as they were: {', '.join(wrong)}")
