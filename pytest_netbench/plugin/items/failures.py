"""Texts of failures and captured output, made safe to show: they may quote an agent or a device."""

from __future__ import annotations

import dataclasses
from typing import Any

import pytest


def printable(text: str) -> str:
    """Return ``text`` without what a terminal or GitHub Actions would act on."""
    from pytest_netbench import workflow  # an ordinary pytest run need not have it
    from pytest_netbench.text import clean

    return workflow.inert(clean(text)) if workflow.read_by_github() else clean(text)


def cleaned(shown: Any) -> Any:
    """Return a failure representation of pytest with every text in it cleaned.

    Representations are trees of data classes, lists and tuples; data classes are changed in place.
    """
    if isinstance(shown, str):
        return printable(shown)
    if isinstance(shown, list | tuple):
        return type(shown)(cleaned(one) for one in shown)
    if dataclasses.is_dataclass(shown) and not isinstance(shown, type):
        for field in dataclasses.fields(shown):
            value = getattr(shown, field.name, None)
            if isinstance(value, str | list | tuple) or dataclasses.is_dataclass(value):
                setattr(shown, field.name, cleaned(value))
    return shown


def clean_sections(report: pytest.TestReport) -> None:
    """Clean what the item printed and logged: agents may print in this process."""
    report.sections = [(printable(title), printable(text)) for title, text in report.sections]
