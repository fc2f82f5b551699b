"""The former place of ``FamilyMethod``. Deprecated: import it from ``pytest_netbench.ani.family_methods``."""

from __future__ import annotations

import warnings

from pytest_netbench.ani.family_methods import Change, Effect, FamilyMethod, FamilyMethods

__all__ = ["Change", "Effect", "OwnMethod", "OwnMethods"]

OwnMethod = FamilyMethod
OwnMethods = FamilyMethods

warnings.warn(
    f"{__name__} is now pytest_netbench.ani.family_methods, and goes with 0.3", DeprecationWarning, stacklevel=2
)
