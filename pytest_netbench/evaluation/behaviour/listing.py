"""What a record holds, in words, for people. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from pytest_netbench.evaluation.behaviour.compare import changed_routes
from pytest_netbench.evaluation.behaviour.wording import Wording, change_words, route_words
from pytest_netbench.evaluation.reference import Changes, Reference, changes_at
from pytest_netbench.model.behaviour import LEAST_AGREED, HeldFlow
from pytest_netbench.model.reference import Selector

MOST_EXAMPLES = 3
MOST_UNSTABLE = 5


def headline(reference: Reference) -> str:
    """``1000 flows, 16 routing tables, 3 moments; 12 are not held``."""
    behaviour = reference.behaviour
    moments = len(behaviour.moments)
    left_out = len({one.what for one in behaviour.unstable})
    text = f"{len(behaviour.flows)} flows, routes of {len(behaviour.routes[0])} nodes"
    text += f", also under {moments - 1} event{'s' * (moments > 2)}" if moments > 1 else ""
    return text + (f"; {left_out} {'are' if left_out > 1 else 'is'} not held" if left_out else "")


def tally(reference: Reference) -> list[str]:
    """One line for each moment: how many flows the ground truth changes, and what the task says of them."""
    lines = []
    for under in reference.behaviour.moments:
        changes = changes_at(reference, under)
        by_intent: dict[str, int] = {}
        for entry, flows in changes.by_change:
            by_intent[f"intent {entry.intent}"] = by_intent.get(f"intent {entry.intent}", 0) + len(flows)
        free = sum(len(flows) for _, flows in changes.by_free)
        parts = [f"{name} {count}" for name, count in sorted(by_intent.items())]
        parts += [f"free {free}"] if free else []
        parts += [f"unexplained {len(changes.unexplained)}"] if changes.unexplained else []
        total = sum(by_intent.values()) + free + len(changes.unexplained)
        lines.append(
            f"{moment(under)}: the ground truth changes {total} flows" + (f" ({', '.join(parts)})" if parts else "")
        )
    return lines


def explained(reference: Reference, intents: Sequence[str]) -> list[str]:
    """Everything that is held, moment by moment."""
    lines = [headline(reference)]
    for under in reference.behaviour.moments:
        lines += ["", f"{moment(under).capitalize()}:"]
        lines += [f"  {line}" for line in _of_moment(reference, under, intents)]
    behaviour = reference.behaviour
    if behaviour.unstable:
        lines += ["", "Not held:"]
        lines += [
            f"  {one.what}{'' if one.under is None else f' under {one.under}'} ({one.why})"
            for one in behaviour.unstable[:MOST_UNSTABLE]
        ]
        rest = len(behaviour.unstable) - MOST_UNSTABLE
        lines += [f"  and {rest} more"] if rest > 0 else []
    return lines


def moment(under: str | None) -> str:
    """``under the event exit-lost``, or ``in the undisturbed network``."""
    return "in the undisturbed network" if under is None else f"under the event {under}"


def _of_moment(reference: Reference, under: str | None, intents: Sequence[str]) -> Iterator[str]:
    wording = Wording(reference.behaviour.addresses)
    same = [one for one in reference.compared(under) if not one.differs]
    allowed = sum(one.after.reach == "allowed" for one in same)
    yield f"{len(same)} flows stay as they are: {allowed} are allowed, {len(same) - allowed} are not"
    if not reference.behaviour.is_settled(under):
        yield (
            f"only what intents name is compared: {len(reference.behaviour.agreed) + 1} right solutions were observed,"
            f" and {LEAST_AGREED} must agree on the rest"
        )
    yield from _changed(changes_at(reference, under), wording, intents)
    kept = changed = 0
    for tables in reference.behaviour.tables_at(under):
        differences = list(changed_routes(tables))
        changed += len(differences)
        kept += len(tables.before.keys() & tables.after.keys())
        for one in differences:
            if (asked := reference.change_of_route(one.node, one.prefix, under)) is not None:
                yield f"intent {asked.intent} changes the route {route_words(one)}"
    yield f"{kept} routes stay; the ground truth changes {changed}, which are judged only where an intent asks for it"


def _changed(changes: Changes, wording: Wording, intents: Sequence[str]) -> Iterator[str]:
    for entry, flows in changes.by_change:
        if flows:
            asks = f"intent {entry.intent} asks ({shown(entry)}): {_text(intents, entry.intent)}"
            yield f"{len(flows)} flows change as {asks}"
            yield from _examples(flows, wording)
    for reason, flows in changes.by_free:
        if flows:
            yield f"{len(flows)} flows that the ground truth changes are free ({shown(reason)}): {reason.reason}"
            yield from _examples(flows, wording)
    if changes.unexplained:
        yield f"{len(changes.unexplained)} flows change and belong to no intent:"
        yield from _examples(changes.unexplained, wording)


def _examples(flows: Iterable[HeldFlow], wording: Wording) -> Iterator[str]:
    for one in list(flows)[:MOST_EXAMPLES]:
        why = f" ({one.flow.why})" if one.flow.why else ""
        yield f"  {wording.flow(one.flow)}{why}: {change_words(one.before, one.after)}"


def _text(intents: Sequence[str], number: int) -> str:
    if number > len(intents):
        return "there is no such intent"
    text = " ".join(intents[number - 1].split())
    return text if len(text) <= 80 else text[:79].rstrip() + "…"


def shown(selector: Selector) -> str:
    """What a selector says: ``from web1, to 10.1.2.0/25, ports 5432``."""
    given = selector.model_dump(mode="json", by_alias=True, exclude_defaults=True, exclude={"intent", "reason"})
    return ", ".join(f"{name} {_value(value)}" for name, value in given.items()) or "everything"


def _value(value: object) -> str:
    if isinstance(value, list):
        return " ".join(map(_value, value))
    if isinstance(value, dict):
        first, last = value["first"], value["last"]
        return str(first) if first == last else f"{first}-{last}"
    return str(value)
