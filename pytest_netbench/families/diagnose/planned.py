"""What a brief says of decoys: those that are planned. Pure."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from pytest_netbench.model.decoys import Decoy

CHANGED: Final = "Shortly before you began a colleague configured this on {node}, as planned: {lines}"
DARK: Final = "{node} is switched off, as planned."


def known(decoys: Sequence[Decoy]) -> Iterator[str]:
    """What a brief says of them: what is planned. A cable that has lost its carrier for a moment is not."""
    for one in decoys:
        if one.kind == "change":
            yield CHANGED.format(node=one.node, lines="; ".join(f"`{line}`" for line in one.lines))
        elif one.kind == "off":
            yield DARK.format(node=one.node)
