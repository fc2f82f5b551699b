"""One process that evaluates with Inspect again and again: to import it takes seconds.

Run as a program in Inspect's environment: a line of JSON in, arguments of ``inspect_ai.eval``; a line with the log out.
"""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any, Self

if TYPE_CHECKING:
    from tests.integration.inspect_site import Site
    from tests.support.openai_server import OpenAIServer


class Session:
    """A process that evaluates, until the block is left.

    Args:
        site: Where Inspect is.
    """

    def __init__(self, site: Site) -> None:
        environment = site.environment(SCRIPTED_API_KEY="key-of-the-test-server", INSPECT_DISPLAY="none")
        argv = [site.python, Path(__file__)]
        self._output = (site.folder / "session.log").open("w")
        self._process = subprocess.Popen(
            argv,
            cwd=site.folder,
            env=environment,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self._output,
            text=True,
        )

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._process.kill()
        self._process.communicate()
        self._output.close()

    def evaluate(self, task: str, *, server: OpenAIServer, **arguments: Any) -> dict[str, Any]:
        """Evaluate a task with the model of a server; its log."""
        told = {"tasks": task, "model": "openai-api/scripted/m", "model_base_url": server.url, **arguments}
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.write(json.dumps(told) + "\n")
        self._process.stdin.flush()
        line = self._process.stdout.readline()
        assert line, Path(self._output.name).read_text()
        return dict(json.loads(line))


def main() -> None:
    """Evaluate what each line says."""
    from inspect_ai import eval as evaluate
    from inspect_ai.solver import SolverSpec

    answers = sys.stdout
    sys.stdout = sys.stderr
    for line in sys.stdin:
        told = json.loads(line)
        if "solver" in told:
            told["solver"] = SolverSpec(told["solver"], told.get("solver_args", {}), told.pop("solver_args", {}))
        (log,) = evaluate(**told, log_model_api=False)
        print(log.model_dump_json(exclude_none=True), file=answers, flush=True)


if __name__ == "__main__":
    main()
