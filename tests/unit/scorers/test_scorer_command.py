from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pytest_netbench.model.score import Score
from pytest_netbench.scorers.command import CommandScorer, f1_of
from pytest_netbench.scorers.netconfbench import DraftCommandScorer
from tests.support.records import Rules, configs_record, ran, record, task

INITIAL = """\
hostname R1
!
interface e0
 address 10.0.0.1/24
exit
list OLD 5 permit 10.1.0.0/16
list OLD 10 permit 10.2.0.0/16
"""

TRUTH = f"""\
{INITIAL}list OUT 5 deny 10.9.0.0/16
list OUT 10 permit 10.0.0.0/8
map EXPORT 10
 match OUT
 set metric 5
map EXPORT 20
router
 peer 10.0.0.2
  filter OUT
  apply EXPORT
"""


def command(*, final: str, truth: str = TRUTH, initial: str = INITIAL, **more: Any) -> Score:
    found = CommandScorer(dialects={"small": Rules()}).score(
        configs_record(initial=initial, final=final, truth=truth, **more)
    )
    assert found.scorer == "command/2"
    return found


def test_the_ground_truth_itself_scores_one():
    assert command(final=TRUTH).value == 1.0


def test_an_agent_that_changed_nothing_scores_zero():
    found = command(final=INITIAL)
    assert found.value == 0.0
    assert found.evidence["generated"] == 0
    assert found.evidence["expected"] == 10


def test_nothing_to_change_and_nothing_changed_scores_one():
    assert command(final=INITIAL, truth=INITIAL).value == 1.0


def test_a_change_where_none_was_asked_scores_zero():
    assert command(final=INITIAL + "clock on\n", truth=INITIAL).value == 0.0


def test_other_names_and_numbers_score_the_same():
    final = TRUTH.replace("OUT", "101").replace("EXPORT", "to-isp").replace("10 permit 10.0", "700 permit 10.0")
    final = final.replace("map to-isp 20", "map to-isp 999")
    found = command(final=final)
    assert found.value == 1.0
    assert found.evidence["renamed"] == {"R1": {"list": {"101": "OUT"}, "map": {"to-isp": "EXPORT"}}}
    assert found.evidence["renaming_exact"] is True


def test_a_name_used_otherwise_than_defined_does_not_match():
    found = command(final=TRUTH.replace("filter OUT", "filter OTHER"))
    assert found.evidence["missing"] == ["R1: + router / peer 10.0.0.2 / filter OUT"]
    assert found.evidence["superfluous"] == ["R1: + router / peer 10.0.0.2 / filter OTHER"]


def test_two_names_for_one_do_not_both_match():
    final = TRUTH.replace("match OUT", "match COPY")
    assert command(final=final).evidence["matched"] == 9


def test_one_name_for_two_does_not_match_both():
    truth = "list A 5 permit x\nlist B 5 permit y\n"
    assert command(initial="", truth=truth, final="list N 5 permit x\nlist N 10 permit y\n").evidence["matched"] == 1


def test_names_swapped_between_uses_are_the_same_configuration():
    truth = "list A 5 permit x\nlist B 5 permit y\nfilter A\n"
    final = "list B 5 permit x\nlist A 5 permit y\nfilter B\n"
    assert command(initial="", truth=truth, final=final).value == 1.0


def test_a_name_that_was_there_before_is_not_free():
    truth = INITIAL + "filter OLD\n"
    assert command(final=INITIAL + "filter NEW\n", truth=truth).value == 0.0


def test_free_text_matches_free_text_once():
    truth = "interface e0\n note to the core\ninterface e1\n note to the edge\n"
    assert command(initial="", truth=truth, final=truth.replace("to the ", "uplink ")).value == 1.0
    assert (
        command(initial="", truth=truth, final=truth.replace("core", "x").replace("edge", "x")).evidence["matched"] == 3
    )


def test_two_entries_of_a_list_swapped_lower_the_score():
    truth = "list A 5 deny x\nlist A 10 permit y\nlist A 15 permit z\n"
    final = "list A 5 permit y\nlist A 10 deny x\nlist A 15 permit z\n"
    found = command(initial="", truth=truth, final=final)
    assert found.evidence["matched"] == 2
    assert found.value == pytest.approx(2 / 3, abs=1e-6)


