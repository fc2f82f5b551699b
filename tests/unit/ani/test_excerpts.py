"""Sections and pages of a running configuration."""

from __future__ import annotations

from pytest_netbench.ani.excerpts import LINES_OF_A_PAGE, page, pages, section

CONFIG = """\
hostname R1
!
interface Ethernet0
 description to interface Ethernet1
interface Ethernet01
 shutdown
ip access-list extended A
 permit ip any any
access-list 1 permit any
end
"""


def test_a_section_has_all_that_is_indented_below_its_first_line() -> None:
    assert section(CONFIG, "interface ethernet0") == "interface Ethernet0\n description to interface Ethernet1\n"
    assert section(CONFIG, "interface").count("\n") == 4
    assert section(CONFIG, "access-list") == "access-list 1 permit any\n"
    assert section(CONFIG, "description") == ""


def test_pages_together_are_the_whole() -> None:
    text = "".join(f"line {number}\n" for number in range(2 * LINES_OF_A_PAGE + 1))
    assert pages(text) == 3
    assert "".join(page(text, number) for number in range(1, 4)) == text
    assert page(text, 4) == ""


def test_an_empty_text_is_one_page() -> None:
    assert pages("") == 1
