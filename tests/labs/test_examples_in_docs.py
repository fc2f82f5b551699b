"""Pages whose examples need a lab: what they print is what happens."""

from __future__ import annotations

from pathlib import Path

import pytest

from pytest_netbench.backends.netns.machine.doctor import lacks
from tests.support.doc_examples import ROOT, pages, run


@pytest.mark.parametrize("page", pages(with_labs=True), ids=lambda page: str(page.relative_to(ROOT)))
def test_the_examples_that_need_a_lab_come_out_as_written(page: Path, tmp_path: Path):
    lack = lacks((), {"frr", "linux"})
    if lack is not None:
        pytest.skip(f"{lack[0]} (fix: {lack[1]})")
    run(page, tmp_path)