def test_the_order_of_other_lines_does_not_matter():
    assert command(initial="", truth="a\nb\nc\n x\n y\n", final="c\n y\n x\nb\na\n").value == 1.0


def test_the_order_of_two_lists_among_each_other_does_not_matter():
    truth = "list A 5 permit x\nlist B 5 permit y\n"
    assert command(initial="", truth=truth, final="list B 5 permit y\nlist A 5 permit x\n").value == 1.0


def test_rules_in_a_chain_are_ordered_and_other_chains_are_not():
    truth = "table f\n chain in\n  drop\n  accept\n chain out\n  accept\n"
    swapped = "table f\n chain in\n  accept\n  drop\n chain out\n  accept\n"
    moved = "table f\n chain out\n  accept\n chain in\n  drop\n  accept\n"
    assert command(initial="", truth=truth, final=moved).value == 1.0
    assert command(initial="", truth=truth, final=swapped).evidence["matched"] == 5


def test_an_entry_inserted_at_the_wrong_place_does_not_match():
    truth = INITIAL.replace("list OLD 10", "list OLD 7 deny 10.2.9.0/24\nlist OLD 10")
    right = INITIAL.replace("list OLD 10", "list OLD 6 deny 10.2.9.0/24\nlist OLD 10")
    wrong = INITIAL + "list OLD 15 deny 10.2.9.0/24\n"
    assert command(final=right, truth=truth).value == 1.0
    assert command(final=wrong, truth=truth).value == 0.0


def test_a_list_written_again_with_other_numbers_is_no_change():
    renumbered = INITIAL.replace("OLD 5", "OLD 100").replace("OLD 10", "OLD 200")
    found = command(final=renumbered, truth=INITIAL)
    assert found.value == 1.0
    assert found.evidence["generated"] == 0


def test_a_change_inside_an_ordered_entry_counts_there():
    initial = "map M 10\n match A\n set metric 5\nmap M 20\n match B\n"
    truth = initial.replace("metric 5", "metric 7")
    assert command(initial=initial, truth=truth, final=truth).evidence["expected"] == 2
    in_the_other = "map M 10\n match A\nmap M 20\n match B\n set metric 7\n"
    found = command(initial=initial, truth=truth, final=in_the_other)
    assert found.evidence["matched"] == 1  # the removal; the new line stands in another entry


def test_a_line_the_truth_removes_must_be_removed():
    truth = INITIAL.replace(" address 10.0.0.1/24\n", " address 10.0.0.5/24\n")
    added_only = INITIAL.replace("exit", " address 10.0.0.5/24\nexit")
    found = command(final=added_only, truth=truth)
    assert found.evidence["missing"] == ["R1: - interface e0 / address 10.0.0.1/24"]
    assert (found.evidence["precision"], found.evidence["recall"]) == (1.0, 0.5)


def test_a_line_under_another_parent_does_not_match():
    truth = "interface e0\n cost 5\ninterface e1\n"
    assert (
        command(
            initial="interface e0\ninterface e1\n", truth=truth, final="interface e0\ninterface e1\n cost 5\n"
        ).value
        == 0
    )


def test_a_superfluous_line_lowers_precision_only():
    found = command(final=TRUTH + "clock on\n")
    assert found.evidence["recall"] == 1.0
    assert found.evidence["precision"] == 0.909091
    assert found.evidence["superfluous"] == ["R1: + clock on"]


def test_lines_that_say_nothing_count_nowhere():
    assert command(final="banner hello\n" + TRUTH.replace("router\n", "!\nrouter\n!\n")).value == 1.0


def test_each_side_is_compared_with_its_own_beginning():
    found = command(
        initial="hostname A\n", truth_initial="hostname B\n", final="hostname A\nx\n", truth="hostname B\nx\n"
    )
    assert found.value == 1.0


