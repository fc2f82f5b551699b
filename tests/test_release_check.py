"""``make release-check``: what it reads and refuses, and a wheel built from the source distribution."""

from __future__ import annotations

import importlib.util
import subprocess
import sys
from pathlib import Path
from types import ModuleType

import pytest

ROOT = Path(__file__).parents[1]


@pytest.fixture(scope="module")
def release() -> ModuleType:
    spec = importlib.util.spec_from_file_location("release_check", ROOT / "scripts/release_check.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_the_commands_of_the_readme_are_found_without_their_remarks(release):
    assert release.commands_of((ROOT / "README.md").read_text()) == [
        "netbench doctor",
        "netbench init bench && cd bench",
        "pytest tasks/ --agent=oracle -n auto",
    ]


@pytest.mark.parametrize("readme", ["", "## Without a checkout\n\n    netbench doctor\n"])
def test_a_readme_without_them_is_not_ready(release, readme):
    with pytest.raises(release.NotReady, match="whose first command is 'pip install pytest-netbench'"):
        release.commands_of(readme)


@pytest.mark.parametrize(
    ("changelog", "words"),
    [
        ("# Changelog\n\n## 1.2.30\n\n- A.\n", "no section for version 1.2.3"),
        ("# Changelog\n\n## 1.2.3 (2026-01-01)\n\n## 1.2.2\n\n- A.\n", "says nothing"),
    ],
)
def test_a_version_that_the_changelog_does_not_know_is_not_ready(release, changelog, words):
    with pytest.raises(release.NotReady, match=words):
        release.check_changelog(changelog, "1.2.3")


def test_the_changelog_of_this_checkout_knows_its_version(release):
    import pytest_netbench

    release.check_changelog((ROOT / "CHANGELOG.md").read_text(), pytest_netbench.__version__)


def test_files_that_are_not_committed_are_named(release):
    release.check_tree("")
    with pytest.raises(release.NotReady, match=r"commit or remove them first:\n M README\.md"):
        release.check_tree(" M README.md\n")


def test_a_program_that_fails_is_told_with_what_it_printed(release):
    with pytest.raises(release.NotReady, match=r"ended with 3:\nit is so"):
        release.run(sys.executable, "-c", "print('it is so'); raise SystemExit(3)")


def test_the_wheel_of_the_source_distribution_has_all_that_is_committed(release, tmp_path):
    _, wheel = release.build(ROOT, tmp_path)
    listed = ["git", "ls-files", "pytest_netbench", "tasks", "agents", "container"]
    tracked = subprocess.run(listed, cwd=ROOT, capture_output=True, text=True, check=True).stdout.split()
    release.check_contents(wheel, tracked)
    with pytest.raises(release.NotReady, match=r"lacks 1 committed files, tasks/new\.task\.yaml for one"):
        release.check_contents(wheel, [*tracked, "tasks/new.task.yaml"])
