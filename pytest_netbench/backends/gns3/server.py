"""The REST interface of a GNS3 server: version 3 of GNS3 3.x, version 2 of GNS3 2.2."""

from __future__ import annotations

import base64
import http.client
import json
import os
import re
import ssl
import threading
import urllib.error
import urllib.request
from dataclasses import dataclass
from typing import Any, Final, Self
from urllib.parse import urlsplit

from pytest_netbench.errors import LabDied, LabError, RequirementMissing, UsageError

URL: Final = "NETBENCH_GNS3"
USER: Final = "NETBENCH_GNS3_USER"
PASSWORD: Final = "NETBENCH_GNS3_PASSWORD"  # noqa: S105 - the name of a variable
CERTIFICATES: Final = "NETBENCH_GNS3_CA"
COMPUTE: Final = "NETBENCH_GNS3_COMPUTE"
DEFAULT_URL: Final = "http://127.0.0.1:3080"
OLDEST: Final = (2, 2)
"""The oldest release that is accepted."""
_LOCAL: Final = "local"
_ASKED_S = 10.0
_LONGEST = 600
_RELEASE = re.compile(r"(\d+)\.(\d+)")


class Refused(LabError):
    """The server answered that it does not do what was asked."""

    def __init__(self, message: str, *, status: int) -> None:
        super().__init__(message)
        self.status = status


class Denied(Refused):
    """The server does not let this user in."""


class Unreachable(LabDied):
    """The server does not answer."""


@dataclass(frozen=True, kw_only=True)
class Place:
    """Where a server is, and as whom to ask it.

    Attributes:
        url: Its address without a path.
        user: The user; empty if it asks for none.
        password: The password. Never printed.
        certificates: A file of certificates that are trusted beside those of this machine.
        compute: Number or name of the compute on which nodes run.
        named: Whether somebody named the server; else it is where one is by default.
        timeout_s: A server that answers later hangs.
    """

    url: str = DEFAULT_URL
    user: str = ""
    password: str = ""
    certificates: str | None = None
    compute: str = _LOCAL
    named: bool = False
    timeout_s: float = 60.0

    @classmethod
    def of_environment(cls) -> Self:
        """As the variables of the environment say.

        Raises:
            UsageError: The address is none.
        """
        asked = os.environ.get(URL, "")
        parts = urlsplit(asked or DEFAULT_URL)
        if parts.scheme not in ("http", "https") or not parts.hostname or parts.path.strip("/") or parts.username:
            raise UsageError(f"{URL}={asked}: expected the address of a GNS3 server, e.g. {DEFAULT_URL}")
        return cls(
            url=f"{parts.scheme}://{parts.netloc}",
            user=os.environ.get(USER, ""),
            password=os.environ.get(PASSWORD, ""),
            certificates=os.environ.get(CERTIFICATES) or None,
            compute=os.environ.get(COMPUTE) or _LOCAL,
            named=bool(asked),
        )

    @property
    def host(self) -> str:
        """Name or address of its machine."""
        return urlsplit(self.url).hostname or ""

    def __repr__(self) -> str:
        return f"Place({self.url!r})"


