"""A judgement in a JUnit file: a test case of its own, and trials that the gate excuses. Pure."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Final
from xml.etree import ElementTree as ET

from pytest_netbench.regression_gate.wording import HEADLINES, headline, joint, lines, reasons
from pytest_netbench.text import clean

if TYPE_CHECKING:
    from xml.etree.ElementTree import Element

    from pytest_netbench.regression_gate.judging import Judgement

MARK: Final = "netbench.gate.trial"
"""A property that marks the test case of a trial while the file is made; its value is the status."""
STATUS: Final = "netbench.status"
_SUITE: Final = "netbench"
_CASE: Final = "gate"
_COUNTED: Final = {"failures": "failure", "errors": "error", "skipped": "skipped"}


def with_verdict(text: str, judgement: Judgement | None, *, properties: bool, otherwise: str = "") -> str:
    """Return a JUnit file with the gate as a test case.

    If the gate is passed, no trial is a failure or an error there: the property ``netbench.status`` has its status.

    Args:
        text: The file as pytest wrote it, with ``MARK`` at test cases of trials.
        judgement: Of the run; ``None`` if nothing was judged.
        properties: Whether test cases may have properties.
        otherwise: Why nothing was judged.

    Raises:
        ET.ParseError: The file is not XML.
    """
    root = ET.fromstring(text)  # noqa: S314  (pytest has just written it)
    suite = root if root.tag == "testsuite" else root.find("testsuite")
    if suite is None:
        return text
    excused = judgement is not None and judgement.outcome == "passed"
    for case in suite.iter("testcase"):
        if (status := _unmarked(case, properties=properties)) is not None and excused:
            _excuse(case, status)
    suite.append(_case(judgement, otherwise))
    _count(suite)
    return '<?xml version="1.0" encoding="utf-8"?>' + ET.tostring(root, encoding="unicode")


def _unmarked(case: Element, *, properties: bool) -> str | None:
    """The status of a trial, of which the mark is taken away; ``None`` if it is another test."""
    listed = case.find("properties")
    if listed is None:
        return None
    marks = [one for one in listed if one.get("name") == MARK]
    for one in marks:
        listed.remove(one)
    if marks and properties and not any(one.get("name") == STATUS for one in listed):
        ET.SubElement(listed, "property", name=STATUS, value=marks[0].get("value", ""))
    if not len(listed):
        case.remove(listed)
    return marks[0].get("value", "") if marks else None


def _excuse(case: Element, status: str) -> None:
    """Take a trial's failure away; an infrastructure error is skipped, since it is not compared."""
    for tag in ("failure", "error"):
        for one in case.findall(tag):
            case.remove(one)
            if status == "error" and case.find("skipped") is None:
                words = "infrastructure error, not compared: " + one.get("message", "")
                ET.SubElement(case, "skipped", type="netbench.gate", message=words)


def _case(judgement: Judgement | None, otherwise: str) -> Element:
    case = ET.Element("testcase", classname=_SUITE, name=_CASE, time="0.000")
    if judgement is None:
        _add(case, "error", otherwise or "not judged", "")
        return case
    told = "\n".join(lines(judgement))
    if judgement.outcome == "not judged":
        _add(case, "error", HEADLINES["not judged"], told)
    elif judgement.outcome == "failed":
        _add(case, "failure", "; ".join(_failures(judgement)), "\n".join(_details(judgement)))
    elif any(one.verdict is not None and one.verdict.kind == "inconclusive" for one in judgement.rulings):
        open_ = [headline(one) for one in judgement.rulings if one.verdict and one.verdict.kind == "inconclusive"]
        _add(case, "skipped", "; ".join(open_), told)
    else:
        ET.SubElement(case, "system-out").text = clean(told)
    return case


def _failures(judgement: Judgement) -> Iterator[str]:
    """Yield what fails the gate, in one line each."""
    yield from (headline(one) for one in judgement.rulings if one.fails)
    for (task, agent), (failed, trials) in judgement.must_pass.items():
        yield f"must pass: {agent} failed {failed} of {trials} at {task}"
    yield from judgement.unmatched


def _details(judgement: Judgement) -> Iterator[str]:
    """Yield the judgement with every task that got worse."""
    yield HEADLINES[judgement.outcome]
    for ruling in judgement.rulings:
        yield headline(ruling)
        yield from (f"  {words}" for words in reasons(ruling, most=len(ruling.lost)))
    yield from _failures(judgement)
    yield from joint(judgement)


def _add(case: Element, tag: str, message: str, told: str) -> None:
    ET.SubElement(case, tag, {"type": "netbench.gate", "message": clean(message)}).text = clean(told)


def _count(suite: Element) -> None:
    cases = suite.findall("testcase")
    counts: Mapping[str, int] = {name: sum(len(case.findall(tag)) for case in cases) for name, tag in _COUNTED.items()}
    for name, count in {**counts, "tests": len(cases)}.items():
        suite.set(name, str(count))
