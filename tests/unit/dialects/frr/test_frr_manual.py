"""FRR's user guide as sections, from the sources that its documentation package installs."""

from __future__ import annotations

import re

import pytest

from pytest_netbench.ani.manual import search
from pytest_netbench.dialects.frr import FrrDialect
from pytest_netbench.dialects.frr.manual import FOLDERS, INSTALL_COMMAND, read, sections

PAGE = """\
.. _filter:

*********
Filtering
*********

FRR provides :ref:`many <list>` filters.

IP Access List
==============

.. clicmd:: access-list NAME permit IPV4-NETWORK

.. clicmd:: access-list NAME deny IPV4-NETWORK

   Set with ``seq``:

   .. code-block:: frr

      access-list filter deny 10.0.0.0/9

.. clicmd:: show ip access-list

   Display all.
"""
installed = pytest.mark.skipif(
    not any(folder.is_dir() for folder in FOLDERS), reason=f"FRR's documentation is missing: {INSTALL_COMMAND}"
)


def test_a_heading_and_each_group_of_commands_are_sections():
    assert [section.title for section in read(PAGE, name="filter")] == [
        "Filtering",
        "Filtering: IP Access List - access-list NAME permit IPV4-NETWORK",
        "Filtering: IP Access List - show ip access-list",
    ]


def test_commands_that_are_explained_together_stand_together():
    _, access_list, _ = read(PAGE, name="filter")
    assert access_list.text.splitlines()[:4] == [
        "access-list NAME permit IPV4-NETWORK",
        "access-list NAME deny IPV4-NETWORK",
        "",
        "   Set with seq:",
    ]


def test_markup_is_taken_out_and_examples_stay():
    first, access_list, _ = read(PAGE, name="filter")
    assert first.text == "FRR provides many filters."
    assert "      access-list filter deny 10.0.0.0/9" in access_list.text
    assert "code-block" not in access_list.text


def test_without_documentation_there_is_no_manual(tmp_path):
    assert sections((tmp_path / "none",)) == ()


def test_a_file_without_a_heading_is_titled_by_its_name(tmp_path):
    (tmp_path / "include-note.rst.txt").write_text("Save the configuration with ``write``.\n")
    assert [section.title for section in sections((tmp_path,))] == ["include-note"]


def test_pages_without_commands_are_left_out(tmp_path):
    for name in ("bgp", "installation"):
        (tmp_path / f"{name}.rst.txt").write_text(f"{name}\n=======\n\nText of {name}.\n")
    assert [section.title for section in sections((tmp_path,))] == ["bgp"]


@installed
def test_the_installed_guide_has_a_section_for_every_command():
    found = sections()
    assert len(found) > 1_000
    assert all(section.title and section.text for section in found)
    assert not [section.title for section in found if re.search(r"clicmd::|^\.\. ", section.text, re.MULTILINE)]


@installed
@pytest.mark.parametrize(
    ("query", "command"),
    [
        ("ospf cost of an interface", "ip ospf cost"),
        ("set local preference in a route map", "set local-preference LOCAL_PREF"),
        ("maximum number of prefixes from a bgp neighbor", "maximum-prefix"),
        ("as-path prepend", "set as-path prepend"),
        ("ospf stub area no summary", "area A.B.C.D stub no-summary"),
        ("rip timers", "timers basic"),
    ],
)
def test_a_question_finds_its_command(query, command):
    texts = [section.text for section in search({"frr": FrrDialect()}, query)]
    assert any(command in text for text in texts[:3])
