"""Puts a skin on a task, its solutions and its records, and takes it off."""

from __future__ import annotations

from typing import Any

from pytest_netbench.generators.variants.addresses import AddressMap
from pytest_netbench.generators.variants.documents import rewritten, rewritten_behaviour
from pytest_netbench.generators.variants.drawing import draw_skin
from pytest_netbench.generators.variants.rewriting import Rewriter
from pytest_netbench.model.behaviour import Behaviour
from pytest_netbench.model.solutions import Solutions
from pytest_netbench.model.task import Task
from pytest_netbench.model.variant import Skin, Variant


def variant_of(task: Task, seed: int) -> Task:
    """The variant ``seed`` of a task of the family ``configure``: it has other names, addresses and numbers.

    It keeps its slug, and its ``variant`` has all that was replaced.
    """
    skin = draw_skin(task, seed)
    variant = Variant(
        seed=seed,
        digest=task.digest,
        truth_digest=task.truth_digest,
        reference_digest=task.reference_digest,
        skin=skin,
    )
    return under(skin, task).model_copy(update={"variant": variant})


def under(skin: Skin, task: Task) -> Task:
    """``task`` with everything replaced that the skin replaces."""
    return Task.model_validate(_dressed(skin, task.model_dump(mode="json", by_alias=True)))


def solutions_under(skin: Skin, solutions: Solutions) -> Solutions:
    """Recorded solutions with everything replaced that the skin replaces."""
    return Solutions.model_validate(_dressed(skin, solutions.model_dump(mode="json", by_alias=True)))


def behaviour_under(skin: Skin, behaviour: Behaviour, digest: str) -> Behaviour:
    """A recorded behaviour as that of the task with this reference digest."""
    data = rewritten_behaviour(behaviour.model_dump(mode="json"), Rewriter(skin).text)
    return Behaviour.model_validate({**data, "digest": digest})


def record_under(skin: Skin, data: dict[str, Any]) -> dict[str, Any]:
    """A recorded ground truth as JSON values, with everything replaced that the skin replaces."""
    return dict(_dressed(skin, data))


def inverse(skin: Skin) -> Skin:
    """The skin that takes ``skin`` off."""
    flips, documentation = AddressMap(skin.flips, skin.documentation).inverse()
    maps = ("nodes", "names", "secrets", "asns", "eigrp", "vlans", "slots", "ports", "loopbacks")
    turned: dict[str, Any] = {name: {new: old for old, new in getattr(skin, name).items()} for name in maps}
    ordinary = tuple(sorted(skin.nodes[name] for name in skin.ordinary))
    return Skin(**turned, ordinary=ordinary, flips=flips, documentation=documentation)


def _dressed(skin: Skin, data: Any) -> Any:
    return rewritten(data, Rewriter(skin).text)
