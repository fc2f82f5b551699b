"""Selectors of labels. Pure."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from typing import Any, Final, Self

Labels = Mapping[str, str]
_OPERATORS: Final[Mapping[str, Callable[[str | None, Collection[str]], bool]]] = {
    "In": lambda value, values: value in values,
    "NotIn": lambda value, values: value not in values,
    "Exists": lambda value, _: value is not None,
    "DoesNotExist": lambda value, _: value is None,
}


@dataclass(frozen=True)
class Expression:
    """One requirement: the value of a label and the operator that it is compared by.

    ``NotIn`` holds for what lacks the label, too.
    """

    key: str
    operator: str
    values: tuple[str, ...] = ()

    def holds(self, labels: Labels) -> bool:
        """Whether labels meet it."""
        return _OPERATORS[self.operator](labels.get(self.key), self.values)


@dataclass(frozen=True)
class Selector:
    """All of its requirements must hold; without any it selects everything."""

    expressions: tuple[Expression, ...] = ()

    @classmethod
    def of(cls, written: Mapping[str, Any]) -> Self:
        """The selector that an object has as ``matchLabels`` and ``matchExpressions``."""
        exact = [Expression(key, "In", (value,)) for key, value in (written.get("matchLabels") or {}).items()]
        others = [
            Expression(one["key"], one["operator"], tuple(one.get("values") or ()))
            for one in written.get("matchExpressions") or ()
        ]
        return cls((*exact, *others))

    def selects(self, labels: Labels) -> bool:
        """Whether it selects what has these labels."""
        return all(one.holds(labels) for one in self.expressions)
