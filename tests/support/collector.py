"""A collector of OTLP over HTTP on loopback, and a reader of files as the collector's file exporter writes them.

Both parse with the official protobuf classes.
"""

from __future__ import annotations

import base64
import json
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any, Self

from google.protobuf.json_format import ParseDict
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import (
    ExportTraceServiceRequest,
    ExportTraceServiceResponse,
)
from opentelemetry.proto.trace.v1.trace_pb2 import Span


class Collector:
    """Takes spans while entered. ``status``: what it answers; ``requests``: what it got, ``headers``: of each."""

    def __init__(self, *, status: int = 200) -> None:
        self.status = status
        self.requests: list[ExportTraceServiceRequest] = []
        self.headers: list[dict[str, str]] = []
        self.paths: list[str] = []
        collector = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                body = self.rfile.read(int(self.headers["Content-Length"]))
                collector.paths.append(self.path)
                collector.headers.append(dict(self.headers))
                collector.requests.append(ExportTraceServiceRequest.FromString(body))
                answer = ExportTraceServiceResponse().SerializeToString()
                self.send_response(collector.status)
                self.send_header("Content-Type", "application/x-protobuf")
                self.send_header("Content-Length", str(len(answer)))
                self.end_headers()
                self.wfile.write(answer)

            def log_message(self, *_: object) -> None:
                pass

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self._server.server_port}"

    def __enter__(self) -> Self:
        threading.Thread(target=self._server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True).start()
        return self

    def __exit__(self, *_: object) -> None:
        self._server.shutdown()
        self._server.server_close()

    @property
    def spans(self) -> list[Span]:
        return spans_in(self.requests)


def read_file(path: Path) -> list[ExportTraceServiceRequest]:
    """The requests in a file: OTLP's JSON has ids in hexadecimal, protobuf's JSON has them in base64."""
    lines = path.read_text(encoding="utf-8").splitlines()
    return [ParseDict(_base64(json.loads(line)), ExportTraceServiceRequest()) for line in lines]


def spans_in(requests: list[ExportTraceServiceRequest]) -> list[Span]:
    return [
        span
        for request in requests
        for resource in request.resource_spans
        for scope in resource.scope_spans
        for span in scope.spans
    ]


def attributes(span: Span) -> dict[str, Any]:
    """The attributes of a span as Python's values."""
    return {one.key: _value(one.value) for one in span.attributes}


def _value(value: Any) -> Any:
    kind = value.WhichOneof("value")
    return [_value(one) for one in value.array_value.values] if kind == "array_value" else getattr(value, kind)


def _base64(value: Any) -> Any:
    if isinstance(value, dict):
        return {
            name: base64.b64encode(bytes.fromhex(one)).decode()
            if name in {"traceId", "spanId", "parentSpanId"}
            else _base64(one)
            for name, one in value.items()
        }
    return [_base64(one) for one in value] if isinstance(value, list) else value
