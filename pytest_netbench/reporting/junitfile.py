"""A JUnit file of stored trials, with the test cases that pytest would have written. Pure."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal
from xml.etree import ElementTree as ET

from pytest_netbench.text import clean

Kind = Literal["passed", "failure", "error", "skipped"]
_COUNTED = {"errors": "error", "failures": "failure", "skipped": "skipped"}


@dataclass(frozen=True, kw_only=True)
class Case:
    """A test case. ``message`` is one line, ``text`` the whole; ``seconds`` are wall seconds."""

    node_id: str
    kind: Kind
    message: str = ""
    text: str = ""
    seconds: float = 0.0
    properties: Sequence[tuple[str, str]] = ()


def junit_file(cases: Sequence[Case], *, timestamp: str) -> str:
    """Return the file.

    Args:
        cases: In order.
        timestamp: When the first one began, ISO 8601.
    """
    root = ET.Element("testsuites", name="pytest tests")
    suite = ET.SubElement(root, "testsuite", name="pytest")
    for attribute, kind in _COUNTED.items():
        suite.set(attribute, str(sum(case.kind == kind for case in cases)))
    suite.set("tests", str(len(cases)))
    suite.set("time", f"{sum(case.seconds for case in cases):.3f}")
    suite.set("timestamp", timestamp)
    for case in cases:
        suite.append(_case(case))
    return '<?xml version="1.0" encoding="utf-8"?>' + ET.tostring(root, encoding="unicode")


def _case(case: Case) -> ET.Element:
    classname, name = _names(case.node_id)
    element = ET.Element("testcase", classname=classname, name=name, time=f"{case.seconds:.3f}")
    if case.properties:
        listed = ET.SubElement(element, "properties")
        for key, value in case.properties:
            ET.SubElement(listed, "property", name=key, value=clean(value))
    if case.kind != "passed":
        child = ET.SubElement(element, case.kind, message=clean(case.message))
        if case.kind == "skipped":
            child.set("type", "pytest.skip")
        child.text = clean(case.text)
    return element


def _names(node_id: str) -> tuple[str, str]:
    """Class and name of a test case, as pytest makes them of a node id."""
    address, bracket, parameters = node_id.partition("[")
    *folders, name = address.split("::")
    if folders:
        folders[0] = re.sub(r"\.py$", "", folders[0].replace("/", "."))
    return ".".join(folders), name + bracket + parameters
