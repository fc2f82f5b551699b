"""One real control plane: etcd, API server, controllers and scheduler, in namespaces of their own."""

from __future__ import annotations

import contextlib
import http.client
import os
import secrets
import socket
import threading
import time
from collections.abc import Collection
from pathlib import Path
from typing import Final

from pytest_netbench.backends.kube import certificates, components
from pytest_netbench.backends.kube.api import Api
from pytest_netbench.backends.kube.binaries import Binaries
from pytest_netbench.backends.kube.etcd import Etcd
from pytest_netbench.backends.kube.snapshots import ALL, Snapshot
from pytest_netbench.backends.kube.supervised import Namespaces
from pytest_netbench.errors import LabError

_UP_S: Final = 120.0
_RESET_S: Final = 8.0
_POLL_S: Final = 0.02
_LOG_LINES: Final = 12
_KUBECONFIG: Final = """\
apiVersion: v1
kind: Config
clusters: [{{name: lab, cluster: {{server: "https://127.0.0.1:{port}", certificate-authority: {ca}}}}}]
users: [{{name: control-plane, user: {{token: {token}}}}}]
contexts: [{{name: lab, context: {{cluster: lab, user: control-plane}}}}]
current-context: lab
"""


class ControlPlane:
    """A control plane that runs. It ends with this process at the latest."""

    def __init__(self, binaries: Binaries, namespaces: Namespaces, keys: certificates.Keys) -> None:
        self._namespaces = namespaces
        self._keys = keys
        self.version = binaries.version
        self.ca_pem = keys.ca
        self.admin_token = secrets.token_urlsafe(24)
        self.api = Api(self.connect, ca=self.ca_pem, token=self.admin_token)
        self._etcd: Etcd | None = None
        self._etcd_lock = threading.Lock()
        self._snapshot: Snapshot | None = None
        self._resetting: threading.Thread | None = None
        self._was_left = False
        self._files = [_kept("certificate", keys.certificate), _kept("key", keys.key)]

    @classmethod
    def start(cls, binaries: Binaries) -> ControlPlane:
        """Start all components; returns when the controllers have made what every cluster has.

        Raises:
            LabError: The machine forbids the namespaces, or a component does not come up; it has the end of the log.
        """
        namespaces = Namespaces()
        plane = cls(binaries, namespaces, certificates.make())
        try:
            plane._bring_up(binaries)
        except BaseException:
            plane.stop()
            raise
        return plane

    @property
    def server_certificate(self) -> tuple[Path, Path]:
        """The API server's certificate and key, as files of this process that end with it."""
        certificate, key = self._files
        return _path(certificate), _path(key)

    @property
    def pid(self) -> int:
        """The process that all others of the control plane descend from."""
        return self._namespaces.pid

    @property
    def alive(self) -> bool:
        """Whether all components run."""
        try:
            return all(program.status is None for program in self._namespaces.programs().values())
        except LabError:
            return False

    @property
    def problems(self) -> str:
        """Which components have ended, with the ends of their logs; empty if none has."""
        try:
            programs = self._namespaces.programs()
        except LabError as error:
            return str(error)
        ended = {name: one for name, one in programs.items() if one.status is not None}
        return "\n".join(f"{name} ended with status {one.status}: {_end(one.log)}" for name, one in ended.items())

    def connect(self) -> socket.socket:
        """Return a TCP socket that is connected to the API server's secure port; for any thread.

        Raises:
            LabError: The control plane has ended.
        """
        try:
            return self._namespaces.connect(port=components.SECURE_PORT)
        except ConnectionError as error:
            raise LabError(f"the API server takes no connection: {error}; {self.problems}") from error

    def remove(self, *prefixes: str, kept: Collection[str] = ()) -> None:
        """Remove all objects below keys of etcd; for any thread. Nothing waits for finalizers or grace periods.

        Args:
            prefixes: Of the keys, without that of all.
            kept: Keys, without that of all, of objects that stay.

        Raises:
            LabError: The control plane has ended.
        """
        with self._etcd_lock:
            if self._etcd is None:
                raise LabError("the control plane was ended")
            self._etcd.remove((ALL + one.encode() for one in prefixes), kept=[ALL + one.encode() for one in kept])

    def reset(self) -> None:
        """Bring all objects back to those of a fresh cluster. Where that fails, the control plane is ended.

        It costs little where nothing was changed.
        """
        if self._snapshot is None or self._etcd is None:
            return
        try:
            with self._etcd_lock:
                self._snapshot.restore(self._etcd, self.api, within_s=_RESET_S)
        except LabError:
            self.stop()

    def reset_beside(self) -> None:
        """Reset while the next trial is prepared. ``begin`` waits for the end, so nobody writes anything before."""
        self.await_reset()
        self._was_left = True
        self._resetting = threading.Thread(target=self._reset_or_stop, name="netbench-reset", daemon=True)
        self._resetting.start()

    def await_reset(self) -> None:
        """Return once the reset that goes on has ended."""
        if self._resetting is not None:
            self._resetting.join()
            self._resetting = None

    def begin(self) -> None:
        """Let a cluster begin: return once the reset of the one before has ended, and still holds.

        What a controller wrote so late that the reset did not see it is gone afterwards, too.
        """
        self.await_reset()
        if self._was_left:
            self._was_left = False
            self._reset_or_stop()

    def _reset_or_stop(self) -> None:
        try:
            self.reset()
        except BaseException:
            self.stop()
            raise

    def stop(self) -> None:
        """End all components; returns when they have ended."""
        self._namespaces.close()
        while self._files:
            os.close(self._files.pop())

    def _bring_up(self, binaries: Binaries) -> None:
        until = time.monotonic() + _UP_S
        files = self._write_files()
        start = self._namespaces.start
        for name, program, component in (
            ("etcd", binaries.etcd, components.etcd()),
            ("kube-apiserver", binaries.apiserver, components.apiserver(files)),
        ):
            start(name, program, component.arguments, component.env)
        self._await_ready(until)
        for name, program, component in (
            ("kube-controller-manager", binaries.controller_manager, components.controller_manager(files)),
            ("kube-scheduler", binaries.scheduler, components.scheduler(files)),
        ):
            start(name, program, component.arguments, component.env)
        self._etcd = Etcd(self._namespaces.connect(path=components.ETCD_SOCKET))
        self._snapshot = Snapshot.take(self._etcd, self.api, within_s=until - time.monotonic())

    def _write_files(self) -> dict[str, str]:
        keys, write = self._keys, self._namespaces.write
        components_token = secrets.token_urlsafe(24)
        files = {
            "ca": write("ca.pem", keys.ca),
            "certificate": write("apiserver.pem", keys.certificate),
            "key": write("apiserver.key", keys.key),
            "accounts": write("accounts.key", keys.accounts),
            "tokens": write(
                "tokens.csv",
                f'{self.admin_token},netbench,netbench,"system:masters"\n'
                f'{components_token},control-plane,control-plane,"system:masters"\n',
            ),
        }
        kubeconfig = _KUBECONFIG.format(port=components.SECURE_PORT, ca=files["ca"], token=components_token)
        return {**files, "kubeconfig": write("kubeconfig", kubeconfig)}

    def _await_ready(self, until: float) -> None:
        said = "nothing listens"
        while time.monotonic() < until:
            if problems := self.problems:
                raise LabError(f"the control plane did not come up: {problems}")
            try:
                connection = self._namespaces.connect(port=components.SECURE_PORT)
            except ConnectionError as error:
                said = str(error)
            else:
                connection.close()
                # it listens long before it serves
                with contextlib.suppress(LabError):
                    status, said = self.api.request("GET", "/readyz")
                    if status == http.client.OK:
                        return
            time.sleep(_POLL_S)
        logs = "\n".join(f"{name}: {_end(one.log)}" for name, one in self._namespaces.programs().items())
        raise LabError(f"the control plane did not come up within {_UP_S:.0f} s ({said}): {logs}")


def _kept(name: str, text: str) -> int:
    descriptor = os.memfd_create(name)
    os.write(descriptor, text.encode())
    return descriptor


def _path(descriptor: int) -> Path:
    return Path(f"/proc/{os.getpid()}/fd/{descriptor}")


def _end(log: str) -> str:
    return "\n".join(log.strip().splitlines()[-_LOG_LINES:]) or "it wrote nothing"
