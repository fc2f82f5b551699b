"""Task files that somebody may mean who gives a name that is no file."""

from __future__ import annotations

from pathlib import Path

import pytest

from pytest_netbench.taskfile.nearby import MOST_NAMED, did_you_mean, exists, meant


@pytest.fixture
def here(tmp_path, monkeypatch):
    for name in ("tasks/routing/two-sites.task.yaml", "tasks/qos/voice.task.json", ".venv/two-sites.task.yaml"):
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("")
    (tmp_path / "tasks" / "routing" / "notes.yaml").write_text("")
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.parametrize(
    "text",
    [
        "two-sites",
        "two-sites.task.yaml",
        "Two-Sites",
        "two-sits",
        "sites",
        "two-sites:n=1",
        "no/such/two-sites.task.yaml",
        "two-sites.yaml",
    ],
)
def test_a_file_is_found_by_its_name_by_a_part_of_it_and_by_one_with_a_mistake(here, text):
    assert meant(text) == (Path("tasks/routing/two-sites.task.yaml"),)
    assert did_you_mean(text) == " Did you mean tasks/routing/two-sites.task.yaml?"


@pytest.mark.parametrize("text", ["notes", "repair", "x", "", "ta", "a" * 5000])
def test_what_is_near_no_task_file_names_none(here, text):
    assert meant(text) == ()
    assert not exists("a" * 5000)


def test_several_near_files_are_all_named_up_to_three(here):
    for number in range(9):
        (here / f"site-{number}.task.yaml").write_text("")
    assert len(meant("site-")) == MOST_NAMED
    assert meant("site-1")[0] == Path("site-1.task.yaml")


def test_a_shipped_task_is_named_if_the_working_directory_has_none_that_is_near(here):
    assert did_you_mean("anti-spoofing").endswith("tasks/security/anti-spoofing.task.yaml?")
