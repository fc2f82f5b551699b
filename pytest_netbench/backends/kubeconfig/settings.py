"""Which cluster is used: the environment names it, and nothing is guessed."""

from __future__ import annotations

import base64
import binascii
import os
import shutil
import ssl
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

import yaml

from pytest_netbench.errors import RequirementMissing, UsageError

CONTEXT: Final = "NETBENCH_KUBE_CONTEXT"
"""Names the context. The current context of the file is never taken: it may be anybody's."""
IMAGE: Final = "NETBENCH_KUBE_IMAGE"
"""Names the image of pods, which has Python 3 and a shell."""
WAIT: Final = "NETBENCH_KUBE_WAIT_S"
FILES: Final = "KUBECONFIG"
ASSETS: Final = "KUBEBUILDER_ASSETS"
_WAIT_S: Final = 120.0
_DEFAULT_FILE: Final = "~/.kube/config"


@dataclass(frozen=True, kw_only=True)
class Place:
    """A cluster, and how it is used.

    Attributes:
        context: The context that names it.
        server: Its URL.
        token: Of the user; empty if a certificate says who that is.
        tls: How the server is checked.
        ca: Certificates by which it is checked, in base64; empty for those of this machine.
        image: Of pods.
        wait_s: How long namespaces are waited for that somebody else uses.
    """

    context: str
    server: str
    token: str = field(repr=False)
    tls: ssl.SSLContext = field(repr=False)
    ca: str = field(repr=False)
    image: str
    wait_s: float


def place() -> Place:
    """The cluster that the environment names.

    Raises:
        RequirementMissing: A variable is missing, or the file does not have the context.
        UsageError: The file cannot be read, or logs in by a way that is not known here.
    """
    wanted = {name: os.environ.get(name, "") for name in (CONTEXT, IMAGE)}
    for name, value in wanted.items():
        if not value:
            raise RequirementMissing(f"backend kubeconfig has no cluster: {name} is not set", f"export {name}=…")
    cluster, user, folder = _found(wanted[CONTEXT])
    server = str(cluster.get("server", ""))
    if not server.startswith("https://"):
        raise UsageError(f"context {wanted[CONTEXT]}: the server {server!r} is not reached by HTTPS")
    ca = _data(cluster, "certificate-authority", folder)
    return Place(
        context=wanted[CONTEXT],
        server=server.rstrip("/"),
        token=_token(user, folder),
        tls=_tls(cluster, user, ca, folder),
        ca=base64.b64encode(ca).decode(),
        image=wanted[IMAGE],
        wait_s=_wait_s(),
    )


def kubectl() -> Path:
    """The program that agents get.

    Raises:
        RequirementMissing: There is none.
    """
    folder = os.environ.get(ASSETS)
    found = shutil.which("kubectl", path=folder) if folder else shutil.which("kubectl")
    if found is None:
        raise RequirementMissing("there is no kubectl on the PATH", "install kubectl, or run `netbench kube install`")
    return Path(found)


def _wait_s() -> float:
    text = os.environ.get(WAIT, str(_WAIT_S))
    try:
        return float(text)
    except ValueError:
        raise UsageError(f"{WAIT}={text}: expected seconds") from None


def _found(name: str) -> tuple[Mapping[str, Any], Mapping[str, Any], Path]:
    """The cluster and the user of a context, and the folder of its file."""
    named = [one for one in os.environ.get(FILES, _DEFAULT_FILE).split(os.pathsep) if one]
    contexts: list[str] = []
    for path in (Path(one).expanduser() for one in named):
        text = _read(path)
        if text is None:
            continue
        parts = {kind: _entries(text, kind, path) for kind in ("context", "cluster", "user")}
        contexts += parts["context"]
        if name in parts["context"]:
            context = parts["context"][name]
            return (
                _part(parts["cluster"], context, "cluster", path),
                _part(parts["user"], context, "user", path),
                path.parent,
            )
    known = f"known: {', '.join(sorted(contexts))}" if contexts else "there is none"
    raise RequirementMissing(
        f"{', '.join(named)}: no context {name!r} ({known})", f"export {CONTEXT}=NAME, and {FILES}=FILE"
    )


def _read(path: Path) -> Any:
    try:
        found = yaml.safe_load(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        return None
    except (OSError, UnicodeError, yaml.YAMLError) as error:
        raise UsageError(f"{path} cannot be read as a kubeconfig: {error}") from None
    if not isinstance(found, dict):
        raise UsageError(f"{path} is no kubeconfig: expected a mapping")
    return found


def _entries(text: Mapping[str, Any], kind: str, path: Path) -> dict[str, Any]:
    try:
        return {str(one["name"]): one.get(kind) or {} for one in text.get(f"{kind}s") or ()}
    except (TypeError, KeyError, AttributeError):
        raise UsageError(f"{path} is no kubeconfig: {kind}s is no list of named entries") from None


def _part(entries: Mapping[str, Any], context: Mapping[str, Any], kind: str, path: Path) -> Mapping[str, Any]:
    name = str(context.get(kind))
    if name not in entries:
        raise UsageError(f"{path}: a context names the {kind} {name!r}, which is not there")
    found: Mapping[str, Any] = entries[name]
    return found


def _token(user: Mapping[str, Any], folder: Path) -> str:
    for way in ("exec", "auth-provider", "username"):
        if way in user:
            raise UsageError(
                f"the user of the context logs in by {way!r}, which backend kubeconfig does not do: give it a token"
                " or a client certificate"
            )
    if "tokenFile" in user and "token" not in user:
        return (folder / str(user["tokenFile"])).read_text(encoding="utf-8").strip()
    return str(user.get("token", ""))


def _data(entry: Mapping[str, Any], name: str, folder: Path) -> bytes:
    """What a field has, in place or in a file; empty if it is not there."""
    try:
        if f"{name}-data" in entry:
            return base64.b64decode(entry[f"{name}-data"], validate=True)
        return (folder / str(entry[name])).read_bytes() if name in entry else b""
    except (OSError, binascii.Error, TypeError) as error:
        raise UsageError(f"{name} of the context cannot be read: {error}") from None


def _tls(cluster: Mapping[str, Any], user: Mapping[str, Any], ca: bytes, folder: Path) -> ssl.SSLContext:
    if cluster.get("insecure-skip-tls-verify"):
        raise UsageError("the context does not check its server (insecure-skip-tls-verify): it is not used")
    try:
        context = ssl.create_default_context(cadata=ca.decode() if ca else None)
        certificate, key = (_data(user, name, folder) for name in ("client-certificate", "client-key"))
        if certificate:
            with tempfile.NamedTemporaryFile(prefix="netbench-") as file:  # the module reads files only
                file.write(certificate + b"\n" + key)
                file.flush()
                context.load_cert_chain(file.name)
    except (ssl.SSLError, UnicodeError) as error:
        raise UsageError(f"a certificate of the context cannot be used: {error}") from None
    return context
