"""Search in command references: the draft's external knowledge retrieval."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from functools import cache
from typing import Any

from pytest_netbench import parts
from pytest_netbench.ani.recorder import clip
from pytest_netbench.ani.wire import Section
from pytest_netbench.dialects.base import Dialect, ManualSection
from pytest_netbench.errors import AniError, RequirementMissing
from pytest_netbench.rpccodes import Code

SECTIONS = 5
SECTION_BYTES = 4_096
# the words of a section's title count this many times
_TITLE_WEIGHT = 3
INSTALL_COMMAND = "pip install 'pytest-netbench[manual]'"
_WORD = re.compile(r"[a-z0-9]+")


def search(dialects: Mapping[str, Dialect], query: str) -> list[Section]:
    """The best sections for ``query``, best first, of the manuals of ``dialects`` (by name).

    Raises:
        AniError: There is no reference, or nothing to look for in the query.
        RequirementMissing: The library that ranks is not installed.
    """
    words = tokens(query)
    if not words:
        raise AniError("search-manual: the query has no word to look for", code=Code.INVALID_PARAMS)
    found: list[tuple[float, str, ManualSection]] = []
    references = {name: reference for name, dialect in dialects.items() if (reference := _reference(name, dialect))}
    if not references:
        raise AniError(f"search-manual: there is no manual here for {', '.join(dialects)}", code=Code.DEVICE_ERROR)
    for name, reference in references.items():
        found += [(score, name, section) for score, section in reference.best(words)]
    found.sort(key=lambda one: -one[0])
    return [
        Section(platform=name, title=section.title, text=clip(section.text, SECTION_BYTES))
        for _, name, section in found[:SECTIONS]
    ]


def prepare(dialects: Mapping[str, Dialect]) -> None:
    """Load the manuals of ``dialects`` now, to make the first search fast.

    Raises:
        RequirementMissing: The library that ranks is not installed.
    """
    _bm25()
    for name, dialect in dialects.items():
        _reference(name, dialect)


class Reference:
    """The sections of one manual, ranked by BM25 (Robertson's, as Lucene computes it)."""

    def __init__(self, sections: Sequence[ManualSection]) -> None:
        self._sections = tuple(sections)
        documents = [tokens(section.title) * _TITLE_WEIGHT + tokens(section.text) for section in self._sections]
        self._words = {word for document in documents for word in document}
        self._ranking = _bm25()
        self._ranking.index(documents, show_progress=False)

    def best(self, words: Sequence[str]) -> list[tuple[float, ManualSection]]:
        """The sections that hold any of ``words``, best first, with their scores."""
        known = [word for word in words if word in self._words]
        if not known:
            return []
        scores = self._ranking.get_scores(known)
        order = sorted(range(len(self._sections)), key=lambda index: (-scores[index], index))
        return [(float(scores[index]), self._sections[index]) for index in order[:SECTIONS] if scores[index] > 0]


def tokens(text: str) -> list[str]:
    """Words of ``text`` as they are compared: lower case, plurals as their singular."""
    return [_stem(word) for word in _WORD.findall(text.lower())]


def _stem(word: str) -> str:
    for ending, instead in (("ies", "y"), ("sses", "ss"), ("s", "")):
        if len(word) > 3 and word.endswith(ending) and not word.endswith("ss"):
            return word.removesuffix(ending) + instead
    return word


def _reference(name: str, dialect: Dialect) -> Reference | None:
    """The manual of a dialect; those of installed dialects are read once in a process."""
    return _installed(name) if name in parts.names("dialects") else _made(dialect.manual())


@cache
def _installed(name: str) -> Reference | None:
    return _made(parts.load("dialects", name)().manual())


def _made(sections: Sequence[ManualSection]) -> Reference | None:
    return Reference(sections) if sections else None


def _bm25() -> Any:
    try:
        import bm25s  # imports numpy
    except ImportError as error:
        raise RequirementMissing("search-manual needs bm25s", remedy=INSTALL_COMMAND) from error
    return bm25s.BM25(method="lucene")