def test_nodes_are_added_up_and_named_apart():
    found = CommandScorer(dialects={"small": Rules()}).score(
        record(
            initial_configs={"R1": "", "R2": ""},
            final_configs={"R1": "list X 5 permit a\n", "R2": ""},
            truth_initial_configs={"R1": "", "R2": ""},
            truth_configs={"R1": "list A 5 permit a\n", "R2": "list A 5 permit a\n"},
        )
    )
    assert found.evidence["missing"] == ["R2: + list A 5 permit a"]
    assert found.value == pytest.approx(2 / 3, abs=1e-6)


def test_without_recorded_ground_truth_nothing_is_measured_and_the_remedy_is_named():
    about = task()
    found = CommandScorer(dialects={"small": Rules()}).score(record(task=about))
    assert found.value is None
    assert found.explanation == (
        f"not measured: no recorded ground truth for task digest {about.digest}; "
        "record it with: pytest TASK_FILE --netbench-selftest"
    )


def test_a_config_that_was_not_kept_is_not_an_empty_one():
    found = CommandScorer(dialects={"small": Rules()}).score(
        record(
            initial_configs={"R1": ""}, final_configs={}, truth_initial_configs={"R1": ""}, truth_configs={"R1": "a"}
        )
    )
    assert (found.value, found.explanation) == (None, "not measured: the final config of R1 was not recorded")


def test_the_evidence_lists_some_lines_and_counts_all():
    found = command(initial="", truth="".join(f"line {i}\n" for i in range(300)), final="")
    assert len(found.evidence["missing"]) == 50
    assert found.evidence["expected"] == 300


def test_many_free_names_are_still_matched_exactly():
    def config(name: str) -> str:
        return "".join(f"interface e{i}\n note {name} {i * 7 % 40}\nlist {name}{i} 5 permit {i}\n" for i in range(40))

    found = command(initial="", truth=config("a"), final=config("b"))
    assert found.value == 1.0
    assert found.evidence["renaming_exact"] is True


def test_a_search_that_was_cut_short_says_so_and_says_the_same_twice():
    def config(order: list[int]) -> str:
        return "".join(f"list N{i} {j} permit {order[(i + j) % 12]}\n" for i in range(12) for j in range(12))

    truth, final = config(list(range(12))), config([(5 * i) % 12 for i in range(12)])
    first = command(initial="", truth=truth, final=final)
    assert first == command(initial="", truth=truth, final=final)
    assert first.evidence["renaming_exact"] is False


def test_f1_is_the_harmonic_mean_of_precision_and_recall():
    precision, recall, f1 = f1_of(3, generated=4, expected=5)
    assert (precision, recall) == (0.75, 0.6)
    assert f1 == pytest.approx(2 * 0.75 * 0.6 / 1.35, abs=1e-6)


ENTRIES = st.lists(st.sampled_from(["permit a", "deny b", "permit c", "deny d"]), min_size=1, max_size=4, unique=True)
LISTS = st.dictionaries(st.sampled_from(["P", "Q", "R"]), ENTRIES, min_size=1)


def written(lists: dict[str, list[str]], names: dict[str, str], *, first: int, step: int) -> str:
    return "".join(
        "".join(f"list {names[name]} {first + step * i} {entry}\n" for i, entry in enumerate(entries))
        + f"peer {' '.join(entries)}\n filter {names[name]}\n"
        for name, entries in lists.items()
    )


@settings(max_examples=40)
@given(truth=LISTS, agent=LISTS, names=st.permutations(["P", "Q", "R"]), step=st.integers(1, 50))
def test_a_consistent_renaming_and_renumbering_keeps_the_score(truth, agent, names, step):
    same = dict(zip("PQR", "PQR", strict=True))
    other = dict(zip("PQR", names, strict=True))
    reference = written(truth, same, first=5, step=5)
    plain = command(initial="", truth=reference, final=written(agent, same, first=5, step=5))
    renamed = command(initial="", truth=reference, final=written(agent, other, first=step, step=step))
    assert renamed.value == plain.value
    assert (plain.value == 1.0) == (sorted_lists(truth) == sorted_lists(agent))


def sorted_lists(lists: dict[str, list[str]]) -> list[list[str]]:
    """What is left when names do not count."""
    return sorted(lists.values())


