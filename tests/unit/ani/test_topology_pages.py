from __future__ import annotations

import pytest

from pytest_netbench.ani.topology_pages import LINKS, page_of
from pytest_netbench.ani.wire import TopologyView
from pytest_netbench.errors import AniError


def view_of(links: int) -> TopologyView:
    return TopologyView(
        nodes=("R1", "R2"),
        links=tuple(f"R1 eth{number} <-> R2 eth{number}" for number in range(links)),
        control={"R1": "observed", "R2": "foreign"},
        services={"R2": ("dns",)},
    )


@pytest.mark.parametrize(("links", "pages"), [(0, 1), (1, 1), (LINKS, 1), (LINKS + 1, 2), (2 * LINKS + 1, 3)])
def test_pages_together_have_each_link_once_and_in_order(links, pages):
    view = view_of(links)
    results = [page_of(view, number + 1) for number in range(pages)]
    assert [one.pages for one in results] == [pages] * pages
    assert tuple(link for one in results for link in one.topology.links) == view.links


def test_only_the_first_page_has_what_is_not_a_link():
    view = view_of(LINKS + 1)
    assert page_of(view, 1).topology == view.model_copy(update={"links": view.links[:LINKS]})
    assert page_of(view, 2).plain()["topology"] == {"nodes": [], "links": [view.links[-1]]}


def test_a_page_that_does_not_exist_is_refused_with_the_number_of_pages():
    with pytest.raises(AniError, match="there is no page 3, only 2"):
        page_of(view_of(LINKS + 1), 3)
