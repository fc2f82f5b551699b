"""What the driver knows of EOS and Junos, held to the definitions that scrapli ships."""

from __future__ import annotations

from importlib.resources import files

import pytest
import yaml

from pytest_netbench.platforms.cli_ssh.pasting import prompt_at_end
from pytest_netbench.platforms.cli_ssh.system import System
from pytest_netbench.platforms.cli_ssh.systems.arista_eos import ARISTA_EOS
from pytest_netbench.platforms.cli_ssh.systems.cisco_ios import CISCO_IOS
from pytest_netbench.platforms.cli_ssh.systems.juniper_junos import JUNIPER_JUNOS

SYSTEMS = {"arista_eos": ARISTA_EOS, "juniper_junos": JUNIPER_JUNOS, "cisco_iosxe": CISCO_IOS}
# what a server of AAA says, which is no answer of IOS itself
OTHERS = {"Command authorization failed"}


def definition(name: str) -> dict:
    return yaml.safe_load((files("scrapli") / "definitions" / f"{name}.yaml").read_text())


@pytest.mark.parametrize(("name", "system"), SYSTEMS.items())
def test_all_that_scrapli_takes_for_a_failure_is_a_refusal(name: str, system: System):
    known = [one for one in definition(name)["failure_indicators"] if one not in OTHERS]
    assert len(known) > 3
    assert [one for one in known if not system.refused.search(f"  {one}.\n")] == []


@pytest.mark.parametrize(("name", "system"), SYSTEMS.items())
def test_modes_are_entered_and_left_by_the_commands_that_scrapli_types(name: str, system: System):
    modes = {mode["name"]: mode for mode in definition(name)["modes"]}
    typed = {
        (mode["name"], to["name"]): [next(iter(one.values()))["input"] for one in to["instructions"]]
        for mode in modes.values()
        for to in mode["accessible_modes"]
    }
    base = "privileged_exec" if "privileged_exec" in modes else "exec"
    within = "configuration_exclusive" if name == "juniper_junos" else "configuration"
    assert typed[base, within] == [system.configure]
    assert typed[within, base] == [system.leave]
    if system.enable is not None:
        assert typed["exec", "privileged_exec"] == [system.enable]
        assert typed["privileged_exec", "exec"] == [system.disable]


@pytest.mark.parametrize(
    ("system", "prompt", "configures", "is_top"),
    [
        (ARISTA_EOS, "s1#", False, False),
        (ARISTA_EOS, "s1(config)#", True, True),
        (ARISTA_EOS, "s1(config-if-Et1/1)#", True, False),
        (ARISTA_EOS, "s1(config-router-bgp-vrf-A_LONG_NAME_OF_A_VRF_IN_USE)#", True, False),
        (JUNIPER_JUNOS, "admin@r1>", False, False),
        (JUNIPER_JUNOS, "admin@r1#", True, True),
        (CISCO_IOS, "R1(config-if)#", True, False),
    ],
)
def test_prompts(system: System, prompt: str, configures: bool, is_top: bool):
    assert prompt_at_end(f"said\n{prompt} ") == prompt
    assert bool(system.configuring.search(prompt)) is configures
    assert bool(system.top.search(prompt)) is is_top