@settings(max_examples=30)
@given(entries=st.lists(st.integers(0, 99), min_size=2, max_size=8, unique=True), data=st.data())
def test_swapping_two_entries_with_different_meaning_lowers_the_score(entries, data):
    i, j = sorted(data.draw(st.lists(st.integers(0, len(entries) - 1), min_size=2, max_size=2, unique=True)))
    swapped = [*entries]
    swapped[i], swapped[j] = swapped[j], swapped[i]

    def config(order):
        return "".join(f"list A {5 * k} permit {entry}\n" for k, entry in enumerate(order))

    found = command(initial="", truth=config(entries), final=config(swapped))
    assert found.value is not None
    assert found.value < 1.0


LINES = st.lists(st.sampled_from(["a", "b", "list X 1 permit z", "list X 2 deny w", "note n", "apply m"]), unique=True)


@settings(max_examples=40)
@given(truth=LINES, agent=LINES)
def test_a_superfluous_line_never_changes_recall(truth, agent):
    reference, final = "\n".join(truth), "\n".join(agent)
    before = command(initial="", truth=reference, final=final)
    after = command(initial="", truth=reference, final=f"{final}\nquite another line")
    assert before.value is not None
    assert after.value is not None
    assert after.value <= before.value
    if reference:
        assert after.evidence["recall"] == before.evidence["recall"]
    assert command(initial="", truth=reference, final=final) == before


# the nearest of several right solutions


def drafts(*, final: str, truth: str = TRUTH, initial: str = INITIAL, **more: Any) -> Score:
    return DraftCommandScorer(dialects={"small": Rules()}).score(
        configs_record(initial=initial, final=final, truth=truth, **more)
    )


def test_another_right_solution_scores_one():
    other = INITIAL + "clock on\nrouter\n peer 10.0.0.9\n"
    found = command(final=other, right={"by clock": other})
    assert (found.value, found.evidence["nearest"]) == (1.0, "by clock")
    assert found.evidence["references"]["ground truth"] == command(final=other).value
    assert found.explanation == "3 of 3 changed lines are in the right solution 'by clock', which changes 3"


def test_the_ground_truth_counts_where_another_is_as_near():
    found = command(final=TRUTH, right={"a copy": TRUTH})
    assert (found.value, found.evidence["nearest"]) == (1.0, "ground truth")


def test_a_right_solution_on_another_node_replaces_the_ground_truth_there_only():
    def scored(final: dict[str, str]) -> Score:
        return CommandScorer(dialects={"small": Rules()}).score(
            record(
                initial_configs={"R1": "", "R2": ""},
                final_configs=final,
                truth_initial_configs={"R1": "", "R2": ""},
                truth_configs={"R1": "a\nb\n", "R2": "c\n"},
                right_configs={"at R2": {"R2": "d\n"}},
            )
        )

    assert scored({"R1": "a\nb\n", "R2": "d\n"}).value == 1.0
    assert scored({"R1": "", "R2": "d\n"}).evidence["missing"] == ["R1: + a", "R1: + b"]


def test_the_drafts_score_knows_only_the_ground_truth_and_every_line_counts_whole():
    other = INITIAL + "clock on\n"
    found = drafts(final=other, right={"by clock": other}, testcase_results=SAME)
    assert (found.value, found.metric, found.scorer) == (0.0, "netconfbench.command", "netconfbench.command/1")
    assert drafts(final=TRUTH + "clock on\n", testcase_results=SAME).value == 0.952381
    assert "nearest" not in found.evidence


def test_the_drafts_score_takes_the_nearest_of_several_ground_truths_of_the_task():
    further = {"solution_id": "by clock", "configs": {"R1": ["clock on"]}}
    about, other = task(further_ground_truths=[further]), INITIAL + "clock on\n"
    right = {"by clock": other, "recorded elsewhere": INITIAL + "filter X\n"}
    found = drafts(final=other, right=right, task=about)
    assert (found.value, found.evidence["nearest"]) == (1.0, "by clock")
    assert drafts(final=INITIAL + "filter X\n", right=right, task=about).value == 0.0


