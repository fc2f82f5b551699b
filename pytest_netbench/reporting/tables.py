"""Tables of a summary, as text of a given width and as Markdown."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from pytest_netbench.reporting import words

_NARROWEST: Final = 8


@dataclass(frozen=True, kw_only=True)
class Table:
    """Rows under a head. The first column is a label; it is cut where the table would be too wide.

    Attributes:
        head: Names of the columns.
        rows: Their cells.
        left: Columns that are aligned to the left; the first one always is.
        gap: What is between columns.
    """

    head: Sequence[str]
    rows: Sequence[Sequence[str]]
    left: frozenset[int] = frozenset()
    gap: str = " "

    def lines(self, width: int | None = None) -> list[str]:
        """The table as text, at most ``width`` characters wide. The last column is cut if the label cannot be."""
        every = [self.head, *self.rows]
        wide = [max(len(row[at]) for row in every) for at in range(len(self.head))]
        whole = sum(wide) + len(self.gap) * (len(wide) - 1)
        if width is not None and whole > width:
            wide[0] = max(min(wide[0], _NARROWEST), wide[0] - (whole - width))
        return [words.cut(self._line(row, wide).rstrip(), whole if width is None else width) for row in every]

    def _line(self, row: Sequence[str], wide: Sequence[int]) -> str:
        cells = (row[at].ljust(wide[at]) if at in self.left else row[at].rjust(wide[at]) for at in range(1, len(row)))
        return self.gap.join([words.cut(row[0], wide[0]).ljust(wide[0]), *cells])

    def markdown(self) -> list[str]:
        """The table as Markdown."""
        rule = ["---" if at == 0 or at in self.left else "---:" for at in range(len(self.head))]
        return [_marked(row) for row in ([safe(cell) for cell in self.head], rule, *self._safe_rows())]

    def _safe_rows(self) -> list[list[str]]:
        return [[safe(cell) for cell in row] for row in self.rows]


def _marked(cells: Sequence[str]) -> str:
    return f"| {' | '.join(cells)} |"


def safe(cell: str) -> str:
    """Return ``cell`` as Markdown that shows just this text."""
    escaped = " ".join(cell.split()).replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
    return "".join(f"\\{one}" if one in "\\`*_[]|#~" else one for one in escaped)
