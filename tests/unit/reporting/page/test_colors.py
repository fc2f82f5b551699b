"""Colors of the style sheet: contrast on both papers, and agents that people with any kind of sight can tell apart."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from importlib import resources
from itertools import combinations

import pytest

from pytest_netbench.reporting.page.looks import COLORS, SHAPES, looks

STYLE = resources.files("pytest_netbench.reporting.page").joinpath("templates", "style.css").read_text()
TEXT, GRAPHICS = 4.5, 3.0
"""Least contrast by WCAG 2.2 AA: 1.4.3 for text, 1.4.11 for what drawings say."""
TEXT_ON = {
    "ink": ("paper", "shade", "goodback", "badback"),
    "soft": ("paper", "shade"),
    "good": ("paper", "shade"),
    "bad": ("paper", "shade"),
    "warn": ("paper",),
    "blue": ("paper",),
    "paper": ("bad",),  # numbers of faults
}
DRAWN = ("soft", "good", "bad", "warn", "blue", "violet", *(f"a{number}" for number in range(COLORS)))
Color = tuple[float, float, float]


def themes() -> Iterator[tuple[str, dict[str, Color]]]:
    light, dark = (
        {name: rgb(value) for name, value in re.findall(r"--(\w+): (#[0-9a-f]{3,6});", block)}
        for block in re.findall(r":root \{(.*?)\}", STYLE, re.DOTALL)
    )
    assert light.keys() == dark.keys()
    yield "light", light
    yield "dark", dark


def rgb(text: str) -> Color:
    digits = text[1:] if len(text) == 7 else "".join(2 * sign for sign in text[1:])
    red, green, blue = (linear(int(digits[at : at + 2], 16) / 255) for at in (0, 2, 4))
    return red, green, blue


def linear(value: float) -> float:
    return value / 12.92 if value <= 0.04045 else ((value + 0.055) / 1.055) ** 2.4


def luminance(color: Color) -> float:
    return sum(part * weight for part, weight in zip(color, (0.2126, 0.7152, 0.0722), strict=True))


def contrast(one: Color, other: Color) -> float:
    low, high = sorted((luminance(one), luminance(other)))
    return (high + 0.05) / (low + 0.05)


SIGHTS = {
    "all cones": ((1, 0, 0), (0, 1, 0), (0, 0, 1)),
    # Machado, Oliveira and Fernandes 2009, severity 1.0
    "protanopia": ((0.152286, 1.052583, -0.204868), (0.114503, 0.786281, 0.099216), (-0.003882, -0.048116, 1.051998)),
    "deuteranopia": ((0.367322, 0.860646, -0.227968), (0.280085, 0.672501, 0.047413), (-0.01182, 0.04294, 0.968881)),
    "tritanopia": ((1.255528, -0.076749, -0.178779), (-0.078411, 0.930809, 0.147602), (0.004733, 0.691367, 0.3039)),
}


def lab(color: Color, sight: str) -> Color:
    """CIE L*a*b* of a color as it is seen."""
    seen = [min(max(sum(m * c for m, c in zip(row, color, strict=True)), 0), 1) for row in SIGHTS[sight]]
    rows = ((0.4124564, 0.3575761, 0.1804375), (0.2126729, 0.7151522, 0.072175), (0.0193339, 0.119192, 0.9503041))
    whites = (0.95047, 1.0, 1.08883)
    x, y, z = (
        math.cbrt(v)
        if (v := sum(m * c for m, c in zip(row, seen, strict=True)) / white) > 0.008856
        else 7.787 * v + 16 / 116
        for row, white in zip(rows, whites, strict=True)
    )
    return 116 * y - 16, 500 * (x - y), 200 * (y - z)


@pytest.mark.parametrize(("name", "colors"), list(themes()))
def test_text_and_drawings_have_contrast(name, colors):
    for ink, papers in TEXT_ON.items():
        for paper in papers:
            assert contrast(colors[ink], colors[paper]) >= TEXT, (name, ink, paper)
    for drawn in DRAWN:
        assert contrast(colors[drawn], colors["paper"]) >= GRAPHICS, (name, drawn)


@pytest.mark.parametrize("sight", SIGHTS)
@pytest.mark.parametrize(("name", "colors"), list(themes()))
def test_colors_of_agents_differ_for_any_sight(name, colors, sight):
    seen = {number: lab(colors[f"a{number}"], sight) for number in range(COLORS)}
    for one, other in combinations(seen, 2):
        assert math.dist(seen[one], seen[other]) >= 20, (name, one, other)


def test_no_color_stands_outside_the_variables():
    rules = re.sub(r":root \{.*?\}", "", STYLE, flags=re.DOTALL)
    assert re.findall(r"#[0-9a-f]{3,8}\b", rules) == []


def test_agents_differ_in_color_or_shape():
    many = [f"agent-{number}" for number in range(COLORS * len(SHAPES))]
    assert len({(look.color, look.shape) for look in looks(many).values()}) == len(many)
    assert len({look.shape for look in looks(many[: len(SHAPES)]).values()}) == len(SHAPES)


def test_a_look_does_not_depend_on_the_order_of_results():
    assert looks(["b", "a"]) == looks(["a", "b"])