def test_the_drafts_score_says_what_it_lacks_as_the_other_does():
    found = DraftCommandScorer(dialects={"small": Rules()}).score(record())
    assert (found.value, found.explanation) == (None, command_of_nothing().explanation)


def command_of_nothing() -> Score:
    return CommandScorer(dialects={"small": Rules()}).score(record())


# additions

SAME = (ran("web works"), ran("all else is as before", kind="reference", role="regression", intent=None))


def test_an_addition_costs_a_quarter_if_the_network_behaves_as_the_reference():
    found = command(final=TRUTH + "clock on\n", testcase_results=SAME)
    assert found.evidence["same_behaviour"] is True
    assert found.evidence["additions"] == 1
    assert found.evidence["precision"] == round(10 / 10.25, 6)
    assert found.value == round(20 / 20.25, 6)


@pytest.mark.parametrize(
    "results",
    [
        (),
        (ran("web works"),),
        (SAME[0], SAME[1].model_copy(update={"status": "fail"})),
        (SAME[0].model_copy(update={"status": "fail"}), SAME[1]),
        (*SAME, SAME[1].model_copy(update={"name": "under exit-lost", "status": "fail"})),
    ],
    ids=["no testcase", "no reference", "another behaviour", "an intent missed", "another behaviour under an event"],
)
def test_an_addition_counts_whole_unless_the_whole_behaviour_was_compared_and_is_equal(results):
    found = command(final=TRUTH + "clock on\n", testcase_results=results)
    assert (found.evidence["same_behaviour"], found.value) == (False, 0.952381)


def test_a_removal_beyond_the_right_solution_counts_whole_whatever_the_behaviour():
    final = TRUTH.replace("list OLD 10 permit 10.2.0.0/16\n", "")
    assert final != TRUTH
    found = command(final=final, testcase_results=SAME)
    assert found.evidence["additions"] == 0
    assert found.value == command(final=final).value == round(20 / 21, 6)


def test_a_missing_line_counts_whole_whatever_the_behaviour():
    final = TRUTH.replace(" set metric 5\n", "")
    assert command(final=final, testcase_results=SAME).value == command(final=final).value


TEXTS = LINES.map("\n".join)
RESULTS = st.sampled_from([(), SAME])


@settings(max_examples=60)
@given(truth=TEXTS, right=st.dictionaries(st.sampled_from("abc"), TEXTS), agent=TEXTS, results=RESULTS, data=st.data())
def test_the_nearest_is_at_least_as_near_as_each_and_their_order_does_not_matter(truth, right, agent, results, data):
    def scored(truth: str, **right: str) -> Score:
        return command(initial="", truth=truth, final=agent, right=right, testcase_results=results)

    found = scored(truth, **right)
    assert found.value == max(scored(one).value or 0.0 for one in (truth, *right.values()))
    shuffled = {name: right[name] for name in data.draw(st.permutations(sorted(right)))}
    assert scored(truth, **shuffled) == found


@settings(max_examples=60)
@given(truth=TEXTS, right=st.dictionaries(st.sampled_from("ab"), TEXTS), agent=TEXTS, results=RESULTS)
def test_a_line_that_no_right_solution_has_never_raises_the_score(truth, right, agent, results):
    before, after = (
        command(initial="", truth=truth, right=right, final=final, testcase_results=results)
        for final in (agent, f"{agent}\nquite another line")
    )
    assert before.value is not None
    assert after.value is not None
    assert 0.0 <= after.value <= before.value <= 1.0
    assert after.value < 1.0


@settings(max_examples=60)
@given(truth=TEXTS, agent=TEXTS)
def test_the_score_is_between_the_drafts_and_that_of_an_exact_solution(truth, agent):
    found = command(initial="", truth=truth, final=agent, testcase_results=SAME)
    draft = drafts(initial="", truth=truth, final=agent, testcase_results=SAME)
    assert found.value is not None
    assert draft.value is not None
    assert draft.value <= found.value <= 1.0
    assert (found.value == 1.0) == (draft.value == 1.0)
    assert drafts(initial="", truth=truth, final=agent).value == command(initial="", truth=truth, final=agent).value
