"""Lines of a config with the lines that they stand under. Pure."""

from __future__ import annotations

from collections.abc import Iterator


def config_paths(text: str) -> Iterator[tuple[str, ...]]:
    """Return each line of a config with its parent lines, outermost first; the hierarchy is the indentation."""
    stack: list[tuple[int, str]] = []
    for raw in text.expandtabs().splitlines():
        line = raw.strip()
        if not line:
            continue
        indent = len(raw) - len(raw.lstrip())
        while stack and stack[-1][0] >= indent:
            stack.pop()
        stack.append((indent, line))
        yield tuple(one for _, one in stack)
