"""The generator ``plan``: the same bytes everywhere, all labels of a level, uniform targets, clear refusals."""

from __future__ import annotations

import hashlib
import json
import os
import subprocess
import sys
import time
from collections import Counter
from typing import Any

import pytest

from pytest_netbench.datacenter_graph.building import Sizes, built
from pytest_netbench.errors import InputError, UsageError
from pytest_netbench.families.plan.payload import plan_of
from pytest_netbench.generators.plan import PlanGenerator
from pytest_netbench.generators.plan.targets import Places, Targets
from pytest_netbench.generators.plan.templates import LEVELS
from pytest_netbench.generators.randomness import random_of
from pytest_netbench.model.task import Task
from tests.support.plans import SMALL, drawn
from tests.unit.datacenter_graph.test_malt import TEXT

DIGEST = """
import hashlib, json
from pytest_netbench.generators.plan import PlanGenerator as G
tasks = [G().draw(G.parameters(), seed=3, index=index).model_dump(mode="json") for index in range(40)]
print(hashlib.sha256(json.dumps(tasks).encode()).hexdigest()[:16])
"""


def draw(index: int = 0, seed: int = 1, **parameters: Any) -> Task:
    generator = PlanGenerator()
    return generator.draw(generator.parameters.model_validate({**SMALL, **parameters}), seed=seed, index=index)


@pytest.mark.parametrize("hash_seed", ["0", "12345"])
def test_equal_arguments_give_equal_bytes_in_every_process(hash_seed):
    environment = {**os.environ, "PYTHONHASHSEED": hash_seed}
    done = subprocess.run([sys.executable, "-c", DIGEST], capture_output=True, text=True, check=True, env=environment)
    assert done.stdout.strip() == "bc47573097b74ac7"


def test_a_draw_does_not_depend_on_the_draws_before_it():
    alone = draw(17).model_dump_json()
    for index in range(5):
        draw(index)
    assert draw(17).model_dump_json() == alone


def test_a_task_survives_json_with_its_digest():
    for task in drawn(40):
        assert Task.model_validate(json.loads(task.model_dump_json())).digest == task.digest


def test_a_task_holds_sizes_and_a_seed_and_no_graph():
    assert max(len(task.model_dump_json()) for task in drawn(100, small=False)) < 4000


def test_a_thousand_tasks_of_a_label_are_drawn_in_ten_seconds():
    generator = PlanGenerator()
    parameters = generator.parameters.model_validate({"labels": ["FOR", "IF", "U", "R"], "level": 3})
    began = time.process_time()
    for index in range(1000):
        generator.draw(parameters, seed=1, index=index)
    assert time.process_time() - began <= 10


def test_levels_have_the_labels_of_netarenas_table_4_and_ours():
    assert set(LEVELS[1]) >= {"RM", "R", "LI", "A"}
    assert set(LEVELS[2]) >= {"RM+C", "RM+LI", "RM+R"}
    assert set(LEVELS[3]) >= {"A+C", "A+LI", "A+R"}


@pytest.mark.parametrize("level", LEVELS)
def test_a_level_draws_each_of_its_labels_equally_often(level):
    counts = Counter(draw(index, level=level).drawn.label for index in range(600))  # type: ignore[union-attr]
    assert set(counts) == set(LEVELS[level])
    assert chi_square(counts, len(LEVELS[level])) < 25  # 0.999 quantile of six degrees of freedom: 22.5


def test_the_steps_are_those_that_the_label_names():
    words = {"add": "A", "remove": "RM", "update": "U", "count": "C", "capacity": "C", "list": "LI", "rank": "R"}
    words |= {"if": "IF", "for-each": "FOR"}

    def operations(steps: tuple[Any, ...]) -> set[str]:
        found = set()
        for step in steps:
            inner = (*getattr(step, "then", ()), *getattr(step, "steps", ()))
            found |= {words[step.op], *operations(inner)}
        return found

    for task in drawn(300):
        assert task.drawn is not None
        assert operations(plan_of(task).query.steps) == set(task.drawn.label.split("+")), task.slug


def test_targets_of_a_type_are_drawn_with_equal_probability():
    places = Places(built(Sizes(super_blocks=2, agg_blocks=2, spine_blocks=0, switches=4, ports=3)))
    targets = Targets(places, random_of("plan", seed=5, index=0))
    counts = Counter(targets.of_types(["EK_PACKET_SWITCH"], what="to test") for _ in range(4800))
    assert len(counts) == 16
    assert chi_square(counts, 16) < 38  # 0.999 quantile of fifteen degrees of freedom: 37.7


def chi_square(counts: Counter[str], cells: int) -> float:
    expected = counts.total() / cells
    return sum((count - expected) ** 2 / expected for count in counts.values()) + (cells - len(counts)) * expected


def test_both_branches_of_conditions_are_drawn():
    from pytest_netbench.datacenter_graph import golden

    added = set()
    for index in range(40):
        plan = plan_of(draw(index, labels=["IF", "A", "C"], level=3, ports=4))
        if plan.query.steps[0].op == "if":
            changed = golden.answer(plan.query, plan.graph.graph())[1]
            added.add(len(changed.nodes) > len(plan.graph.graph().nodes))
    assert added == {True, False}


def test_only_permitted_operations_occur():
    for index in range(30):
        task = draw(index, labels=["RM", "C"])
        assert task.drawn is not None
        assert task.drawn.label in {"RM", "C", "RM+C"}


def test_operations_from_which_nothing_can_be_made_are_refused_with_what_there_is():
    with pytest.raises(UsageError, match=r"no question of level 2 has only the operations IF\+FOR \(level 1: A, C"):
        draw(labels=["IF", "FOR"], level=2)


def test_questions_about_a_malt_model_name_the_file_and_its_digest(tmp_path):
    path = tmp_path / "malt-graph.textproto.txt"
    path.write_text(TEXT)
    plan = plan_of(draw(malt=str(path), labels=["LI", "R", "C"], level=1))
    assert plan.graph.malt is not None
    assert plan.graph.malt.sha256 == hashlib.sha256(TEXT.encode()).hexdigest()
    assert plan.query.steps[0].name in plan.graph.graph().nodes
    with pytest.raises(InputError, match="cannot be read"):
        draw(malt=str(tmp_path / "nowhere"))
