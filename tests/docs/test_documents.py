"""All documents: links resolve, commands exist, code blocks are valid, and nothing is described that does not exist."""

from __future__ import annotations

import json
import re
import tomllib
from pathlib import Path

import pytest
import yaml

from tests.support.doc_examples import PAGES, ROOT
from tests.support.task_list import cluster_files, lab_files, p4_files

DOCS = [page for page in PAGES if page.is_relative_to(ROOT / "docs")]
FENCE = re.compile(r"^ *```(\w*)\n(.*?)^ *```$", re.MULTILINE | re.DOTALL)
PARSERS = {
    "yaml": yaml.safe_load,
    "json": json.loads,
    "toml": tomllib.loads,
    "python": lambda text: compile(text, "example", "exec"),
}


def name(page: Path) -> str:
    return str(page.relative_to(ROOT))


def prose(page: Path) -> str:
    return FENCE.sub("", page.read_text(encoding="utf-8"))


def anchors(page: Path) -> set[str]:
    """The anchors that GitHub gives to headings."""
    headings = re.findall(r"^#+ (.+)$", prose(page), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


def links(page: Path) -> list[str]:
    return re.findall(r"\]\(([^)\s]+)\)", re.sub(r"`[^`]*`", "", prose(page)))


def blocks() -> list[tuple[str, str, str]]:
    return [
        (name(page), language, text)
        for page in PAGES
        for language, text in FENCE.findall(page.read_text(encoding="utf-8"))
        if language in PARSERS
    ]


@pytest.mark.parametrize("page", PAGES, ids=name)
def test_every_relative_link_leads_to_a_file_and_a_heading(page):
    for link in links(page):
        if "://" in link:
            continue
        path, _, anchor = link.partition("#")
        target = (page.parent / path).resolve() if path else page
        assert target.exists(), link
        assert target.is_relative_to(ROOT), link
        assert not anchor or anchor in anchors(target), link


def test_every_page_is_reached_from_the_index():
    reached, waiting = set(), [ROOT / "docs/index.md"]
    while waiting:
        page = waiting.pop()
        if page in reached or page.suffix != ".md":
            continue
        reached.add(page)
        waiting += [(page.parent / link.partition("#")[0]).resolve() for link in links(page) if "://" not in link]
    assert [name(page) for page in DOCS if page not in reached] == []


@pytest.mark.parametrize(("page", "language", "text"), blocks(), ids=lambda value: value if len(value) < 50 else "")
def test_every_block_of_code_is_well_formed(page, language, text):
    PARSERS[language](text)


@pytest.mark.parametrize("page", PAGES, ids=name)
def test_every_make_target_that_is_named_exists(page):
    targets = set(re.findall(r"^([\w-]+):", (ROOT / "Makefile").read_text(), re.MULTILINE))
    named = re.findall(r"(?:^ +|`)make ([a-z-]+)", page.read_text(encoding="utf-8"), re.MULTILINE)
    assert set(named) <= targets


def test_the_readme_begins_with_the_two_commands():
    assert re.findall(r"^    make (\w+)", (ROOT / "README.md").read_text(), re.MULTILINE)[:2] == ["bench", "test"]
    assert (ROOT / "README.md").read_text().splitlines()[2].startswith("    make bench")


def test_the_number_of_tasks_in_files_is_that_of_the_files():
    words = {
        "fifty-nine": 59,
        "sixty": 60,
        "sixty-one": 61,
        "sixty-two": 62,
        "sixty-five": 65,
        "seventy": 70,
        "eighty": 80,
    }
    (said,) = re.findall(r"the (\S+) tasks in files", (ROOT / "README.md").read_text())
    assert words[said] == len(lab_files())


def test_the_tasks_on_kubernetes_are_counted_apart():
    (said,) = re.findall(r"(\S+) on Kubernetes", (ROOT / "README.md").read_text())
    assert {"five": 5, "six": 6, "seven": 7}[said] == len(cluster_files())


def test_the_tasks_on_p4_switches_are_counted_apart():
    (said,) = re.findall(r"and (\S+) on P4 switches", (ROOT / "README.md").read_text())
    assert {"one": 1, "two": 2, "three": 3}[said] == len(p4_files())


@pytest.mark.parametrize("page", PAGES, ids=name)
def test_no_page_speaks_of_what_only_its_makers_have(page):
    text = page.read_text(encoding="utf-8")
    assert "/work/" not in text
    assert "shared/" not in text


def test_no_option_and_no_subcommand_is_used_that_does_not_exist():
    from pytest_netbench.cli import main as cli
    from tests.docs.test_plugin_reference import options

    (commands,) = [action for action in cli.parser()._actions if action.dest == "command"]
    for page in PAGES:
        text = page.read_text(encoding="utf-8")
        assert set(re.findall(r"--netbench-[a-z-]+[a-z]", text)) <= set(options()), name(page)
        assert set(re.findall(r"(?:`|\$ |^ {4})netbench ([a-z][a-z0-9]*)", text, re.MULTILINE)) <= set(
            commands.choices
        ), name(page)


def test_the_architecture_fits_on_a_page_and_names_the_layers_in_order():
    text = (ROOT / "ARCHITECTURE.md").read_text()
    assert len(text.splitlines()) <= 80
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())
    layers = project["tool"]["importlinter"]["contracts"][0]["layers"]
    named = [
        word.removesuffix("/").removesuffix(".py")
        for line in re.findall(r"^    ([a-z_/|. ]+?)  ", text.partition("## Layers")[2], re.MULTILINE)
        for word in line.split(" | ")
    ]
    assert named == [part for layer in layers for part in layer.split(" | ")]


def test_the_decisions_are_numbered_and_listed():
    folder = ROOT / "docs/adr"
    pages = sorted(folder.glob("0*.md"))
    numbers = [page.name[:4] for page in pages]
    assert len(set(numbers)) == len(numbers)
    for page in pages:
        title = page.read_text().splitlines()[0].removeprefix("# ")
        assert title.startswith(page.name[:4])
        assert f"- [{title}]({page.name})" in (folder / "README.md").read_text()


def test_the_glossary_has_each_word_once_and_in_order():
    rows = re.findall(r"^\| \*\*([\w -]+)\*\*", (ROOT / "docs/glossary.md").read_text(), re.MULTILINE)
    assert len(rows) > 30
    assert rows == sorted(set(rows), key=str.lower)


def test_the_changelog_names_the_versions_of_the_scorers():
    from pytest_netbench import parts

    text = (ROOT / "CHANGELOG.md").read_text()
    for scorer in (parts.load("scorers", one)() for one in parts.names("scorers")):
        assert f"`{scorer.name}/{scorer.version}`" in text


def test_every_folder_of_tests_is_described():
    text = (ROOT / "CONTRIBUTING.md").read_text()
    folders = {page.relative_to(ROOT / "tests").parts[0] for page in ROOT.glob("tests/*/**/test_*.py")}
    assert sorted(re.findall(r"^\| `tests/(\w+)` \|", text, re.MULTILINE)) == sorted(folders)
