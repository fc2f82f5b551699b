"""The functions that areas put into the grammar have the types that the grammar does not check."""

from __future__ import annotations

import functools
import inspect

import pytest

from pytest_netbench.platforms.cisco_ios.areas import areas, grammar

GIVEN = {
    "edit": ("Edit", "Match"),
    "check": ("Edit", "Match"),
    "render": ("Entry",),
    "run": ("Exec", "Match"),
    "prompt": ("Entry",),
    "seeds": ("Entry", "str"),
    "compile": ("Context",),
    "observe": ("Device",),
}


def functions():
    for area in areas():
        for holder in (area, *area.modes, *area.commands):
            for field in GIVEN:
                function = getattr(holder, field, None)
                if callable(function):
                    yield field, function


def positional(function):
    """Return the annotations of the positional parameters."""
    bound = 0
    while isinstance(function, functools.partial):
        bound += len(function.args)
        function = function.func
    named = [
        one
        for one in inspect.signature(function).parameters.values()
        if one.kind in {one.POSITIONAL_ONLY, one.POSITIONAL_OR_KEYWORD} and one.default is one.empty
    ]
    return function, [one.annotation for one in named][bound:]


@pytest.mark.parametrize("field", GIVEN)
def test_the_functions_of_areas_take_what_the_grammar_hands_them(field):
    found = [positional(function) for name, function in functions() if name == field]
    assert found
    for function, types in found:
        if function.__name__ == "<lambda>":
            assert len(types) == len(GIVEN[field])
            continue
        assert tuple(types) == GIVEN[field], f"{function.__module__}.{function.__qualname__}"


def test_there_is_one_area_of_a_name():
    names = [area.name for area in grammar().areas]
    assert len(names) == len(set(names))
