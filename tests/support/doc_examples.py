"""Examples in documents that are run: a fence marked on the line before it, in a comment that readers do not see.

``<!-- file: NAME -->``  the block is the file NAME in the page's working folder
``<!-- run -->``         each line that begins with ``$ `` is run by bash and must succeed; what follows must come out
``<!-- run: lab -->``    the same, and a lab is needed

The examples of a page run in order, in one folder. In expected output, a line ``…`` matches any lines, and ``…`` within
a line any text. Times, dates and the width of rules are not compared.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
import textwrap
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parents[2]
PAGES = tuple(sorted([*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md")]))

_MARKED = re.compile(
    r"^(?P<indent> *)<!-- (?P<mark>file: (?P<name>\S+)|run|run: lab) -->\n"
    r"(?P=indent)```\w*\n(?P<text>.*?)\n(?P=indent)```$",
    re.MULTILINE | re.DOTALL,
)
_SAME = (
    (re.compile(r"\d{8}T\d{6}\.\d+Z"), "TIME"),
    (re.compile(r"\b\d+(?:\.\d+)?s\b"), "SECONDS"),
    (re.compile(r"\b\d+\.\d+ s\b"), "SECONDS"),
    (re.compile(r"\b\d+\.\d+(?= +(?:ok|\d+ problems)$)", re.MULTILINE), "SECONDS"),
    (re.compile(r"([=_-])\1{2,}"), r"\1\1\1"),
    (re.compile(r"[ \t]+"), " "),
)


@dataclass(frozen=True)
class Command:
    """One line to run and what must come out."""

    line: str
    output: str


@dataclass(frozen=True)
class Example:
    """One marked fence: a file, or commands."""

    name: str | None
    text: str
    needs_lab: bool

    def commands(self) -> list[Command]:
        parts = re.split(r"^\$ (.*)$", self.text, flags=re.MULTILINE)[1:]
        return [Command(line, output.strip("\n")) for line, output in zip(parts[::2], parts[1::2], strict=True)]


def examples(text: str) -> list[Example]:
    """The marked fences of a page, in order."""
    return [
        Example(name=match["name"], text=textwrap.dedent(match["text"]) + "\n", needs_lab=match["mark"] == "run: lab")
        for match in _MARKED.finditer(text)
    ]


def pages(*, with_labs: bool) -> list[Path]:
    """Pages that have something to run: those that need labs, or the others."""
    found = {page: examples(page.read_text(encoding="utf-8")) for page in PAGES}
    return [page for page, marked in found.items() if marked and any(one.needs_lab for one in marked) == with_labs]


def run(page: Path, folder: Path) -> None:
    """Run all examples of a page in ``folder``; the first that comes out otherwise is an AssertionError."""
    here = folder
    for example in examples(page.read_text(encoding="utf-8")):
        if example.name is not None:
            place = here / example.name
            place.parent.mkdir(parents=True, exist_ok=True)
            place.write_text(example.text, encoding="utf-8")
            continue
        for command in example.commands():
            shown, here = _run(command.line, here, folder)
            assert matches(command.output, shown), (
                f"{page.name}: $ {command.line}\n{shown}\n--- but written:\n{command.output}"
            )


def _run(line: str, here: Path, folder: Path) -> tuple[str, Path]:
    """Output of ``line``, and the folder it ends in."""
    note = folder.parent / f"{folder.name}.pwd"
    clean = {
        name: value
        for name, value in os.environ.items()
        if not name.startswith(("PYTEST", "COV", "CI", "BUILD_NUMBER"))
    }
    clean |= {"PATH": f"{Path(sys.executable).parent}:{clean.get('PATH', '')}", "COLUMNS": "80", "LC_ALL": "C.UTF-8"}
    done = subprocess.run(
        ["bash", "-e", "-c", f"{line}\npwd >{note}"],
        cwd=here,
        env=clean,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
        timeout=300,
    )
    assert done.returncode == 0, f"$ {line}\nexit status {done.returncode}\n{done.stdout}"
    return done.stdout, Path(note.read_text().strip())


def matches(written: str, shown: str) -> bool:
    """Whether ``shown`` is what was ``written``."""
    pattern = ""
    for line in _plain(written):
        if line == "…":
            pattern += r"(?:.*\n)*?"
        else:
            pattern += ".*".join(re.escape(part) for part in line.split("…")) + r"\n"
    return re.fullmatch(pattern, "".join(f"{line}\n" for line in _plain(shown))) is not None


def _plain(text: str) -> list[str]:
    for pattern, word in _SAME:
        text = pattern.sub(word, text)
    return [line.strip() for line in text.splitlines() if line.strip()]
