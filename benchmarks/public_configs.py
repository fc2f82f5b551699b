"""Read public configurations with a dialect, and compare what it reads with what it writes.

    python benchmarks/public_configs.py DIALECT LIST FOLDER

LIST is a table with tabs and a head line: repository, commit, path, sha256, license, use. FOLDER has a clone of each
repository, as ``OWNER+NAME`` (a bare one, or one in a folder ``repo`` below it). Files whose ``use`` is ``used`` are
checked. A file whose SHA-256 is another one is an error. For each file:

- *rendered*: what ``render`` writes is read into the same tree.
- *set form*: so is what ``render_set`` writes, for a syntax that has it.
- *diff*: the lines that the command score sees removed and added between the file before it and this one, as commands,
  make the lines of the first file those of this one.
- *itself*: the command score's diff of the file with what is read of its rendered text is empty.
"""

from __future__ import annotations

import argparse
import csv
import hashlib
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

from pytest_netbench import parts
from pytest_netbench.dialects.base import Dialect
from pytest_netbench.dialects.syntax import Edit, Syntax, Tree
from pytest_netbench.dialects.syntax import Path as Place
from pytest_netbench.scorers.config_tree import nodes
from pytest_netbench.scorers.diff import diff, walk
from pytest_netbench.scorers.lines import Lines

CHECKS = ("rendered", "set form", "diff", "itself")


def files(table: Path, folder: Path) -> Iterator[tuple[str, str]]:
    """Yield name and text of the files of a list that are used.

    Raises:
        ValueError: A file is not the one of the list.
    """
    with table.open(encoding="utf-8", newline="") as opened:
        for row in csv.DictReader(opened, delimiter="\t"):
            if row["use"] == "used":
                data = _blob(folder / row["repository"].replace("/", "+"), row["commit"], row["path"])
                name = f"{row['repository']}:{row['path']}"
                if hashlib.sha256(data).hexdigest() != row["sha256"]:
                    raise ValueError(f"{name} is not the file of the list: its SHA-256 is another one")
                yield name, data.decode("utf-8", errors="replace")


def _blob(clone: Path, commit: str, path: str) -> bytes:
    directory = clone / "repo" if (clone / "repo").is_dir() else clone
    return subprocess.run(
        ["git", "-C", str(directory), "show", f"{commit}:{path}"], check=True, capture_output=True
    ).stdout


def checked(dialect: Dialect, before: str, text: str) -> dict[str, bool]:
    """Return which checks a text passes, after another one."""
    syntax = dialect.syntax
    tree = syntax.parse(text)
    rendered = syntax.parse(syntax.render(tree))
    found = {"rendered": rendered == tree}
    if hasattr(syntax, "render_set"):
        found["set form"] = syntax.parse(syntax.render_set(tree)) == tree
    lines = Lines(dialect)
    found["itself"] = not list(walk(diff(lines, lines.canonical(nodes(tree)), lines.canonical(nodes(rendered)))))
    found["diff"] = after_commands(syntax, before, commands(dialect, before, text)) == Counter(syntax.paths(text))
    return found


def commands(dialect: Dialect, before: str, text: str) -> list[str]:
    """Return commands for what the diff of the command score, in the lines of the configs, removes and adds."""
    syntax, lines = dialect.syntax, Lines(dialect)
    changes = [
        (path[-1].mark, tuple(one.line for one in path))
        for path in walk(diff(lines, nodes(syntax.parse(before)), nodes(syntax.parse(text))))
    ]
    removed = [path for mark, path in changes if mark == "-"]
    return [
        *(command for path in removed if path[:-1] not in removed for command in syntax.negate(path)),
        *added(syntax, [path for mark, path in changes if mark == "+"]),
    ]


def added(syntax: Syntax, paths: Sequence[Place]) -> list[str]:
    """Return commands that set lines: ``set`` lines, or the lines of a config below those above them."""
    write = getattr(syntax, "render_set", syntax.render)
    return [line for path in paths for line in write(_nested(path)).splitlines()]


def _nested(path: Place) -> tuple[Tree, ...]:
    return ((path[0], _nested(path[1:])),) if path else ()


def after_commands(syntax: Syntax, before: str, lines: Sequence[str]) -> Counter[Place]:
    """Return the lines of a config after commands, each with the lines above it, in no order."""
    found = Counter(syntax.paths(before))
    for edit in syntax.edits(lines):
        if edit.removes:
            found = Counter({path: count for path, count in found.items() if not _is_meant(path, edit)})
        else:
            found |= Counter([edit.path[:depth] for depth in range(1, len(edit.path) + 1)])
    return found


def _is_meant(path: Place, edit: Edit) -> bool:
    """Whether an edit removes a line, or one above it."""
    depth = len(edit.path) - 1
    return (
        len(path) > depth and path[:depth] == edit.path[:depth] and f"{path[depth]} ".startswith(f"{edit.path[depth]} ")
    )


def main() -> int:
    """Print the checks of each file, and their sums; return 1 if one failed."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("dialect", choices=parts.names("dialects"))
    parser.add_argument("list", type=Path)
    parser.add_argument("folder", type=Path)
    options = parser.parse_args()
    dialect: Dialect = parts.load("dialects", options.dialect)()
    passed: Counter[str] = Counter()
    count, lines, before = 0, 0, ""
    for name, text in files(options.list, options.folder):
        found = checked(dialect, before, text)
        passed.update(check for check, is_right in found.items() if is_right)
        count, lines, before = count + 1, lines + len(dialect.syntax.paths(text)), text
        failed = [check for check, is_right in found.items() if not is_right]
        print(f"{'FAILED ' + ', '.join(failed) if failed else 'passed':12} {name}")
    print(f"{count} files, {lines} lines; " + ", ".join(f"{check}: {passed[check]}" for check in CHECKS))
    return int(any(0 < passed[check] < count for check in CHECKS) or not passed["rendered"])


if __name__ == "__main__":
    raise SystemExit(main())
