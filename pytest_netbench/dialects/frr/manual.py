"""FRR's user guide as sections to look up, from what its documentation package installs (reStructuredText)."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from pathlib import Path

from pytest_netbench.dialects.base import ManualSection

# Debian's package frr-doc; another path where a distribution puts the same sources
FOLDERS = (Path("/usr/share/doc/frr/html/_sources"), Path("/usr/share/doc/frr-doc/html/_sources"))
INSTALL_COMMAND = "sudo apt-get install -y --no-install-recommends frr-doc"
_PATTERN = "*.rst.txt"
# building, contributing, other programs' setups: no command of a router is in them
_LEFT_OUT = {"index", "installation", "bugs", "packet-dumps", "glossary", "appendix", "grpc", "scripting", "extlog"}
_COMMAND = ".. clicmd:: "
_RULE = re.compile(r"^([=\-~^\"*#.+_`'])\1{2,}$")
# labels, footnotes, comments and what only lays out; remarks are kept, as words
_MARKUP = re.compile(r"^\s*\.\.(?: (?!(?:note|warning|tip|important|todo)::).*)?$")
_REMARK = re.compile(r"^(\s*)\.\. (\w+)::\s*(.*)$")
_ROLE = re.compile(r":[a-z:-]+:`~?!?([^`<]+?)(?: <[^`>]*>)?`")
_LITERAL = re.compile(r"``([^`]+)``")


def sections(folders: Sequence[Path] = FOLDERS) -> tuple[ManualSection, ...]:
    """One section per heading, and one per command (or commands that are explained together); none if not installed."""
    folder = next((one for one in folders if one.is_dir()), None)
    if folder is None:
        return ()
    found: list[ManualSection] = []
    for path in sorted(folder.glob(_PATTERN)):
        if path.name.partition(".")[0] not in _LEFT_OUT:
            found += read(path.read_text(encoding="utf-8", errors="replace"), name=path.name.partition(".")[0])
    return tuple(found)


def read(text: str, *, name: str) -> Iterator[ManualSection]:
    """Yield the sections of one file; ``name`` titles a file without a heading, which other files include."""
    page = ""
    for heading, lines in _by_heading(text.splitlines()):
        page = page or heading
        title = (heading if heading == page else f"{page}: {heading}") or name
        for commands, body in _by_command(lines):
            words = _plain(body)
            if commands or words:
                shown = "\n".join([*commands, *([""] if commands and words else []), *([words] if words else [])])
                yield ManualSection(title=" - ".join([title, *commands[:1]]), text=shown)


def _by_heading(lines: Sequence[str]) -> Iterator[tuple[str, list[str]]]:
    heading, body = "", list[str]()
    for index, line in enumerate(lines):
        below = lines[index + 1] if index + 1 < len(lines) else ""
        if line.strip() and line[0] != " " and not _RULE.match(line) and _RULE.match(below) and len(below) >= len(line):
            if heading or body:
                yield heading, body
            heading, body = _inline(line.strip()), []
        elif not (_RULE.match(line) and not line.startswith("..")):
            body.append(line)
    yield heading, body


def _by_command(lines: Sequence[str]) -> Iterator[tuple[list[str], list[str]]]:
    """What stands before the first command, then each group of commands with what explains it."""
    commands, body = list[str](), list[str]()
    for line in lines:
        if line.startswith(_COMMAND):
            if any(one.strip() for one in body):
                yield commands, body
                commands, body = [], []
            commands.append(line.removeprefix(_COMMAND).strip())
        else:
            body.append(line)
    yield commands, body


def _plain(lines: Sequence[str]) -> str:
    kept = [_inline(line.rstrip()) for line in lines if not _MARKUP.match(line) and line.strip() != "::"]
    kept = [_REMARK.sub(lambda found: f"{found[1]}{found[2].capitalize()}: {found[3]}".rstrip(), one) for one in kept]
    text = re.sub(r"\n{3,}", "\n\n", "\n".join(kept))
    return text.strip("\n")


def _inline(line: str) -> str:
    return _LITERAL.sub(r"\1", _ROLE.sub(r"\1", line))
