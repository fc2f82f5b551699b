"""What vtysh 8.4.4 and 10.3 were seen to print."""

from __future__ import annotations

import pytest

from pytest_netbench.platforms.frr import answers


@pytest.mark.parametrize(
    "output",
    [
        "% Unknown command: foo bar",
        "% Command incomplete: ip ospf",
        "% Ambiguous command: s",
        "% You can't configure stub to backbone",
        "% [BGP] Argument form is unsupported or malformed.",
        "% Create the peer-group or interface first",
        "% Refusing to remove a non-existent route",
        "% Configuration failed.\n\nError type: validation\nError description: Invalid prefix range",
        "BGP is already running; AS is 1",
        "Please remove all network commands first.",
        "There is already same network statement.",
        "can't compile regexp ^1[",
    ],
)
def test_a_refusal_is_an_error(output):
    assert answers.is_error(output)


@pytest.mark.parametrize(
    "output",
    [
        "",
        (
            'This command is deprecated, because it is not VRF-aware.\nPlease, use "ip ospf passive" on an interface'
            " instead."
        ),
        "The route-map 'NOPE' does not exist.",
        'For this router-id change to take effect, use "clear ip ospf process" command',
        "Note: this version of vtysh never writes vtysh.conf\nBuilding Configuration...",
        "% WARNING: profile foo is not known in this version",
    ],
)
def test_a_remark_is_not_an_error(output):
    assert not answers.is_error(output)


STDERR = """line 9: % Unknown command[17]:  foo bar
line 16: % Unknown command[41]:  network 10.0.0.0/33 area 0
line 17: % Command incomplete[41]:  timers throttle spf 1 2

"""


def test_the_first_numbered_complaint_counts_and_loses_its_node_number():
    rejection = answers.first_rejection("", STDERR)
    assert (rejection.line_number, rejection.device_message) == (9, "% Unknown command: foo bar")
    assert not rejection.by_daemon


def test_a_daemon_that_refuses_to_talk_on_is_quoted_in_its_own_words():
    stderr = "line 5: Failure to communicate[13] to bgpd, line: router bgp 65009\n\n"
    rejection = answers.first_rejection("BGP is already running; AS is 65001\n", stderr)
    assert (rejection.line_number, rejection.device_message) == (5, "BGP is already running; AS is 65001")
    assert rejection.by_daemon


def test_what_vtysh_of_frr_10_tells_of_its_own_work_is_not_the_words_of_the_daemon():
    said = [
        "[46|mgmtd] sending configuration",
        "[53|bgpd] sending configuration",
        "Waiting for children to finish applying config...",
    ]
    words = ["BGP instance name and AS number mismatch", "BGP instance is already running; AS is 1", ""]
    stderr = (
        "[46|mgmtd] done\nline 3: Failure to communicate[13] to bgpd, line: router bgp 2\n\n[53|bgpd] Configuration"
        " file[x] processing failure: 13\n"
    )
    rejection = answers.first_rejection("\n".join([*said, *words]), stderr)
    assert (rejection.line_number, rejection.device_message) == (3, " ".join(words).strip())


def test_no_numbered_complaint_is_no_rejection():
    assert answers.first_rejection("This command is deprecated\n", "") is None
