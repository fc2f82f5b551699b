"""tasks/README.md names every shipped task with its size."""

from __future__ import annotations

from tests.support.task_list import PAGE, files, page


def test_the_list_of_shipped_tasks_is_what_the_files_say():
    assert PAGE.read_text("utf-8") == page(), "python -m tests.support.task_list"


def test_the_benchmark_has_the_forty_tasks_of_the_draft_and_more():
    of_ios = [path for path in files() if "platform: cisco_ios" in path.read_text("utf-8") or path.suffix == ".json"]
    per_domain = {
        domain: sum(path.parent.name == domain for path in of_ios) for domain in ("routing", "qos", "security")
    }
    assert len(of_ios) >= 40
    assert [per_domain["routing"] >= 16, per_domain["qos"] >= 10, per_domain["security"] >= 12] == [True, True, True]
