"""Checks of report files with the schemas of those who read them.

``schemas/ctrf-0.0.schema.json`` is the schema of CTRF from the npm package ``ctrf`` 0.3.0 (MIT, see the LICENSE beside
it); ``schemas/junit-10.xsd`` is that of Jenkins' xUnit plugin, from the source distribution of pytest 9.2.0 (MIT, in
the file).
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import jsonschema
from lxml import etree

SCHEMAS = Path(__file__).parent / "schemas"


def valid_ctrf(path: Path) -> dict[str, Any]:
    """The report in ``path``, which must be valid."""
    report: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    schema = json.loads((SCHEMAS / "ctrf-0.0.schema.json").read_text())
    jsonschema.Draft7Validator(schema, format_checker=jsonschema.FormatChecker()).validate(report)
    return report


def junit_errors(path: Path) -> Sequence[str]:
    """What the schema of Jenkins' xUnit plugin says of a file."""
    schema = etree.XMLSchema(etree.parse(SCHEMAS / "junit-10.xsd"))
    schema.validate(etree.parse(path))
    return [error.message for error in schema.error_log]
