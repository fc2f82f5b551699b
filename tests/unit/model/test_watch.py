from __future__ import annotations

from pytest_netbench.model.trial import Findings
from pytest_netbench.model.watch import Watch, WatchedFlow, WatchedStep

FLOWS = tuple(WatchedFlow(source="h1", target=f"h{n}", address=f"10.0.0.{n}") for n in (2, 3, 4))


def watch(*steps: WatchedStep, wrong_before: tuple[int, ...] = ()) -> Watch:
    return Watch(flows=FLOWS, wrong_before=wrong_before, steps=steps)


def test_the_state_after_each_step_follows_from_what_it_changed():
    seen = watch(
        WatchedStep(number=1, at_s=0, broke=(2,), mended=(0,)),
        WatchedStep(number=3, at_s=1, mended=(1, 2)),
        wrong_before=(0, 1),
    )
    assert [sorted(state) for state in seen.states()] == [[0, 1], [1, 2], []]


def test_a_watch_survives_json():
    findings = Findings(watch=watch(WatchedStep(number=1, at_s=0.5, device="r0", what="ip link", broke=(1,))))
    assert Findings.model_validate_json(findings.model_dump_json()) == findings


def test_a_flow_names_its_service():
    assert str(FLOWS[0]) == "h1 -> h2 (10.0.0.2) icmp"
    assert str(FLOWS[0].model_copy(update={"protocol": "tcp", "port": 80})) == "h1 -> h2 (10.0.0.2) tcp/80"
