"""YAML text to a tree. Smaller than YAML: no aliases, no tags, and plain scalars as in YAML 1.2's core schema.

YAML 1.1 reads ``no``, ``on`` and ``12:30`` as a boolean, a boolean and 750; in a file about networks they are texts.
"""

from __future__ import annotations

import math
import re
from typing import Any, Final

from pytest_netbench.documents.problems import Place, SyntaxProblem
from pytest_netbench.documents.tree import MAX_DEPTH, MAX_VALUES, Tree, put, text_of
from pytest_netbench.documents.yaml_errors import in_words, place_at

_WORDS: Final = {"null": None, "Null": None, "NULL": None, "~": None, "": None} | {
    word: word.lower() == "true" for word in ("true", "True", "TRUE", "false", "False", "FALSE")
}
_INT: Final = re.compile(r"[-+]?[0-9]{1,18}")
_HEX: Final = re.compile(r"0x[0-9a-fA-F]{1,15}")
_FLOAT: Final = re.compile(r"[-+]?(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]{1,3})?")
_STR_TAG: Final = "tag:yaml.org,2002:str"


def read_yaml(text: str) -> Tree | None:
    """The one document in ``text``; ``None`` if there is none.

    Raises:
        SyntaxProblem: It is no YAML, or YAML of a kind that is refused.
    """
    import yaml  # an ordinary pytest run must not pay for it

    loader: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
    try:
        events = loader(text)
        try:
            return _Reader(events, yaml, last=text.count("\n") + text.count("\r") + 1).document()
        finally:
            events.dispose()
    except yaml.YAMLError as error:
        raise _refused(error, text, yaml) from None


def _refused(error: Any, text: str, yaml: Any) -> SyntaxProblem:
    if isinstance(error, yaml.reader.ReaderError):
        bad = yaml.reader.Reader.NON_PRINTABLE.search(text)
        place = () if bad is None else place_at(text, bad.start())
        return SyntaxProblem("invalid YAML: control characters are not allowed", *place)
    return in_words(error, text)


class _Reader:
    def __init__(self, events: Any, yaml: Any, *, last: int) -> None:
        self.events = events
        self.yaml = yaml
        self.last = last
        self.values = 0

    def document(self) -> Tree | None:
        yaml = self.yaml
        self.events.get_event()
        if self.events.check_event(yaml.StreamEndEvent):
            return None
        self.events.get_event()
        tree = self.value(0)
        self.events.get_event()
        if not self.events.check_event(yaml.StreamEndEvent):
            place = self.place(self.events.get_event().start_mark)
            raise SyntaxProblem("a second document starts here; one file holds one document", *place)
        return tree

    def place(self, mark: Any) -> Place:
        # a value that is not written stands, for YAML, after the end
        return (mark.line + 1, mark.column + 1) if mark.line < self.last else (self.last, 1)

    def value(self, depth: int) -> Tree:
        event = self.events.get_event()
        place = self.place(event.start_mark)
        self.values += 1
        if depth > MAX_DEPTH or self.values > MAX_VALUES:
            limit = f"nested deeper than {MAX_DEPTH}" if depth > MAX_DEPTH else f"more than {MAX_VALUES} values"
            raise SyntaxProblem(f"{limit}: not supported", *place)
        if isinstance(event, self.yaml.AliasEvent):
            message = f"alias '*{event.anchor}': aliases are not supported, write the value out; quote a text with '*'"
            raise SyntaxProblem(message, *place)
        if event.tag not in {None, "!", _STR_TAG}:
            raise SyntaxProblem(f"tag {event.tag!r}: tags are not supported, write the plain value", *place)
        if isinstance(event, self.yaml.ScalarEvent):
            end = self.place(event.end_mark)
            return Tree(_scalar(event, place), *place, end=end, block=event.style == "|")
        if isinstance(event, self.yaml.SequenceStartEvent):
            return self.sequence(place, depth)
        return self.mapping(place, depth)

    def sequence(self, place: Place, depth: int) -> Tree:
        items = []
        while not self.events.check_event(self.yaml.SequenceEndEvent):
            items.append(self.value(depth + 1))
        self.events.get_event()
        return Tree(items, *place)

    def mapping(self, place: Place, depth: int) -> Tree:
        tree = Tree({}, *place)
        while not self.events.check_event(self.yaml.MappingEndEvent):
            if not self.events.check_event(self.yaml.ScalarEvent):
                raise SyntaxProblem("a key must be a text", *self.place(self.events.get_event().start_mark))
            event = self.events.get_event()
            key = self.place(event.start_mark)
            put(tree, text_of(event.value, key), self.value(depth + 1), key)
        self.events.get_event()
        return tree


def _scalar(event: Any, place: Place) -> Any:
    text = text_of(event.value, place)
    return plain_scalar(text) if event.tag is None and event.implicit[0] else text


def plain_scalar(text: str) -> Any:
    """What an unquoted scalar means in YAML 1.2's core schema; numbers out of reach stay texts."""
    if text in _WORDS:
        return _WORDS[text]
    if _INT.fullmatch(text):
        return int(text)
    if _HEX.fullmatch(text):
        return int(text, 16)
    if _FLOAT.fullmatch(text):
        number = float(text)
        return number if math.isfinite(number) else text
    return text
