"""The tests that the gate runs on a commit: none is left out for ever, and the gate only leaves out what it may."""

from __future__ import annotations

import subprocess
from pathlib import Path
from typing import NamedTuple

import pytest

from tests.support.sampling import (
    FIRST,
    MODULES_OF,
    NUMBER,
    PARTS,
    SHARES,
    TESTS_OF,
    is_of_commit,
    left_out,
    longest_first,
    number_of_commit,
)

ROOT = Path(__file__).parents[2]


class Item(NamedTuple):
    nodeid: str
    path: Path


ITEMS = [
    Item(f"{name}::test_{number}", ROOT / name if name.endswith(".py") else ROOT / name / f"test_{number}.py")
    for name in SHARES
    for number in range(40)
]
OTHER = Item("tests/unit/test_text.py::test_one", ROOT / "tests/unit/test_text.py")


def test_what_is_sampled_exists() -> None:
    assert [name for name in SHARES if not (ROOT / name).exists()] == []


@pytest.mark.parametrize("first", [0, 926])
def test_ten_commits_in_a_row_run_every_test(first: int) -> None:
    numbers = range(first, first + PARTS)
    assert [item for item in ITEMS if not any(is_of_commit(item, number) for number in numbers)] == []
    assert max(SHARES.values()) <= PARTS


def test_the_share_of_a_commit_is_the_one_that_is_named() -> None:
    for name, count in SHARES.items():
        items = [item for item in ITEMS if item.nodeid.startswith(f"{name}::")]
        assert sum(is_of_commit(item, 17) for item in items) == pytest.approx(len(items) / count, abs=9)


@pytest.mark.parametrize("number", range(PARTS))
def test_the_tests_of_a_module_that_share_labs_run_on_the_same_commits(number: int) -> None:
    (folder, *_) = MODULES_OF
    path = ROOT / folder / "test_one.py"
    run = {is_of_commit(Item(f"{folder}/test_one.py::test_{count}", path), number) for count in range(40)}
    assert len(run) == 1


def test_a_module_that_is_named_itself_does_not_take_the_share_of_its_folder() -> None:
    inside = [name for name in TESTS_OF if any(Path(name).is_relative_to(folder) for folder in MODULES_OF)]
    assert inside
    for name in inside:
        items = [item for item in ITEMS if item.nodeid.startswith(f"{name}::")]
        assert sum(is_of_commit(item, 3) for item in items) == pytest.approx(len(items) / TESTS_OF[name], abs=9)


def test_the_longest_begin_first_and_all_others_keep_their_order() -> None:
    slow = [Item(f"{name}::test_one", ROOT / name) for name in FIRST]
    assert all(one.path.is_file() for one in slow)
    assert longest_first([OTHER, *reversed(slow), OTHER._replace(nodeid="another")]) == [
        *slow,
        OTHER,
        OTHER._replace(nodeid="another"),
    ]


def test_all_run_outside_the_gate_and_most_modules_always(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(NUMBER, raising=False)
    assert left_out(ITEMS) == []
    monkeypatch.setenv(NUMBER, "17")
    assert 0 < len(left_out([*ITEMS, OTHER])) < len(ITEMS)
    assert OTHER not in left_out([*ITEMS, OTHER])


def test_the_number_of_a_commit_is_that_of_its_first_parents_and_unknown_in_a_shallow_clone(tmp_path: Path) -> None:
    def git(*words: str) -> None:
        subprocess.run(
            ["git", "-C", str(tmp_path / "one"), "-c", "user.name=n", "-c", "user.email=e@x", *words], check=True
        )

    (tmp_path / "one").mkdir()
    git("init", "--quiet", "--initial-branch=main")
    for _ in range(3):
        git("commit", "--quiet", "--allow-empty", "--message=one more")
    git("checkout", "--quiet", "-b", "side")
    git("commit", "--quiet", "--allow-empty", "--message=beside")
    git("commit", "--quiet", "--allow-empty", "--message=beside")
    git("checkout", "--quiet", "main")
    git("merge", "--quiet", "--no-ff", "--message=merge", "side")
    assert number_of_commit(tmp_path / "one") == 4

    shallow = ["git", "clone", "--quiet", "--depth=1", f"file://{tmp_path / 'one'}", str(tmp_path / "two")]
    subprocess.run(shallow, check=True)
    assert number_of_commit(tmp_path / "two") is None
    (tmp_path / "no-repository").mkdir()
    assert number_of_commit(tmp_path / "no-repository") is None
