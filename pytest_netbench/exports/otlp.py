"""Sends spans by OTLP, to a collector over HTTP or to a file. The only module that imports opentelemetry."""

from __future__ import annotations

import base64
import hashlib
import logging
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final
from urllib.parse import urlsplit, urlunsplit

from pytest_netbench import __version__
from pytest_netbench.errors import ResultsError, UsageError
from pytest_netbench.exports.spans import Span, spans_of
from pytest_netbench.model.trial import TrialRecord, TrialResult
from pytest_netbench.results.files import replace_file
from pytest_netbench.text import plain_json

if TYPE_CHECKING:
    from opentelemetry.sdk.trace import ReadableSpan

RecordOf = Callable[[TrialResult], TrialRecord | None]
LONGEST_REQUEST_S: Final = 5.0
LONGEST_EXPORT_S: Final = 60.0
_PATH: Final = "/v1/traces"
_IDS: Final = frozenset({"traceId", "spanId", "parentSpanId"})
_LOGGER: Final = "opentelemetry"


def check(target: str, *, folder: Path) -> None:
    """Check that spans can be made and that ``target`` can be one.

    Args:
        target: A URL, or a file.
        folder: What a relative file is relative to.

    Raises:
        UsageError: The extra is not installed, the URL has no host, or there is no such folder.
    """
    try:
        for extra in ("opentelemetry.exporter.otlp.proto.http", "opentelemetry.sdk.trace"):
            import_module(extra)
    except ImportError as error:
        raise UsageError(f"no spans without {error.name}; fix: pip install 'pytest-netbench[otel]'") from error
    if _is_url(target):
        _endpoint(target)
    elif not Path(folder, target).parent.is_dir():
        raise UsageError("there is no such folder to write spans to", path=Path(folder, target).parent)
    elif Path(folder, target).is_dir():
        raise UsageError("spans are written to a file, and this is a folder", path=Path(folder, target))


def export(
    results: Sequence[TrialResult], record_of: RecordOf, target: str, *, folder: Path, content: bool = False
) -> str:
    """Export the spans of trials; say what was done.

    To a file as the collector's file exporter writes it: a request in OTLP's JSON a line. The ids of traces and spans
    are made from the trials, so that a repeated export gives equal ones.

    Args:
        results: The trials.
        record_of: Gives their transcripts.
        target: A URL (``http://127.0.0.1:4318``), or a file.
        folder: What a relative file is relative to.
        content: Also what was said to models and devices, and what they answered.

    Raises:
        ResultsError: The file cannot be written, a transcript not be read, or the collector does not take the spans.
    """
    batches = (_readable(one, record_of(one), content=content) for one in results)
    if _is_url(target):
        _send(batches, len(results), target)
    else:
        replace_file(Path(folder, target), "".join(f"{_line(spans)}\n" for spans in batches))
    return f"spans of {len(results)} trials: {_shown(target)}"


def _is_url(target: str) -> bool:
    return target.startswith(("http://", "https://"))


def _endpoint(target: str) -> str:
    parts = urlsplit(target)
    if not parts.hostname:
        raise UsageError(f"{target}: no host in this URL; expected e.g. http://127.0.0.1:4318")
    return urlunsplit(parts._replace(path=_PATH)) if parts.path in {"", "/"} else target


def _shown(target: str) -> str:
    """A file, or a URL without what may be a secret in it."""
    if not _is_url(target):
        return target
    parts = urlsplit(target)
    port = f":{parts.port}" if parts.port else ""
    return f"{parts.scheme}://{parts.hostname}{port}{parts.path}"


def _send(batches: Iterable[Sequence[ReadableSpan]], count: int, target: str) -> None:
    from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter  # an extra
    from opentelemetry.sdk.trace.export import SpanExportResult

    ends_at = time.monotonic() + LONGEST_EXPORT_S
    with _messages() as messages:
        exporter = OTLPSpanExporter(endpoint=_endpoint(target), timeout=LONGEST_REQUEST_S)
        try:
            for number, spans in enumerate(batches):
                taken = exporter.export(spans) is SpanExportResult.SUCCESS
                if not taken or time.monotonic() > ends_at:
                    why = ", ".join(dict.fromkeys(messages)) or "it does not answer in time"
                    raise ResultsError(
                        f"{_shown(target)}: the collector took the spans of {number + taken} of {count} trials:"
                        f" {why} (fix: netbench export otel DIR -o URL sends them later)"
                    )
        finally:
            exporter.shutdown()


