"""Compares texts for the process that started this one: ``python -m pytest_netbench.scorers.embedder_process``.

The first line of standard output says that loading is over. Each line of standard input is a JSON list: the name of a
method of ``SentenceEmbedder``, then its arguments. Its answer is one line, ``{"result": …}`` or ``{"error": "…"}``. The
process ends when its input does, also while it loads, so that it does not outlive the one that started it.
"""

from __future__ import annotations

import contextlib
import json
import os
import sys
from collections.abc import Callable
from queue import SimpleQueue
from threading import Thread
from typing import Any

from pytest_netbench.catching import Caught
from pytest_netbench.scorers.embedder import SentenceEmbedder

_METHODS: dict[str, Callable[..., Any]] = {"embed": SentenceEmbedder.embed, "rouge_l": SentenceEmbedder.rouge_l}


def main() -> None:
    """Answer until standard input ends."""
    requests: SimpleQueue[str] = SimpleQueue()
    Thread(target=_read, args=(requests,), daemon=True).start()
    with _own_output() as answers:
        embedder = SentenceEmbedder()
        with contextlib.suppress(Exception):  # the first request loads again, and its answer says what failed
            embedder.prepare()
        print(json.dumps({"ready": True}), file=answers, flush=True)
        while True:
            print(json.dumps(_answer(embedder, requests.get())), file=answers, flush=True)


def _read(requests: SimpleQueue[str]) -> None:
    for line in sys.stdin:
        requests.put(line)
    os._exit(0)


def _own_output() -> Any:
    """Return standard output for answers alone; what libraries print goes to standard error."""
    answers = os.dup(1)
    os.dup2(2, 1)
    return os.fdopen(answers, "w", encoding="utf-8")


def _answer(embedder: SentenceEmbedder, request: str) -> dict[str, Any]:
    with Caught(Exception) as caught:  # reported to the process that asked
        method, *arguments = json.loads(request)
        return {"result": _METHODS[method](embedder, *arguments)}
    return {"error": f"{type(caught.error).__name__}: {caught.error}"}


if __name__ == "__main__":
    main()
