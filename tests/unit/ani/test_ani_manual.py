"""``search-manual``: off unless asked for, budgeted, recorded, and the best section first."""

from __future__ import annotations

import pytest

from pytest_netbench.ani.extras import EXTRAS
from pytest_netbench.ani.interface import AgentInterface
from pytest_netbench.ani.manual import SECTION_BYTES, SECTIONS, Reference, search, tokens
from pytest_netbench.ani.methods import METHODS
from pytest_netbench.ani.policy import Policy
from pytest_netbench.dialects.base import ManualSection
from pytest_netbench.errors import AniError, BudgetExhausted
from pytest_netbench.model.extra_methods import SEARCH_MANUAL
from pytest_netbench.model.task import Budget
from pytest_netbench.rpccodes import Code
from tests.support.login import LoginDialect
from tests.support.memory_lab import DIALECTS, chain

ON = Policy(extras=frozenset({SEARCH_MANUAL}))


def ani_of(policy=ON, *, dialects=None, **limits) -> AgentInterface:
    known = dialects or {"memory": LoginDialect()}
    return AgentInterface(chain(), policy=policy, budget=Budget(**limits), dialects=known)


def titles(ani, query: str, **params) -> list[str]:
    return [section["title"] for section in ani.call(SEARCH_MANUAL, {"query": query, **params})["sections"]]


def test_it_is_no_method_of_the_draft():
    assert SEARCH_MANUAL not in METHODS
    assert SEARCH_MANUAL in EXTRAS


@pytest.mark.parametrize("policy", [Policy(), Policy(methods=frozenset({SEARCH_MANUAL}))])
def test_it_is_refused_unless_it_is_switched_on(policy):
    with pytest.raises(AniError, match="method 'search-manual' is switched off") as caught:
        ani_of(policy).call(SEARCH_MANUAL, {"query": "route"})
    assert caught.value.code == Code.POLICY_DENIED


def test_it_needs_no_place_among_the_permitted_methods():
    policy = Policy(methods=frozenset({"get-topology"}), extras=frozenset({SEARCH_MANUAL}))
    assert titles(ani_of(policy), "route")


def test_the_best_section_comes_first():
    ani = ani_of()
    assert titles(ani, "limit the rate")[0] == "rate BPS"
    assert titles(ani, "Routes?") == ["route PREFIX via ADDRESS", "mark DSCP"]


def test_a_section_says_which_platform_it_is_of():
    (first, *_) = ani_of().call(SEARCH_MANUAL, {"query": "dscp"})["sections"]
    assert first == {
        "platform": "memory",
        "title": "mark DSCP",
        "text": "Sets the DSCP of flows that pass, whatever route they take.",
    }


def test_what_nothing_speaks_of_finds_nothing():
    assert titles(ani_of(), "spanning tree") == []


def test_a_query_without_a_word_is_refused():
    with pytest.raises(AniError, match="the query has no word to look for"):
        ani_of().call(SEARCH_MANUAL, {"query": " ?! "})


def test_a_platform_that_the_lab_does_not_have_is_named():
    with pytest.raises(AniError, match=r"unknown platform 'memroy' \(known: 'memory'\)\. Did you mean 'memory'\?"):
        ani_of().call(SEARCH_MANUAL, {"query": "route", "platform": "memroy"})
    assert titles(ani_of(), "route", platform="memory")


def test_a_lab_without_a_manual_says_so():
    with pytest.raises(AniError, match="there is no manual here for memory"):
        ani_of(dialects=DIALECTS).call(SEARCH_MANUAL, {"query": "route"})


def test_a_long_query_is_refused():
    with pytest.raises(AniError, match="'query' has 401 characters; at most 400"):
        ani_of().call(SEARCH_MANUAL, {"query": "x" * 401})


def test_a_search_is_a_call_and_is_recorded():
    ani = ani_of(calls=1)
    titles(ani, "route")
    assert ani.steps[0].data["method"] == SEARCH_MANUAL
    assert ani.steps[0].data["result"]["sections"][0]["title"] == "route PREFIX via ADDRESS"
    with pytest.raises(BudgetExhausted):
        titles(ani, "route")


def test_at_most_five_sections_of_four_kilobytes_are_answered():
    class Verbose(LoginDialect):
        def manual(self):
            return [ManualSection(title=f"rate {number}", text="rate " * 5_000) for number in range(20)]

    sections = search({"memory": Verbose()}, "rate")
    assert len(sections) == SECTIONS
    assert all(len(section.text.encode()) < SECTION_BYTES + 100 for section in sections)


def test_a_word_of_the_title_weighs_more_than_one_of_the_text():
    reference = Reference(
        [
            ManualSection(title="neighbor", text="speaks of ospf cost and metrics"),
            ManualSection(title="ip ospf cost", text="sets what a link is worth"),
        ]
    )
    assert reference.best(tokens("ospf cost"))[0][1].title == "ip ospf cost"


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("ip ospf Cost", ["ip", "ospf", "cost"]),
        ("policies classes routes", ["policy", "class", "route"]),
        ("dhcp-pools; as-path", ["dhcp", "pool", "as", "path"]),
        ("access bus", ["access", "bus"]),
    ],
)
def test_words_are_compared_without_case_and_plural(text, words):
    assert tokens(text) == words
