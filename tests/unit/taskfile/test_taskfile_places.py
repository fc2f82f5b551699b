"""A line of a configuration is found in the file, in whatever form it is written there."""

from __future__ import annotations

import json
from textwrap import dedent

import pytest

from pytest_netbench.taskfile.places import TRUTH, Places

FORMS = dedent("""\
    startup_configs:
      A: |
        one two

         three four
      B: >
        one two

        three four five
        six
      C: "one two\\n three  four"
      D: [one two, "three four",
          five six]
      E: one two
        three four
    ground_truth_configs:
      A: |
        ! for the reader
        ip a
        # too

        ip b
      B:
        - x y
        - "a b c"
    """)


@pytest.fixture
def found(write):
    """The text of a file at the place of a line."""

    def _found(content, name, steps, *, size):
        path = write(content, name)
        places = Places(path)
        line, column = places.startup(*steps) if isinstance(steps[0], str) else places.command(*steps)
        return content.split("\n")[line - 1][column - 1 : column - 1 + size]

    return _found


@pytest.mark.parametrize(
    ("steps", "word"),
    [
        (("A", 1, 4), "two"),
        (("A", 3, 1), "three"),
        (("A", 3, 7), "four"),
        (("B", 1, 4), "two"),
        (("B", 2, 6), "four"),
        (("B", 2, 16), "six"),
        (("C", 1, 4), "two"),
        (("C", 2, 8), "four"),
        (("D", 1, 4), "two"),
        (("D", 2, 6), "four"),
        (("D", 3, 5), "six"),
        (("E", 1, 8), "three"),
        (((TRUTH, "A"), 0, 3), "a"),
        (((TRUTH, "A"), 1, 3), "b"),
        (((TRUTH, "B"), 0, 2), "y"),
        (((TRUTH, "B"), 1, 4), "c"),
    ],
)
def test_a_word_of_a_configuration_is_found(found, steps, word):
    assert found(FORMS, "a.task.yaml", steps, size=len(word)) == word


@pytest.mark.parametrize(
    ("steps", "word"),
    [
        (("R1", 1, 0), "hostname"),
        (("R1", 2, 10), "Gi0/0"),
        (("R1", 3, 12), "10.0.0.1"),
        (("R2", 2, 2), "d"),
        (((TRUTH, "R1"), 0, 3), "route"),
    ],
)
def test_a_word_of_a_string_of_json_is_found(found, steps, word):
    startup = {"R1": "hostname n\r\ninterface Gi0/0\r\n ip address 10.0.0.1 255.0.0.0\r\n", "R2": ["a b", "c d"]}
    text = json.dumps({"startup_configs": startup, TRUTH: {"R1": ["ip route x"]}})
    assert found(text, "a.task.json", steps, size=len(word)) == word


def test_white_space_that_a_device_leaves_out_counts(write):
    places = Places(write("startup_configs:\n  R1: |\n    interface eth0\n     ip address x\n"))
    assert places.startup("R1", 2, 0, line="ip address x") == (4, 6)
    assert places.startup("R1", 2, 11, line="ip address x") == (4, 17)


def test_what_the_file_does_not_have_is_placed_at_what_is_around_it(write):
    places = Places(write(FORMS))
    assert places.startup("Z", 1) == (1, 1)
    assert places.command((TRUTH, "B"), 9) == (23, 3)
