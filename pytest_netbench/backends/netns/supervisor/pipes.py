"""The standard descriptors of a child. Standard library only."""

from __future__ import annotations

import os
from typing import Self


class Pipes:
    """Pipes to a child: ours to follow, theirs to be closed here once it has started (or has not).

    Args:
        stdin: Whether it is given something to read; else it reads ``/dev/null``.
    """

    def __init__(self, *, stdin: bool = False) -> None:
        out_reader, out = os.pipe()
        err_reader, err = os.pipe()
        self.ours = {out_reader: "stdout", err_reader: "stderr"}
        self.stdin: int | None = None
        if stdin:
            source, self.stdin = os.pipe()
        else:
            source = os.open("/dev/null", os.O_RDONLY | os.O_CLOEXEC)
        self.theirs = (source, out, err)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, failure: type[BaseException] | None, *_: object) -> None:
        for fd in self.theirs:
            os.close(fd)
        if failure is not None:
            for fd in (*self.ours, *([] if self.stdin is None else [self.stdin])):
                os.close(fd)