class Server:
    """A server that answers and lets this user in. For any number of threads.

    Args:
        place: Where it is.

    Attributes:
        release: As it calls itself, e.g. ``3.0.6``.

    Raises:
        Unreachable: Nobody answers there, or something else does.
        Denied: User or password are wrong.
        Refused: It is too old.
    """

    def __init__(self, place: Place) -> None:
        self.place = place
        self._open = _opener(place)
        self._login = threading.Lock()
        self._authorization = ""
        self.release, self._api = self._greeted()
        if self._api == "/v3":
            self._authorization = self._token()
        self.get("/computes", timeout_s=_ASKED_S)

    def compute(self) -> str:
        """The number of the compute on which nodes run, which the environment names by its number or name.

        Raises:
            RequirementMissing: There is none.
        """
        if self.place.compute == _LOCAL:
            return _LOCAL  # release 3 does not list it
        there = self.get("/computes")
        found = [one for one in there if self.place.compute in (one["compute_id"], one.get("name"))]
        if not found:
            names = [str(one.get("name") or one["compute_id"]) for one in there]
            known = ", ".join(dict.fromkeys([_LOCAL, *names]))
            raise RequirementMissing(
                f"the GNS3 server has no compute {self.place.compute!r} (known: {known})", f"name one in {COMPUTE}"
            )
        return str(found[0]["compute_id"])

    @property
    def is_new(self) -> bool:
        """Whether it is GNS3 3.x."""
        return self._api == "/v3"

    def get(self, path: str, *, timeout_s: float | None = None) -> Any:
        """What is at a path."""
        return self._call("GET", path, timeout_s=timeout_s)

    def post(self, path: str, body: Any = None, *, timeout_s: float | None = None) -> Any:
        """What the server answers to an object.

        Raises:
            Refused: It does not do it.
            Unreachable: It does not answer, or not in time.
        """
        return self._call("POST", path, {} if body is None else body, timeout_s=timeout_s)

    def put(self, path: str, body: Any, *, timeout_s: float | None = None) -> Any:
        """The same for a change."""
        return self._call("PUT", path, body, timeout_s=timeout_s)

    def delete(self, path: str, *, timeout_s: float | None = None) -> None:
        """Remove what is at a path; without effect if there is nothing.

        Raises:
            Refused: It does not do it.
            Unreachable: It does not answer, or not in time.
        """
        try:
            self._call("DELETE", path, timeout_s=timeout_s)
        except Refused as error:
            if error.status != http.client.NOT_FOUND:
                raise

    def write(self, path: str, text: str) -> None:
        """Put the text of a file at a path."""
        self._call("POST", path, text.encode(), timeout_s=None)

    def _call(self, method: str, path: str, body: Any = None, *, timeout_s: float | None) -> Any:
        within_s = timeout_s or self.place.timeout_s
        used = self._authorization
        try:
            return self._ask(method, f"{self._api}{path}", body, used, within_s)
        except Denied:
            if not self.is_new:
                raise
        with self._login:  # tokens end after some time
            if self._authorization == used:
                self._authorization = self._token()
        return self._ask(method, f"{self._api}{path}", body, self._authorization, within_s)

    def _greeted(self) -> tuple[str, str]:
        """The release of the server, and where its interface begins."""
        answered: Any = None
        for api in ("/v3", "/v2"):
            try:
                answered = self._ask("GET", f"{api}/version", None, self._authorization, _ASKED_S)
            except Denied:
                raise self._denied() from None
            except Refused as error:
                if error.status != http.client.NOT_FOUND:
                    raise
                self._authorization = self._basic()
                continue
            release = str(answered.get("version", "")) if isinstance(answered, dict) else ""
            found = _RELEASE.match(release)
            if found is None:
                break
            if (int(found[1]), int(found[2])) < OLDEST:
                oldest = ".".join(map(str, OLDEST))
                raise Refused(
                    f"{self.place.url} is GNS3 {release}, too old: {oldest} is the oldest that is accepted", status=0
                )
            return release, api
        raise Unreachable(f"{self.place.url} is no GNS3 server")

    def _basic(self) -> str:
        if not self.place.user:
            return ""
        return "Basic " + base64.b64encode(f"{self.place.user}:{self.place.password}".encode()).decode()

    def _token(self) -> str:
        asked = {"username": self.place.user, "password": self.place.password}
        try:
            answered = self._ask("POST", "/v3/access/users/authenticate", asked, "", _ASKED_S)
            return f"Bearer {answered['access_token']}"
        except (Refused, KeyError, TypeError):
            raise self._denied() from None

    def _denied(self) -> Denied:
        user = f"user {self.place.user!r}" if self.place.user else "anybody without a user"
        return Denied(
            f"{self.place.url} does not let {user} in (fix: set {USER} and {PASSWORD})",
            status=http.client.UNAUTHORIZED,
        )

    def _ask(self, method: str, path: str, body: Any, authorization: str, timeout_s: float) -> Any:
        data = body if body is None or isinstance(body, bytes) else json.dumps(body).encode()
        headers = {"Content-Type": "application/octet-stream" if isinstance(body, bytes) else "application/json"}
        if authorization:
            headers["Authorization"] = authorization
        request = urllib.request.Request(f"{self.place.url}{path}", data=data, headers=headers, method=method)  # noqa: S310
        what = f"{self.place.url}: {method} {path}"
        try:
            with self._open.open(request, timeout=timeout_s) as answer:
                text = answer.read()
        except urllib.error.HTTPError as error:
            raise self._refused(error, what) from None
        except TimeoutError:
            raise Unreachable(f"{what}: no answer within {timeout_s:g} s") from None
        except urllib.error.URLError as error:
            raise self._unreachable(error.reason, what, timeout_s) from None
        except (OSError, http.client.HTTPException) as error:
            raise Unreachable(
                f"{what}: the server ended its answer midway: {str(error) or type(error).__name__}"
            ) from None
        try:
            return json.loads(text) if text.strip() else None
        except ValueError:
            raise Unreachable(f"{what}: the answer is no JSON, so this is no GNS3 server") from None

    def _refused(self, error: urllib.error.HTTPError, what: str) -> Refused:
        with error:
            try:
                text = error.read().decode("utf-8", "replace")
            except (OSError, http.client.HTTPException):
                text = ""
        if error.code == http.client.UNAUTHORIZED:
            return self._denied()
        return Refused(f"{what}: {_message(text) or error.reason} (status {error.code})", status=error.code)

    def _unreachable(self, reason: object, what: str, timeout_s: float) -> Unreachable:
        if isinstance(reason, TimeoutError):
            return Unreachable(f"{what}: no answer within {timeout_s:g} s")
        if isinstance(reason, ssl.SSLCertVerificationError):
            return Unreachable(
                f"{self.place.url}: its certificate is not trusted: {reason.verify_message} "
                f"(fix: a file with its certificate in {CERTIFICATES})"
            )
        text = getattr(reason, "strerror", None) or str(reason)
        return Unreachable(f"{self.place.url}: no GNS3 server answers: {text}")


def _opener(place: Place) -> urllib.request.OpenerDirector:
    try:
        context = ssl.create_default_context()
        if place.certificates is not None:
            context.load_verify_locations(place.certificates)
    except OSError as error:
        raise UsageError(f"{CERTIFICATES}={place.certificates}: {error.strerror or error}") from None
    # consoles are reached without a proxy, so the server is, too
    return urllib.request.build_opener(urllib.request.ProxyHandler({}), urllib.request.HTTPSHandler(context=context))


def _message(text: str) -> str:
    """What the body of a refusal says."""
    try:
        found = json.loads(text)
    except ValueError:
        found = text
    if isinstance(found, dict):
        found = found.get("message") or found.get("detail") or found
    return " ".join(str(found).split())[:_LONGEST]
