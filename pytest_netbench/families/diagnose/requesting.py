"""The ANI methods of the family that ask services, as agents see them. Only networks with services offer them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from pydantic import Field

from pytest_netbench.ani.methods import spec_of
from pytest_netbench.ani.wire import Wire
from pytest_netbench.families.diagnose.uses import uses_of

if TYPE_CHECKING:
    from pytest_netbench.model.diagnosis import Diagnose
    from pytest_netbench.model.trial import MethodSpec

HTTP_GET: Final = "http-get"
LOOKUP_NAME: Final = "lookup-name"
LONGEST_S: Final = 10.0
_NAME: Final = r"^[A-Za-z0-9_-]{1,63}(\.[A-Za-z0-9_-]{1,63}){0,10}\.?$"
_ADDRESS: Final = r"^\d{1,3}(\.\d{1,3}){3}$"


class HttpGetParams(Wire):
    """Parameters of ``http-get``."""

    node: str = Field(description="host that asks")
    url: str = Field(
        max_length=500, pattern=r"^http://[A-Za-z0-9.-]+(:\d{1,5})?(/[!-~]*)?$", description="e.g. http://10.0.1.10/"
    )
    timeout_s: float = Field(5.0, ge=0.1, le=LONGEST_S, description="seconds")


class HttpGetResult(Wire):
    """Result of ``http-get``. Times are milliseconds since the request began; what was not reached has none."""

    status: int | None = Field(description="status of HTTP; none without an answer")
    address: str | None = Field(description="address that was connected to")
    size: int = Field(description="bytes of the body")
    lookup_ms: float | None
    connect_ms: float | None
    total_ms: float
    error: str | None


class LookupNameParams(Wire):
    """Parameters of ``lookup-name``."""

    node: str = Field(description="host that asks")
    name: str = Field(pattern=_NAME, description="name; one without a dot is looked up in the host's search domain")
    server: str | None = Field(
        None, pattern=_ADDRESS, description="address of the DNS server that is asked; the host's own by default"
    )
    timeout_s: float = Field(5.0, ge=0.1, le=LONGEST_S, description="seconds")


class LookupNameResult(Wire):
    """Result of ``lookup-name``."""

    name: str = Field(description="the name that was asked for")
    server: str | None = Field(description="the DNS server that was asked")
    status: str | None = Field(description="code of the answer, e.g. NOERROR or NXDOMAIN; none without an answer")
    addresses: tuple[str, ...]
    time_ms: float | None
    error: str | None = Field(description="why there is no answer")


HTTP_GET_SPEC: Final = spec_of(
    HTTP_GET, "Get a page by HTTP from a host, with curl. The body is not shown.", HttpGetParams, HttpGetResult
)
LOOKUP_NAME_SPEC: Final = spec_of(
    LOOKUP_NAME,
    "Look up the IPv4 addresses of a name in the DNS from a host: one question by UDP, once. Files of the host are not"
    " asked.",
    LookupNameParams,
    LookupNameResult,
)
SPECS: Final = (HTTP_GET_SPEC, LOOKUP_NAME_SPEC)


def requests_of(payload: Diagnose) -> tuple[MethodSpec, ...]:
    """The methods that a network offers: none without services."""
    return SPECS if uses_of(payload).clients else ()
