"""Which faults a generator can draw, by their fields, and the packages that faults of others come from."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from pydantic import GetCoreSchemaHandler
from pydantic_core import CoreSchema, PydanticCustomError, core_schema

from pytest_netbench import parts
from pytest_netbench.model.faulty import fault_of


class Eligible:
    """The names of faults that a parameter takes, as metadata of its type.

    Args:
        accepts: Whether a fault can be drawn.
    """

    def __init__(self, accepts: Callable[[Any], bool]) -> None:
        self._accepts = accepts

    @property
    def words(self) -> tuple[str, ...]:
        """All that can be named, those of other packages, too."""
        return tuple(name for name in parts.names("faults") if self._accepts(fault_of(name)))

    def among(self, names: Iterable[str], services: Iterable[str]) -> tuple[str, ...]:
        """Those of ``names`` that can be drawn in networks with these services."""
        chosen = {*services}
        found = ((name, fault_of(name)) for name in names)
        return tuple(name for name, fault in found if self._accepts(fault) and chosen >= {*fault.needs_services})

    def __get_pydantic_core_schema__(self, source: Any, handler: GetCoreSchemaHandler) -> CoreSchema:
        return core_schema.no_info_after_validator_function(self._checked, handler(source))

    def _checked(self, name: str) -> str:
        if name not in parts.names("faults") or not self._accepts(fault_of(name)):
            raise PydanticCustomError("literal_error", "Input should be a fault that can be drawn")
        return name


def is_diagnosable(fault: Any) -> bool:
    """Whether something shows a fault of networks by itself."""
    return hasattr(fault, "places") and fault.shown_by != "company"


def is_repairable(fault: Any) -> bool:
    """Whether flows show a fault of networks, and commands repair it."""
    return hasattr(fault, "places") and fault.shown_by == "flows" and fault.repairable


def ends(fault: Any) -> bool:
    """Whether commands repair a fault of networks that flows show, or somebody it can be handed over to."""
    return is_repairable(fault) or (is_diagnosable(fault) and fault.shown_by == "flows" and not fault.repairable)


DIAGNOSABLE = Eligible(is_diagnosable)
REPAIRABLE = Eligible(is_repairable)
ENDING = Eligible(ends)


def packages_of(faults: Iterable[str]) -> dict[str, str] | None:
    """By fault of another package: the package and its version; ``None`` if all are built in."""
    found = {name: parts.package("faults", name) for name in faults if not parts.is_ours("faults", name)}
    return found or None
