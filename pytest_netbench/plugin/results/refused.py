"""The lines of startup configs that devices refused, for the summary: such a task may not be what it says."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pytest_netbench.model.trial import TrialResult

MOST = 20


def lines(results: Iterable[TrialResult], *, root: Path) -> list[str]:
    """A heading, and one line for each refused line of each task; nothing if there is none.

    Args:
        results: The trials. Those of sealed tasks tell nothing of their configs.
        root: The rootdir, from which node ids name files.
    """
    from pytest_netbench.taskfile.refused import refused_lines  # imports pydantic

    found: dict[str, None] = {}
    for one in results:
        if one.refused_startup_lines and one.sealed is None:
            file = one.node_id.partition("::")[0]
            found.update(dict.fromkeys(refused_lines(one.refused_startup_lines, root / file, shown=file)))
    if not found:
        return []
    count = f"{len(found)} line{'s' * (len(found) > 1)}"
    listed = [f"  {line}" for line in list(found)[:MOST]]
    more = [f"  and {len(found) - MOST} more"] if len(found) > MOST else []
    return [f"warning: devices refused {count} of startup configs, which is no failure of an agent:", *listed, *more]
