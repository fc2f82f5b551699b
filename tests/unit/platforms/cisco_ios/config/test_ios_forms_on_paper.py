"""One form of a command typed after another one leaves the running config of a boot with the other one.

Here configs are compared, on devices without a node. ``tests/labs/platforms/cisco_ios/test_ios_forms.py`` also compares
what runs. A sample runs, every day another one; ``NETBENCH_WHOLE_CORPUS=1`` runs all.
"""

from __future__ import annotations

import os
from collections.abc import Sequence

import pytest

from tests.support import parts as shares
from tests.support.ios import PaperDevice, paper
from tests.support.ios_forms import PLACES, Pair, commands
from tests.support.ios_histories import HISTORIES, history
from tests.support.ios_pairs import base, changed, enter, parts, traces, with_all
from tests.support.sampling import NUMBER

_ALL = [at for at, part in enumerate(parts()) if not history(part[0])]
_NUMBER = int(os.environ.get(NUMBER, "0"))
PARTS = shares.share(_ALL) if os.environ.get("NETBENCH_WHOLE_CORPUS") else _ALL[_NUMBER % 40 :: 40]


@pytest.mark.parametrize("part", PARTS)
def test_the_config_is_that_of_a_boot_with_what_was_typed_last(part: int) -> None:
    found = traces(parts()[part], _compared)
    assert not found, "\n".join(found)


def _compared(some: Sequence[Pair]) -> list[str]:
    device = _device(some[0], base(some[0]))
    # a class map has room for a few lines that say "not": those of all pairs at once would be too many
    enter(device, [(pair, line) for pair in some for line in (pair.first, pair.then)])
    booted = _device(some[0], with_all((pair, pair.then) for pair in some))
    return changed(device.running_config(), booted.running_config(), ordered=len(some) == 1)


def _device(pair: Pair, config: str) -> PaperDevice:
    return paper(startup=config, role=None if pair.role == "router" else pair.role)


def test_the_configs_to_which_forms_are_added_are_accepted() -> None:
    for part in (parts()[0], next(part for part in parts() if part[0].role == "switch")):
        assert _device(part[0], base(part[0])).refused_startup_lines == []


def test_every_command_that_has_an_effect_has_pairs_unless_it_only_enters_a_mode() -> None:
    tried = {(pair.role, pair.command) for part in parts() for pair in part}
    left_out = [known for role, mode, known in commands() if (role, f"{mode}: {known.pattern.text}") not in tried]
    assert [known.pattern.text for known in left_out if not known.command.opens] == []
    assert {pair.mode for part in parts() for pair in part} == {*PLACES}


def test_every_exception_says_why_and_is_one_of_a_pair() -> None:
    every = [pair for part in parts() for pair in part]
    for one in HISTORIES:
        assert one.why
        assert one.source
        assert any(one.holds(pair) for pair in every), one


def test_a_share_of_the_parts_is_asked_for_by_two_numbers() -> None:
    assert shares.share(range(7), "1/1") == [0, 1, 2, 3, 4, 5, 6]
    assert shares.share(range(7), "2/3") == [1, 4]
    for wrong in ("2", "0/3", "4/3", "a/b"):
        with pytest.raises(ValueError, match="expected i/n"):
            shares.share(range(7), wrong)
