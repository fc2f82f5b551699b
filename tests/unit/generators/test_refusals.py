"""Parameters that nothing can be drawn with: the error names the one that excludes it."""

from __future__ import annotations

import re

import pytest

from pytest_netbench.errors import UsageError
from pytest_netbench.generators.refusals import ways_out
from pytest_netbench.generators.repair_network import RepairNetworkParameters
from pytest_netbench.generators.series import read_series

ADVICE = "To make a draw possible, change one of these: "


def refused(series: str) -> str:
    with pytest.raises(UsageError) as caught:
        read_series(series)
    return str(caught.value)


@pytest.mark.parametrize(
    ("series", "said"),
    [
        (
            "repair-network:shapes=sdn-leaf-spine,n=1",
            "needs routings=openflow (given: bgp+ospf+static) and platforms=openvswitch (given: cisco_ios+frr)",
        ),
        ("repair-network:shapes=campus,platforms=mixed", "shape campus needs platforms=cisco_ios (given: mixed)"),
        ("diagnose:shapes=campus,routings=bgp", "shape campus needs routings=ospf (given: bgp)"),
        ("troubleshoot:shapes=line+ring,platforms=openvswitch", "shapes line, ring need platforms=cisco_ios or frr or"),
        ("repair-network:shapes=line,faults=vlan-wrong,level=1", "has a place for vlan-wrong"),
        ("repair-network:faults=vlan-wrong,level=3", "has places for 3 faults (level=3) of vlan-wrong"),
        ("repair-network:faults=nat-side-wrong,services=filter,level=1", "services=filter has a place for nat-side-wr"),
    ],
)
def test_a_refusal_names_what_excludes_the_draw_and_no_list_of_faults(series, said):
    message = refused(series)
    assert said in message
    assert "access-list-order" not in message
    assert len(message) < 700


@pytest.mark.parametrize(
    "series",
    [
        "repair-network:shapes=campus,platforms=mixed",
        "repair-network:shapes=sdn-leaf-spine",
        "repair-network:routings=openflow",
        "repair-network:shapes=line,faults=vlan-wrong,level=1",
        "repair-network:faults=vlan-wrong",
        "repair-network:services=dhcp,hosts=1",
        "diagnose:shapes=campus,routings=bgp",
        "diagnose:faults=bgp-rpki-invalid-accepted,level=1",
        "diagnose:services=lb+web,hosts=1",
        "troubleshoot:shapes=isp,platforms=openvswitch",
        "repair-routing:labels=DR,level=4",
        "plan:labels=IF",
        "plan:level=3,labels=A",
    ],
)
def test_each_parameter_that_a_refusal_names_makes_a_draw_possible_when_it_is_changed_alone(series):
    message = refused(series)
    name, _, written = series.partition(":")
    given = dict(pair.split("=") for pair in written.split(","))
    changes = message.partition(ADVICE)[2].split("; ")
    assert changes != [""]
    for change in changes:
        if change.startswith("leave out "):
            tries = [{key: value for key, value in given.items() if key != change.removeprefix("leave out ")}]
        else:
            key, _, values = change.partition("=")
            tries = [{**given, key: value} for value in values.split(" or ")]
        for one in tries:
            assert read_series(f"{name}:{','.join(f'{key}={value}' for key, value in one.items())}").count == 10


def test_two_parameters_are_named_if_no_change_of_one_is_enough():
    message = refused("repair-network:shapes=sdn-leaf-spine,faults=vlan-wrong")
    assert message.endswith("change two parameters: leave out shapes, and leave out faults")


def test_further_values_are_tried_for_a_limited_time_and_what_helps_most_often_in_any_case():
    tried = []
    moments = iter(range(0, 1000, 10))

    def possible(given):
        tried.append(dict(given))
        return given == {"level": "1"}

    given = {"level": "3", "shapes": "campus"}
    assert ways_out(RepairNetworkParameters, given, possible, clock=lambda: next(moments)) == (
        "To make a draw possible, change two parameters: leave out shapes, and level=1"
    )
    assert {"shapes": "campus"} in tried
    assert len(tried) < 20


def test_a_value_that_is_no_word_of_a_parameter_is_answered_with_the_nearest_one_and_no_long_list():
    message = refused("repair-network:faults=vlan-wrogn")
    assert "faults=vlan-wrogn: unknown 'vlan-wrogn'. Did you mean 'vlan-wrong'?" in message
    assert "access-list-order" not in message
    assert "unknown 'bus' (known: campus, clos, " in refused("diagnose:shapes=bus")


def test_an_unknown_generator_is_answered_with_near_task_files(tmp_path, monkeypatch):
    (tmp_path / "tasks" / "routing").mkdir(parents=True)
    (tmp_path / "tasks" / "routing" / "two-sites.task.yaml").write_text("")
    monkeypatch.chdir(tmp_path)
    assert re.search(
        r"unknown generator 'two-sites' \(known: .*\)\. Did you mean tasks/routing/two-sites\.task\.yaml\?$",
        refused("two-sites"),
    )
    assert "tasks is a file or folder, and tasks are drawn by generators (known: " in refused("tasks")
    assert "Did you mean 'repair-network'?" in refused("repair-netwrk:n=3")
