"""Testcases as a file writes them, of every kind and in the draft's two forms, to the model's mappings."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from ipaddress import ip_network
from types import MappingProxyType
from typing import Any, Final, get_args

from pytest_netbench.documents.problems import Problems, Where, known, unknown
from pytest_netbench.model.base import Model
from pytest_netbench.model.testcase import Flow, Testcase, ThroughputTestcase
from pytest_netbench.taskfile import draft
from pytest_netbench.taskfile.fields import known_fields, list_of, mapping_of, one_or_many

KINDS: Final[Mapping[str, type[Model]]] = MappingProxyType(
    {model.model_fields["kind"].default: model for model in get_args(get_args(Testcase)[0])}
)
LISTS: Final = ("commands", "next_hops", "hops", "parents")


def testcase_forms(
    value: Any, where: Where, problems: Problems, *, nodes: Collection[str], truth: Mapping[str, Sequence[str]]
) -> list[dict[str, Any]]:
    """``testcases`` or ``health_checks``: a list of mappings of the model, one per entry of the file."""
    result = []
    for index, item in enumerate(list_of(value, where, problems, str(where[-1]))):
        at = (*where, index)
        raw = mapping_of(item, at, problems, "a testcase")
        form = None if raw is None else _form(raw, at, problems, nodes=nodes, truth=truth)
        result.append({} if form is None else form)
    _tell_apart(value, result, where, problems)
    return result


def _tell_apart(value: Any, forms: list[dict[str, Any]], where: Where, problems: Problems) -> None:
    """Names are how results of runs are compared. The draft's forms may repeat one, so they get a number."""
    first: dict[str, int] = {}
    for index, form in enumerate(forms):
        name = form.get("name")
        if not isinstance(name, str) or first.setdefault(name, index) == index:
            continue
        if "kind" in value[index]:
            message = (
                f"testcase name {name!r} is used twice (first by testcase {first[name] + 1}); give it another name"
            )
            problems.add((*where, index, "name"), message)
        else:
            form["name"] = f"{name} ({index + 1})"


def _form(
    raw: dict[str, Any], where: Where, problems: Problems, *, nodes: Collection[str], truth: Mapping[str, Sequence[str]]
) -> dict[str, Any] | None:
    completed = _completed(raw, where, problems, nodes=nodes, truth=truth)
    if completed is None:
        return None
    kind = completed["kind"]
    if not isinstance(kind, str) or kind not in KINDS:
        problems.add((*where, "kind"), unknown("testcase kind", str(kind), KINDS))
        return None
    model = KINDS[kind]
    form = known_fields(completed, model, where, problems, what=f"testcase kind {kind!r}")
    for name in LISTS:
        if name in form:
            form[name] = one_or_many(form[name])
    if "prefix" in form:
        form["prefix"] = _canonical(form["prefix"])
    if model is ThroughputTestcase:
        _flows(form, where, problems)
    return form


def _completed(
    raw: dict[str, Any], where: Where, problems: Problems, *, nodes: Collection[str], truth: Mapping[str, Sequence[str]]
) -> dict[str, Any] | None:
    if "kind" in raw:
        return raw
    if "expected_result" in raw:
        return draft.route_form(raw, where, problems, nodes=nodes, truth=truth)
    if "expected_output" in raw:
        return draft.show_form(raw)
    problems.add(where, f"a testcase needs 'kind' ({known(KINDS)})")
    return None


def _canonical(prefix: Any) -> Any:
    """``2.2.2.0/30`` for ``2.2.2.0/255.255.255.252``; what is no prefix stays for the check to name."""
    try:
        return str(ip_network(prefix)) if isinstance(prefix, str) and "/" in prefix else prefix
    except ValueError:
        return prefix


def _flows(form: dict[str, Any], where: Where, problems: Problems) -> None:
    if "flow" in form:
        form["flow"] = _flow(form["flow"], (*where, "flow"), problems)
    if "background" in form:
        at = (*where, "background")
        given = form["background"] if not isinstance(form["background"], dict) else [form["background"]]
        form["background"] = [
            _flow(one, (*at, index), problems) for index, one in enumerate(list_of(given, at, problems, "background"))
        ]


def _flow(value: Any, where: Where, problems: Problems) -> dict[str, Any]:
    raw = mapping_of(value, where, problems, "a flow")
    return {} if raw is None else known_fields(raw, Flow, where, problems, what="flow")