@contextmanager
def _messages() -> Iterator[list[str]]:
    """What the exporter logs, which nobody else should print: its requests name the whole URL."""
    found: list[str] = []
    logger = logging.getLogger(_LOGGER)
    handler = logging.Handler()
    handler.emit = lambda record: found.append(_reason(record))  # type: ignore[method-assign]
    propagate, logger.propagate = logger.propagate, False
    logger.addHandler(handler)
    try:
        yield found
    finally:
        logger.removeHandler(handler)
        logger.propagate = propagate


def _reason(record: logging.LogRecord) -> str:
    """What happened, without addresses and headers that an error may quote."""
    error = next((one for one in (record.args or ()) if isinstance(one, BaseException)), None)
    if error is not None:
        return type(error).__name__
    if "retrying" in record.getMessage() and isinstance(record.args, tuple) and record.args:
        return str(record.args[0])
    text = record.getMessage().partition("\n")[0]
    return text.partition("http://")[0].partition("https://")[0].partition("HTTP")[0].strip(" :,(") or "refused"


def _readable(result: TrialResult, record: TrialRecord | None, *, content: bool) -> Sequence[ReadableSpan]:
    """The spans of a trial as the SDK has them."""
    from opentelemetry.sdk.resources import Resource  # an extra
    from opentelemetry.sdk.trace import ReadableSpan
    from opentelemetry.sdk.util.instrumentation import InstrumentationScope
    from opentelemetry.trace import SpanContext, SpanKind, TraceFlags
    from opentelemetry.trace.status import Status, StatusCode

    resource = Resource.create({"service.name": "pytest-netbench", "service.version": __version__})
    scope = InstrumentationScope("pytest_netbench", __version__)
    spans = spans_of(result, record, content=content)
    seed = f"{result.node_id}\0{result.trial}\0{result.started_at}"
    trace = _number(seed, 16)
    contexts = [
        SpanContext(trace, _number(f"{seed}\0{number}", 8), is_remote=False, trace_flags=TraceFlags(1))
        for number in range(len(spans))
    ]

    def status(span: Span) -> Status:
        return Status(StatusCode.ERROR, span.error or None) if span.failed else Status(StatusCode.UNSET)

    return [
        ReadableSpan(
            name=span.name,
            context=context,
            parent=None if span.parent is None else contexts[span.parent],
            resource=resource,
            attributes=span.attributes,
            kind=SpanKind.CLIENT if span.kind == "client" else SpanKind.INTERNAL,
            instrumentation_scope=scope,
            status=status(span),
            start_time=round(span.start_s * 1e9),
            end_time=round(span.end_s * 1e9),
        )
        for span, context in zip(spans, contexts, strict=True)
    ]


def _number(text: str, size: int) -> int:
    """A number of ``size`` bytes that is not 0."""
    return int.from_bytes(hashlib.sha256(text.encode(errors="surrogatepass")).digest()[:size]) or 1


def _line(spans: Sequence[ReadableSpan]) -> str:
    """The request for spans in OTLP's JSON: ids in hexadecimal, enumerations as numbers."""
    from google.protobuf.json_format import MessageToDict  # an extra
    from opentelemetry.exporter.otlp.proto.common.trace_encoder import encode_spans

    return plain_json(_hexadecimal(MessageToDict(encode_spans(spans), use_integers_for_enums=True)))


def _hexadecimal(value: Any) -> Any:
    if isinstance(value, dict):
        return {name: base64.b64decode(one).hex() if name in _IDS else _hexadecimal(one) for name, one in value.items()}
    return [_hexadecimal(one) for one in value] if isinstance(value, list) else value
