"""Which cluster is used, and which is refused with a sentence."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import yaml

from pytest_netbench.backends.kubeconfig import settings
from pytest_netbench.errors import RequirementMissing, UsageError


@pytest.fixture
def config(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> dict[str, Any]:
    """A kubeconfig with two contexts, of which the environment names one."""
    monkeypatch.setenv(settings.FILES, str(tmp_path / "config"))
    monkeypatch.setenv(settings.CONTEXT, "lab")
    monkeypatch.setenv(settings.IMAGE, "python:3.12-slim")
    return {
        "clusters": [
            {"name": "a", "cluster": {"server": "https://192.0.2.1:6443/"}},
            {"name": "b", "cluster": {"server": "https://192.0.2.2"}},
        ],
        "users": [{"name": "me", "user": {"token": "secret"}}],
        "contexts": [
            {"name": "lab", "context": {"cluster": "a", "user": "me"}},
            {"name": "production", "context": {"cluster": "b", "user": "me"}},
        ],
        "current-context": "production",
    }


def write(content: object, tmp_path: Path) -> None:
    (tmp_path / "config").write_text(yaml.safe_dump(content))


def test_the_named_context_is_used_and_not_the_current_one(config: dict[str, Any], tmp_path: Path) -> None:
    write(config, tmp_path)
    found = settings.place()
    assert (found.context, found.server, found.token) == ("lab", "https://192.0.2.1:6443", "secret")
    assert "secret" not in repr(found)


def test_a_context_may_be_in_any_of_several_files(
    config: dict[str, Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write(config, tmp_path)
    monkeypatch.setenv(settings.FILES, f"{tmp_path / 'none'}:{tmp_path / 'config'}")
    assert settings.place().context == "lab"


@pytest.mark.parametrize("variable", [settings.CONTEXT, settings.IMAGE])
def test_what_is_not_named_is_not_guessed(
    config: dict[str, Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, variable: str
) -> None:
    write(config, tmp_path)
    monkeypatch.delenv(variable)
    with pytest.raises(RequirementMissing, match=f"{variable} is not set"):
        settings.place()


def test_an_unknown_context_is_answered_with_those_that_there_are(
    config: dict[str, Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write(config, tmp_path)
    monkeypatch.setenv(settings.CONTEXT, "lap")
    with pytest.raises(RequirementMissing, match=r"no context 'lap' \(known: lab, production\)"):
        settings.place()


@pytest.mark.parametrize(
    ("part", "field", "value", "said"),
    [
        ("users", "user", {"exec": {"command": "aws"}}, "logs in by 'exec'"),
        ("clusters", "cluster", {"server": "http://192.0.2.1"}, "not reached by HTTPS"),
        ("clusters", "cluster", {"server": "https://a", "insecure-skip-tls-verify": True}, "does not check its server"),
        ("clusters", "cluster", {"server": "https://a", "certificate-authority-data": "%"}, "cannot be read"),
        ("clusters", "cluster", {"server": "https://a", "certificate-authority-data": "YQ=="}, "cannot be used"),
        ("contexts", "context", {"cluster": "c", "user": "me"}, "names the cluster 'c'"),
    ],
)
def test_what_is_not_understood_or_not_safe_is_refused(
    config: dict[str, Any], tmp_path: Path, *, part: str, field: str, value: object, said: str
) -> None:
    config[part][0][field] = value
    write(config, tmp_path)
    with pytest.raises(UsageError, match=said):
        settings.place()


@pytest.mark.parametrize("content", ["a list", ["a"], {"contexts": [1]}])
def test_a_file_that_is_no_kubeconfig_is_an_error(
    config: dict[str, Any],
    tmp_path: Path,
    content: object,
) -> None:
    write(content, tmp_path)
    with pytest.raises(UsageError, match="no kubeconfig"):
        settings.place()
