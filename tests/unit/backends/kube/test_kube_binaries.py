"""Where the programs of a control plane are found, and what is said if they are not."""

from __future__ import annotations

from pathlib import Path

import pytest

from pytest_netbench.backends.kube import binaries, checks
from pytest_netbench.errors import RequirementMissing
from tests.support.kube_programs import write


@pytest.fixture(autouse=True)
def nothing_found(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """No program of this machine."""
    monkeypatch.delenv(binaries.VARIABLE, raising=False)
    monkeypatch.delenv(binaries.OWN_VARIABLE, raising=False)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.setenv("PATH", f"{tmp_path / 'bin'}:/bin")


def test_without_any_program_the_remedy_is_to_install_them() -> None:
    with pytest.raises(RequirementMissing, match="no Kubernetes control plane") as error:
        binaries.find()
    assert error.value.remedy == "netbench kube install"


def test_the_folder_that_is_named_comes_before_the_variable_the_cache_and_the_path(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write(tmp_path / "bin", "1.30.1")
    assert (binaries.find().version, binaries.find().folder) == ("1.30.1", None)
    for release in ("1.9.9", "1.31.2"):
        installed = binaries.installations() / release
        write(installed, release)
        (installed / binaries.COMPLETE).touch()
    assert binaries.find().version == "1.31.2"
    write(tmp_path / "assets", "1.32.3")
    monkeypatch.setenv(binaries.VARIABLE, str(tmp_path / "assets"))
    assert binaries.find().version == "1.32.3"
    write(tmp_path / "named", "1.33.4")
    found = binaries.find(tmp_path / "named")
    assert found.version == "1.33.4"
    assert found.kubectl == tmp_path / "named/kubectl"


def test_the_folder_of_the_projects_own_variable_is_the_only_place(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write(tmp_path / "bin", "1.36.3")
    monkeypatch.setenv(binaries.OWN_VARIABLE, str(tmp_path / "own"))
    with pytest.raises(RequirementMissing, match="own lacks etcd"):
        binaries.find()
    write(tmp_path / "own", "1.35.1")
    assert binaries.find().version == "1.35.1"


def test_of_several_names_of_one_file_only_one_is_asked_for_its_release(tmp_path: Path) -> None:
    folder, asked = tmp_path / "one", tmp_path / "asked"
    folder.mkdir()
    program = folder / "etcd"
    program.write_text(f'#!/bin/sh\necho "${{0##*/}}" >> {asked}\necho 1.36.3\n')
    program.chmod(0o755)
    for name in binaries.KUBERNETES:
        (folder / name).hardlink_to(program)
    assert binaries.find(folder).version == "1.36.3"
    assert sorted(asked.read_text().split()) == ["etcd", "kube-apiserver"]


def test_the_doctor_says_which_programs_there_are_and_what_to_do(tmp_path: Path) -> None:
    missing, packages = checks.checks()
    assert (missing.ok, missing.required, missing.remedy) == (False, True, "netbench kube install")
    assert packages.ok
    write(tmp_path / "bin", "1.36.3")
    assert checks.checks()[0].detail == "1.36.3, etcd 3.6.8, on the PATH"


def test_an_installation_that_was_interrupted_is_not_used(tmp_path: Path) -> None:
    write(binaries.installations() / "1.36.3", "1.36.3")
    with pytest.raises(RequirementMissing):
        binaries.find()


def test_a_place_that_has_some_programs_is_passed_over_unless_it_was_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write(tmp_path / "assets", "1.36.3")
    (tmp_path / "assets/kube-scheduler").unlink()
    monkeypatch.setenv(binaries.VARIABLE, str(tmp_path / "assets"))
    with pytest.raises(RequirementMissing, match=r"assets \(KUBEBUILDER_ASSETS\) lacks kube-scheduler; the PATH lacks"):
        binaries.find()
    write(tmp_path / "bin", "1.30.1")
    assert binaries.find().version == "1.30.1"
    with pytest.raises(RequirementMissing, match="assets lacks kube-scheduler"):
        binaries.find(tmp_path / "assets")


def test_all_programs_come_from_one_place(tmp_path: Path) -> None:
    write(tmp_path / "bin", "1.36.3")
    write(tmp_path / "named", "1.36.3")
    (tmp_path / "named/etcd").unlink()
    (tmp_path / "named/kube-scheduler").unlink()
    with pytest.raises(RequirementMissing, match=r"named lacks etcd, kube-scheduler \(fix: netbench kube install\)"):
        binaries.find(tmp_path / "named")


def test_a_folder_that_is_named_and_empty_is_not_passed_over(tmp_path: Path) -> None:
    write(tmp_path / "bin", "1.36.3")
    with pytest.raises(RequirementMissing, match="nowhere lacks etcd, kube-apiserver"):
        binaries.find(tmp_path / "nowhere")


@pytest.mark.parametrize(
    ("kubectl", "fits"), [("1.35.9", True), ("1.37.0", True), ("1.34.1", False), ("2.36.3", False)]
)
def test_programs_of_the_cluster_are_at_most_one_minor_release_apart(tmp_path: Path, kubectl: str, fits: bool) -> None:
    write(tmp_path / "named", "1.36.3", kubectl=kubectl)
    if fits:
        assert binaries.find(tmp_path / "named").version == "1.36.3"
        return
    with pytest.raises(RequirementMissing, match=f"kube-apiserver 1.36.3 and kubectl {kubectl}"):
        binaries.find(tmp_path / "named")


def test_a_program_that_cannot_be_run_is_named(tmp_path: Path) -> None:
    write(tmp_path / "named", "1.36.3")
    (tmp_path / "named/etcd").write_bytes(b"\x7fELFnone")
    with pytest.raises(RequirementMissing, match=r"named/etcd cannot be run: .*Exec format error"):
        binaries.find(tmp_path / "named")
    (tmp_path / "named/etcd").write_text("#!/bin/sh\necho not today >&2; exit 3\n")
    with pytest.raises(RequirementMissing, match="named/etcd names no release; it said: not today"):
        binaries.find(tmp_path / "named")
