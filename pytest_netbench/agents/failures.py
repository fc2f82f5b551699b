"""Classification of failed requests: retry, give up, or an invalid conversation. Does not import litellm."""

from __future__ import annotations

import os
import re
from dataclasses import dataclass
from datetime import datetime
from email.utils import parsedate_to_datetime
from typing import Any, Literal

from pytest_netbench.errors import AgentError, ProviderError

_OVERFLOW_WORDS = (
    "context length",
    "context window",
    "context_length_exceeded",
    "maximum context",
    "prompt is too long",
)
_PREFIX = re.compile(r"^(litellm\.)?(\w+Error: )*(\w+Exception -? ?)?")  # litellm's prefixes of messages
_OUT_OF_CREDIT = ("insufficient_quota", "exceeded your current quota", "credit balance is too low")


class ContextOverflow(AgentError):
    """The conversation is longer than the model's context; a strategy may shorten it."""


class OutOfTime(AgentError):
    """The wall time that was left ended during a request; the strategy knows which budget that is."""


@dataclass(frozen=True, kw_only=True)
class Failure:
    """One failed request. ``retry_after_s`` is what the provider asked for, if anything."""

    kind: Literal["transient", "timeout", "overflow", "filter", "final"]
    message: str
    retry_after_s: float | None = None

    @property
    def may_pass(self) -> bool:
        """Whether a retry can succeed."""
        return self.kind in {"transient", "timeout"}

    def error(self) -> Exception:
        """The error to raise if it persists."""
        if self.kind == "overflow":
            return ContextOverflow(self.message)
        if self.kind == "filter":
            return AgentError(self.message)
        return ProviderError(self.message)


def classify(error: Exception, *, litellm: Any, model: str, api_base: str | None, timeout_s: float) -> Failure:
    """What ``error``, raised by ``litellm.completion``, means.

    Args:
        error: The exception.
        litellm: The module, for its exception classes.
        model: For the message.
        api_base: For the message.
        timeout_s: For the message.
    """
    text = _first_lines(error)
    where = f"{model} at {api_base}" if api_base else model
    # Order matters: subclasses of the bad request mean that the conversation is invalid.
    return (
        _conversation_at_fault(error, litellm, where, text)
        or _no_key(litellm, where, text, model)
        or _timeout(error, litellm, where, timeout_s)
        or _passing(error, litellm, where, text, api_base)
        or _final(error, litellm, where, text, model)
    )


def _conversation_at_fault(error: Exception, litellm: Any, where: str, text: str) -> Failure | None:
    is_bad_request = isinstance(error, litellm.BadRequestError)
    if isinstance(error, litellm.ContextWindowExceededError) or (is_bad_request and _speaks_of(text, _OVERFLOW_WORDS)):
        return Failure(kind="overflow", message=f"{where}: the conversation is longer than the model's context: {text}")
    if isinstance(error, litellm.ContentPolicyViolationError):
        return Failure(
            kind="filter", message=f"{where}: the provider's content filter refused the conversation: {text}"
        )
    return None


def _no_key(litellm: Any, where: str, text: str, model: str) -> Failure | None:
    """Detect a missing key: litellm finds it before sending anything and reports it like a server failure."""
    if not _speaks_of(text, ("credentials", "api_key", "api key")):
        return None
    missing = litellm.validate_environment(model).get("missing_keys")
    return Failure(kind="final", message=f"{where} needs a key. {_key_remedy(litellm, model)}") if missing else None


def _timeout(error: Exception, litellm: Any, where: str, timeout_s: float) -> Failure | None:
    if not isinstance(error, litellm.Timeout):
        return None
    return Failure(kind="timeout", message=f"{where} did not answer within {timeout_s:.3g} s (the settings' timeout)")


def _passing(error: Exception, litellm: Any, where: str, text: str, api_base: str | None) -> Failure | None:
    wait_s = retry_after_s(error)
    if isinstance(error, litellm.RateLimitError) and not _speaks_of(text, _OUT_OF_CREDIT):
        return Failure(kind="transient", message=f"{where} limits the rate: {text}", retry_after_s=wait_s)
    if isinstance(error, litellm.APIConnectionError) or _status(error) >= 500 or _status(error) == 408:
        return Failure(kind="transient", message=_unavailable(where, text, api_base), retry_after_s=wait_s)
    return None


def _final(error: Exception, litellm: Any, where: str, text: str, model: str) -> Failure:
    if _status(error) in {401, 403}:
        message = f"{where} refused the credentials: {text}. {_key_remedy(litellm, model)}"
    elif isinstance(error, litellm.RateLimitError):
        message = f"{where}: the account is out of credit: {text}. Fix: top it up"
    else:
        message = _refused(where, error, text)
    return Failure(kind="final", message=message)


def _speaks_of(text: str, words: tuple[str, ...]) -> bool:
    return any(word in text.lower() for word in words)


def retry_after_s(error: Exception) -> float | None:
    """Seconds the provider asked to wait in ``Retry-After`` (a number or an HTTP date), or ``None``."""
    headers = getattr(error, "litellm_response_headers", None) or getattr(
        getattr(error, "response", None), "headers", None
    )
    value = (headers or {}).get("retry-after")
    if value is None:
        return None
    try:
        return float(value)
    except ValueError:
        pass
    try:
        then = parsedate_to_datetime(value)
    except ValueError:
        return None
    return max(0.0, (then - datetime.now(tz=then.tzinfo)).total_seconds())


def _status(error: Exception) -> int:
    status = getattr(error, "status_code", None)
    return status if isinstance(status, int) else 0


def _first_lines(error: Exception) -> str:
    text = _PREFIX.sub("", " ".join(str(error).split()))
    text = text or "(it gave no reason)"
    return text.rstrip(".") if len(text) <= 500 else text[:500] + "…"


def _unavailable(where: str, text: str, api_base: str | None) -> str:
    hint = f" Is a server listening at {api_base}?" if api_base and "connection" in text.lower() else ""
    return f"{where} is unavailable: {text}.{hint}"


def _refused(where: str, error: Exception, text: str) -> str:
    if "LLM Provider NOT provided" in text:
        return (
            f"{where}: litellm does not know whose model this is. Name its provider too, e.g. openai/{where}, "
            "or, if an agent file was meant, check its name"
        )
    if _status(error) == 404:
        return f"{where}: the provider has no such model, or api_base is wrong (most end in /v1): {text}"
    return (
        f"{where} refused the request: {text}. Check the model's name and the agent file's settings: "
        "a setting that this model does not take must be removed"
    )


def _key_remedy(litellm: Any, model: str) -> str:
    missing = litellm.validate_environment(model).get("missing_keys") or []
    if missing:
        return f"Fix: export {' '.join(f'{name}=…' for name in missing)}"
    present = [name for name in _likely_variables(model) if os.environ.get(name)]
    if present:
        return f"{present[0]} is set, but its value was refused. Fix: export a valid {present[0]}"
    return "Fix: export the provider's key, e.g. OPENAI_API_KEY (https://docs.litellm.ai/docs/providers)"


def _likely_variables(model: str) -> tuple[str, ...]:
    provider = model.split("/", 1)[0] if "/" in model else "openai"
    return (f"{provider.upper().replace('-', '_')}_API_KEY", "OPENAI_API_KEY")
