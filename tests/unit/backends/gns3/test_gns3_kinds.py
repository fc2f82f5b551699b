"""The table of kinds for GNS3: beside that of containerlab, with templates found by name."""

from __future__ import annotations

from pathlib import Path

import pytest

from pytest_netbench.backends.containerlab import kinds as containers
from pytest_netbench.backends.gns3.kinds import VARIABLE, Kind, table, template_of
from pytest_netbench.errors import RequirementMissing, UsageError

TEMPLATES = [{"name": name, "template_id": name.lower()} for name in ("VPCS", "Cisco IOSv 15.9", "Alpine", "NAT")]


@pytest.fixture
def own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    path = tmp_path / "kinds.yaml"
    monkeypatch.setenv(VARIABLE, str(path))
    return path


def test_one_file_has_the_entries_of_both_backends(own: Path) -> None:
    own.write_text(
        "linux: {image: my/host, gns3: {boot-s: 7}}\n"
        "arista_eos: {kind: arista_ceos, image: ceos, driver: arista_eos, gns3: {template: my EOS}}\n"
    )
    assert (table()["linux"].template, table()["linux"].boot_s) == ("VPCS", 7)
    assert (table()["arista_eos"].template, table()["arista_eos"].driver) == ("my EOS", "arista_eos")
    assert containers.table()["linux"].kind.image == "my/host"
    assert containers.table()["arista_eos"].kind.image == "ceos"
    assert "devices" not in containers.table()


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("frr: {gns3: {driver: frr}}", "frr.gns3.template: Field required"),
        ("linux: {gns3: {console: vnc}}", "linux.gns3.console: Input should be 'vpcs', 'shell' or 'device'"),
        (
            "linux: {gns3: {images: x}}",
            "linux.gns3.images: Extra inputs are not permitted (known: username, password,",
        ),
        ("linux: {gns3: VPCS}", "linux.gns3: expected a mapping"),
    ],
)
def test_an_entry_that_is_nonsense_is_refused_with_its_place(own: Path, text: str, said: str) -> None:
    own.write_text(text)
    with pytest.raises(UsageError) as caught:
        table()
    assert said in str(caught.value)


def test_a_password_is_read_from_the_environment_and_never_shown(monkeypatch: pytest.MonkeyPatch) -> None:
    kind = Kind(template="x", driver="y", username="admin", password="$MY_SECRET", enable_secret="plain")
    with pytest.raises(RequirementMissing, match="the variable MY_SECRET is not set"):
        kind.credentials()
    monkeypatch.setenv("MY_SECRET", "s3cret")
    assert kind.credentials().password == "s3cret"
    assert (kind.credentials().username, kind.credentials().enable_secret) == ("admin", "plain")
    assert "s3cret" not in repr(kind.credentials())
    assert "plain" not in repr(kind)


def test_a_template_is_found_by_its_name() -> None:
    assert template_of("VPCS", TEMPLATES)["template_id"] == "vpcs"
    assert template_of("vpcs", TEMPLATES)["template_id"] == "vpcs"


def test_a_missing_template_is_named_with_near_ones_and_the_fix() -> None:
    with pytest.raises(RequirementMissing) as caught:
        template_of("Cisco IOSv", TEMPLATES)
    assert str(caught.value) == (
        "the GNS3 server has no template 'Cisco IOSv' (known: Alpine, Cisco IOSv 15.9, NAT, VPCS). "
        "Did you mean 'Cisco IOSv 15.9'? (fix: make it in GNS3, or name another one in the file of NETBENCH_KINDS)"
    )
