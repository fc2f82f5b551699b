"""Several programs in one command of a shell, each with its own outputs and status."""

from __future__ import annotations

import shlex
from collections.abc import Sequence

from pytest_netbench.errors import LabError
from pytest_netbench.lab.shells.shell import Shell
from pytest_netbench.platforms.access import Completed

_HEAD = "d=$NETBENCH_DIR\n"
_EACH = (
    '( {command} ) </dev/null >"$d/mo" 2>"$d/me"; echo "$? $(wc -c <"$d/mo") $(wc -c <"$d/me")"; cat "$d/mo" "$d/me"\n'
)
_TAIL = 'rm -f "$d/mo" "$d/me"\n'


def run_many(shell: Shell, argvs: Sequence[Sequence[str]], *, timeout_s: float) -> list[Completed]:
    """Run several programs one after the other; ``timeout_s`` is of each.

    Raises:
        LabError: The host does not answer.
    """
    if not argvs:
        return []
    script = _HEAD + "".join(_EACH.format(command=shlex.join(argv)) for argv in argvs) + _TAIL
    done = shell.run_bytes(script, timeout_s=timeout_s * len(argvs))
    found, rest = [], done.stdout
    for _ in argvs:
        head, _, rest = rest.partition(b"\n")
        if not head:
            break
        status, out, err = map(int, head.split())
        found.append(
            Completed(
                stdout=rest[:out].decode("utf-8", "replace"),
                stderr=rest[out : out + err].decode("utf-8", "replace"),
                returncode=status,
            )
        )
        rest = rest[out + err :]
    if len(found) < len(argvs) and not done.timed_out:
        raise LabError(f"programs on the host gave no status: {done.stderr.decode('utf-8', 'replace').strip()}")
    ended = Completed(stdout="", stderr="", returncode=done.returncode, timed_out=True)
    return [*found, *(ended for _ in argvs[len(found) :])]
