"""Examples that need no lab come out as written; and the runner of examples sees when one does not."""

from __future__ import annotations

import pytest

from tests.support.doc_examples import ROOT, examples, matches, pages, run


@pytest.mark.parametrize("page", pages(with_labs=False), ids=lambda page: str(page.relative_to(ROOT)))
def test_the_examples_that_need_no_lab_come_out_as_written(page, tmp_path):
    run(page, tmp_path)


@pytest.mark.parametrize(
    ("written", "shown"),
    [
        ("1 passed in 2.08s", "=== 1 passed in 11.20s ===".strip("= ")),
        ("a\n…\nd", "a\nb\nc\nd\n"),
        ("a\n…", "a\n"),
        ("wrote … tasks", "wrote 12 tasks"),
        ("==== x ====", "========= x ====="),
        ("results: .netbench/20261121T082737.098706Z", "results: .netbench/20270101T000000.000001Z"),
    ],
)
def test_what_varies_is_not_compared(written, shown):
    assert matches(written, shown)


@pytest.mark.parametrize(
    ("written", "shown"), [("a", "b"), ("a", "a\nb"), ("a\nb", "a"), ("2 passed in 1s", "1 passed in 1s"), ("", "x")]
)
def test_what_does_not_vary_is_compared(written, shown):
    assert not matches(written, shown)


def test_a_command_that_fails_is_seen(tmp_path):
    page = tmp_path / "page.md"
    page.write_text("<!-- run -->\n```console\n$ false\n```\n")
    folder = tmp_path / "folder"
    folder.mkdir()
    with pytest.raises(AssertionError, match="exit status 1"):
        run(page, folder)


def test_files_are_written_where_the_commands_before_them_went(tmp_path):
    page = tmp_path / "page.md"
    page.write_text(
        "<!-- run -->\n```console\n$ mkdir inner && cd inner\n```\n\n<!-- file: a/b.txt -->\n```text\nhello\n```\n\n"
        "<!-- run -->\n```console\n$ cat a/b.txt\nhello\n```\n"
    )
    folder = tmp_path / "folder"
    folder.mkdir()
    run(page, folder)
    assert (folder / "inner/a/b.txt").read_text() == "hello\n"


def test_fences_without_a_mark_are_not_run():
    assert examples("```console\n$ rm -rf /\n```\n") == []
