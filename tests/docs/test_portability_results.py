"""The page of results has the form that ``netbench portability --page`` writes, and its sums are those of its rows."""

from __future__ import annotations

import re

from pytest_netbench.portability.page import COLUMNS, HEAD
from pytest_netbench.taskfile import load_task
from tests.support.doc_examples import ROOT
from tests.support.task_list import lab_files

PAGE = (ROOT / "docs/reference/portability-results.md").read_text()
ROW = re.compile(
    r"^\| (?P<task>[a-z0-9-]+) \| (?P<work>(?:oracle|nop|(?:right|wrong): .+)) \| (?:(?P<share>\d+)% of (?P<of>\d+)|-)"
    r" \| (?P<counts>\d+ \| \d+ \| \d+ \| \d+) \| (?P<once>\d+) \|$"
)
EXTENT = re.compile(
    r"^Run: (?P<tasks>\d+) of (?P<of>\d+) tasks, (?P<works>\d+) works, \d{4}-\d\d-\d\d(?: to \d{4}-\d\d-\d\d)?\."
    r" (?P<equal>\d+) of these have no difference, and (?P<flows>[\d,]+) of (?P<recorded>[\d,]+) of the recorded flows"
    r" were compared\.$",
    re.MULTILINE,
)
NOT_RUN = re.compile(r"^- .+: (\d+) tasks? \(([a-z0-9, -]+)\)$", re.MULTILINE)


def rows() -> list[re.Match[str]]:
    lines = PAGE.splitlines()
    begin = lines.index(COLUMNS)
    found = []
    for line in lines[begin + 2 :]:
        if not line:
            break
        row = ROW.match(line)
        assert row, line
        found.append(row)
    return found


def differing(row: re.Match[str]) -> bool:
    return any(int(one) for one in row["counts"].split(" | "))


def test_the_page_begins_as_written_and_names_versions_and_images() -> None:
    assert PAGE.startswith(HEAD)
    assert "## netns and containerlab\n" in PAGE
    assert re.search(r"^- `netns`: frr \S+", PAGE, re.MULTILINE)
    (told,) = re.findall(r"^- `containerlab`: (.+)", PAGE, re.MULTILINE)
    assert re.fullmatch(r"containerlab \S+.*, docker \S+, frr \S+, .*frr from `\S+`.*", told)


def test_the_sums_are_those_of_the_rows() -> None:
    extent, found = EXTENT.search(PAGE), rows()
    assert extent
    assert int(extent["works"]) == len(found)
    assert int(extent["tasks"]) == len({row["task"] for row in found})
    assert int(extent["equal"]) == sum(not differing(row) for row in found)
    assert int(extent["recorded"].replace(",", "")) == sum(int(row["of"] or 0) for row in found)
    for row in found:
        assert (f"### {row['task']}, {row['work']}\n" in PAGE) == differing(row)


def test_every_shipped_task_is_run_or_named_with_the_reason() -> None:
    tasks = {row["task"] for row in rows()}
    for count, named in NOT_RUN.findall(PAGE):
        slugs = named.split(", ")
        assert int(count) == len(slugs)
        assert not tasks & set(slugs)
        tasks |= set(slugs)
    extent = EXTENT.search(PAGE)
    assert extent
    assert tasks == {load_task(path).slug for path in lab_files()}
    assert int(extent["of"]) == len(tasks)
