"""What is wrong with a text that is no YAML, in words: where, why, and how to fix it.

The two parsers of PyYAML (in C and in Python) word their errors differently; both are understood.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final

from pytest_netbench.documents.problems import Place, SyntaxProblem

_QUOTE: Final = "put the text in quotes"
_BLOCK: Final = "or begin it on the next line, below 'key: >-'"
_VALUE: Final = re.compile(r"^\s*(?:- +)*(?:\{ *)?([^\s:{][^:]*?): +\S")
_SHOWN: Final = 40


@dataclass(frozen=True)
class _Fault:
    """What a parser says: its words, where it stopped, and where what it was reading begins. Places are 1-based."""

    words: str
    reading: str
    at: Place
    begun: Place
    lines: list[str]

    @property
    def line(self) -> str:
        return self.line_at(self.at[0])

    @property
    def before(self) -> str:
        """The line up to where the parser stopped."""
        return self.line[: self.at[1] - 1]

    @property
    def sign(self) -> str:
        """The character where the parser stopped."""
        return self.line[self.at[1] - 1 : self.at[1]]

    @property
    def rest(self) -> str:
        """The line from where the parser stopped, shortened."""
        return _short(self.line[self.at[1] - 1 :])

    @property
    def indent(self) -> int:
        return _indent(self.line)

    def line_at(self, number: int) -> str:
        return self.lines[number - 1] if 0 < number <= len(self.lines) else ""


def in_words(error: Any, text: str) -> SyntaxProblem:
    """The problem that a ``yaml.MarkedYAMLError`` reports about ``text``."""
    lines = re.split("\r\n|[\n\r\x85\u2028\u2029]", text)
    last = len(re.split("\r\n|[\n\r\x85\u2028\u2029]", text.rstrip()))
    at = _place(error.problem_mark or error.context_mark, lines, last)
    fault = _Fault(error.problem or "", error.context or "", at, _place(error.context_mark, lines, last), lines)
    for words, explained in _EXPLAINED:
        if words.search(fault.words) and (found := explained(fault)) is not None:
            message, (line, column) = found
            return SyntaxProblem(f"invalid YAML: {message}", line, column)
    begun = f" in what begins in line {fault.begun[0]}" if fault.begun != fault.at else ""
    return SyntaxProblem(f"invalid YAML: {fault.rest!r} cannot stand here{begun}; {_QUOTE} if it is one", *at)


def place_at(text: str, index: int) -> Place:
    """Line and column of a character."""
    return text.count("\n", 0, index) + 1, index - text.rfind("\n", 0, index)


def _place(mark: Any, lines: list[str], last: int) -> Place:
    """The place of a mark; one after the end of the file is moved to the end of the last line."""
    if mark is None:
        return 1, 1
    if mark.line + 1 > last:
        return last, len(lines[last - 1].rstrip()) + 1
    return mark.line + 1, mark.column + 1


_Found = tuple[str, Place] | None


def _tab(fault: _Fault) -> _Found:
    number, line = fault.at[0], fault.line
    blank = line[: len(line) - len(line.lstrip())]
    if "\t" not in blank:
        return None if fault.sign != "\t" else (f"a tab stands before {_short(line.strip())!r}; use spaces", fault.at)
    message = "this line is indented with a tab; YAML takes spaces only: replace each tab by spaces"
    return message, (number, blank.index("\t") + 1)


def _no_token(fault: _Fault) -> _Found:
    if (found := _tab(fault)) is not None:
        return found
    return f"a text cannot begin with {fault.sign!r}: {_QUOTE}", fault.at


def _second_colon(fault: _Fault) -> _Found:
    if fault.sign == ":" and (key := re.fullmatch(r"[\s-]*([^:]+):\s+", fault.before)) is not None:
        return f"a second ':' follows {_short(key[1].strip())!r}: leave it out, or {_QUOTE}", fault.at
    if (value := _VALUE.match(fault.before)) is not None:
        message = f"the value of {value[1].strip()!r} has ': ' in it, which begins a value in YAML: {_QUOTE}, {_BLOCK}"
        return message, fault.at
    above = _above(fault)
    wanted = _indent(fault.line_at(above))
    if fault.indent > wanted and _VALUE.match(fault.line_at(above)):
        message = (
            f"this line is indented by {_spaces(fault.indent)}, deeper than line {above}, which has its value already;"
            f" indent it by {_spaces(wanted)}"
        )
        return message, (fault.at[0], fault.indent + 1)
    if fault.indent == wanted and 0 < above < fault.at[0]:
        return _no_pair(fault, (above, wanted + 1))
    message = f"{_short(fault.line.strip())!r}: no 'key: value' can stand here; check the indentation, or {_QUOTE}"
    return message, (fault.at[0], fault.indent + 1)


def _no_pair(fault: _Fault, at: Place) -> _Found:
    """A line that should be ``key: value``."""
    words = fault.line_at(at[0])[at[1] - 1 :].strip()
    if re.match(r"[\w.-]+:\S|-\w", words):
        sign = "-" if words.startswith("-") else ":"
        return f"a space is missing after {sign!r} in {_short(words)!r}", at
    hint = "if it belongs to the text above, indent it deeper than the key of that text"
    return f"{_short(words)!r} is no 'key: value'; {hint}, else write 'key: value'", at


def _list_in_line(fault: _Fault) -> _Found:
    return "a list cannot begin in the line of its key: begin it on the next line, '- ' before each item", fault.at


def _not_in_block(fault: _Fault) -> _Found:
    """A line that is neither an item of the list nor a key of the mapping that is read."""
    if fault.before.strip(" -") and fault.sign in "]}":
        return f"{fault.sign!r} closes nothing: remove it, or {_QUOTE}", fault.at
    if fault.before.strip(" -"):
        return f"{fault.rest!r} follows a value that has ended: put the whole value in quotes", fault.at
    number, at = fault.at[0], (fault.at[0], fault.indent + 1)
    wanted, begun = fault.begun[1] - 1, fault.begun[0]
    is_list = fault.line_at(begun)[wanted : wanted + 1] == "-" and "mapping" not in fault.reading
    part, members = ("list", "items") if is_list else ("mapping", "keys")
    if fault.indent != wanted:
        above = _above(fault)
        deep = _indent(fault.line_at(above))
        beside = f" nor as line {above} ({_spaces(deep)})" if deep not in {wanted, fault.indent} else ""
        message = (
            f"this line is indented by {_spaces(fault.indent)}, {'neither' if beside else 'not'} as the {members} of"
            f" the {part} that begins in line {begun} ({_spaces(wanted)}){beside}; indent it as the lines it belongs to"
        )
        return message, at
    if is_list:
        return f"line {number} is no item of the list that begins in line {begun}: begin it with '- '", at
    return (
        f"{_short(fault.line.strip())!r} is no key of the mapping that begins in line {begun}: write 'key: value'",
        at,
    )


def _no_colon(fault: _Fault) -> _Found:
    return _no_pair(fault, fault.begun)


def _no_value(fault: _Fault) -> _Found:
    sign = fault.sign
    if sign in {"", ",", "}", "]"}:
        before = fault.before.rstrip()
        if before.endswith("?"):
            return "'?' is no value in YAML: write the value, or put it in quotes", (fault.at[0], len(before))
        return "a value is missing here", fault.at
    return f"a value cannot begin with {sign!r}: {_QUOTE}", fault.at


def _not_closed(fault: _Fault) -> _Found:
    line = fault.line_at(fault.begun[0])
    opened = line[fault.begun[1] - 1 : fault.begun[1]]
    closing = {"{": "}", "[": "]"}.get(opened, "}")
    if fault.at[0] == fault.begun[0] and fault.sign == ":":
        message = f"a value cannot have ': ' in it: {_QUOTE}; if a key stands before it, ',' is missing before the key"
        return message, fault.at
    if fault.at[0] == fault.begun[0] and fault.rest:
        return f"',' or {closing!r} is missing before {fault.rest!r}; {_QUOTE} if all of it is one value", fault.at
    return f"{opened!r} is not closed: {closing!r} is missing", fault.begun


def _open_quote(fault: _Fault) -> _Found:
    if "quoted" not in fault.reading:
        return None
    quote = fault.line_at(fault.begun[0])[fault.begun[1] - 1 : fault.begun[1]]
    return f"the text that begins with {quote} is not closed: add the {quote} at its end", fault.begun


def _escape(fault: _Fault) -> _Found:
    where = max(fault.line.find("\\", max(fault.at[1] - 2, 0)), fault.before.rfind("\\"), 0)
    sign = fault.line[where : where + 2]
    message = f"a text in double quotes cannot contain {sign}: put it in single quotes, or write \\{sign}"
    return message, (fault.at[0], where + 1)


def _alias(fault: _Fault) -> _Found:
    sign = fault.line_at(fault.begun[0])[fault.begun[1] - 1 : fault.begun[1]]
    return f"a text cannot begin with {sign!r}: {_QUOTE}", fault.begun


def _block_head(fault: _Fault) -> _Found:
    return f"{fault.rest!r} follows the sign of a block text: begin the text on the next line, indented", fault.at


def _after_the_end(fault: _Fault) -> _Found:
    return f"{_short(fault.line.strip())!r} does not belong to the fields above: check its indentation", (
        fault.at[0],
        fault.indent + 1,
    )


def _tag(fault: _Fault) -> _Found:
    return f"a text cannot begin with '!', which begins a tag: {_QUOTE}", fault.begun


def _directive(fault: _Fault) -> _Found:
    return f"a line cannot begin with '%': {_QUOTE}, or indent it if it belongs to the text above", fault.begun


_EXPLAINED: Final[tuple[tuple[re.Pattern[str], Callable[[_Fault], _Found]], ...]] = tuple(
    (re.compile(words), explained)
    for words, explained in (
        ("found a tab|tab character", _tab),
        ("cannot start any token", _no_token),
        ("mapping values are not allowed", _second_colon),
        ("sequence entries are not allowed", _list_in_line),
        ("could not find expected ':'", _no_colon),
        ("unknown escape|hexdecimal|hexadecimal|Unicode character escape", _escape),
        ("unexpected end of stream|unexpected document separator|unexpected document indicator", _open_quote),
        ("expected node content|expected the node content", _no_value),
        (r"expected ',' or '[\]}]'", _not_closed),
        ("expected '-' indicator|expected key|expected <block end>", _not_in_block),
        ("expected alphabetic or numeric|alphanumeric", _alias),
        ("expected comment or line break|expected a comment or a line break|expected chomping", _block_head),
        ("<document start>", _after_the_end),
        ("tag handle|tag URI|expected URI|expected '!'", _tag),
        ("directive", _directive),
    )
)


def _above(fault: _Fault) -> int:
    """The number of the last line before the fault that says something."""
    number = fault.at[0] - 1
    while number > 1 and (not fault.line_at(number).strip() or fault.line_at(number).lstrip().startswith("#")):
        number -= 1
    return number


def _indent(line: str) -> int:
    return len(line) - len(line.lstrip(" "))


def _spaces(count: int) -> str:
    return "1 space" if count == 1 else f"{count} spaces"


def _short(text: str) -> str:
    return text if len(text) <= _SHOWN else f"{text[: _SHOWN - 1]}…"
