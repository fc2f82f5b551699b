"""The prompts: versioned files next to this module. Their digests are in every result."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path
from string import Template

from pytest_netbench.errors import AgentFileError
from pytest_netbench.model.trial import Brief

_CONTROL_WORDS = {
    "managed": "Managed: you configure them.",
    "observed": "Observed: you can read them and send packets from them. You cannot change them.",
    "foreign": "Foreign: they belong to others. You see them in the topology and have no access to them.",
}


@dataclass(frozen=True)
class Prompt:
    """A prompt's text under its name."""

    name: str
    text: str

    @property
    def digest(self) -> str:
        """First 12 hex digits of the text's SHA-256."""
        return hashlib.sha256(self.text.encode()).hexdigest()[:12]

    def fill(self, **values: str) -> str:
        """The text with each ``$name`` replaced."""
        return Template(self.text).substitute(values)


def packaged(name: str) -> Prompt:
    """The prompt ``name`` that is part of the package."""
    return Prompt(name, (files("pytest_netbench.agents") / "prompts" / f"{name}.md").read_text(encoding="utf-8"))


def from_file(name: str, path: Path | None) -> Prompt:
    """The prompt ``name`` from the file ``path``; the packaged one if ``path`` is ``None``.

    Raises:
        AgentFileError: The file cannot be read, or is empty.
    """
    if path is None:
        return packaged(name)
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise AgentFileError(f"the prompt cannot be read: {error}", path=path) from error
    if not text.strip():
        raise AgentFileError("the prompt is empty; write it, or remove `prompt` from the agent file", path=path)
    return Prompt(name, text)


def digests(prompts: Iterable[Prompt]) -> dict[str, str]:
    """Digest by prompt name, for ``AgentInfo.settings``."""
    return {prompt.name: prompt.digest for prompt in prompts}


def task_message(template: Prompt, brief: Brief, *, budget: str) -> str:
    """What the model is told of its task."""
    return template.fill(
        task_name=brief.task_name,
        intents=numbered(_intents(brief)),
        rules="\n".join(brief.rules),
        devices=_devices(brief),
        hints=bulleted(brief.hints) or "- none",
        methods=bulleted(f"{method.name}: {method.description}" for method in brief.methods),
        budget=budget,
    )


def answer_message(template: Prompt, brief: Brief, *, how: str) -> str:
    """What the model is told of the answer that the task asks for; empty if it asks for none."""
    if brief.answer is None:
        return ""
    return "\n" + template.fill(how=how, schema=json.dumps(brief.answer, indent=1))


def _intents(brief: Brief) -> list[str]:
    """The intents, each with its sub-intents indented below it."""
    parts = brief.sub_intents or ((),) * len(brief.intents)
    return [
        "\n".join([text, *(f"   - {part}" for part in of_it)]) for text, of_it in zip(brief.intents, parts, strict=True)
    ]


def _devices(brief: Brief) -> str:
    """The devices with their platforms, under what the agent may do with them."""
    groups = []
    for control, words in _CONTROL_WORDS.items():
        names = [name for name in brief.devices if brief.control.get(name, "managed") == control]
        if names:
            groups.append(f"{words}\n\n{bulleted(f'{name} ({brief.devices[name]})' for name in names)}")
    return "\n\n".join(groups) or "- none"


def budget_words(amounts: Mapping[str, float | None]) -> str:
    """A budget, or what is left of one, in words: ``97 calls, 290 commands, 512 s``; no limit, no word."""
    words = []
    for name, unit in (
        ("calls", "calls"),
        ("commands", "commands"),
        ("wall_s", "s"),
        ("tokens", "tokens"),
        ("lab_s", "s of the network's time"),
    ):
        amount = amounts.get(name)
        if amount is not None:
            words.append(f"{max(amount, 0):.0f} {unit}")
    return ", ".join(words) or "unlimited"


def paragraphs(*texts: str) -> str:
    """The texts that are not empty, with an empty line between them."""
    return "\n\n".join(text.strip("\n") for text in texts if text)


def numbered(lines: Iterable[str]) -> str:
    """A numbered list."""
    return "\n".join(f"{number}. {line}" for number, line in enumerate(lines, start=1))


def bulleted(lines: Iterable[str]) -> str:
    """A bulleted list."""
    return "\n".join(f"- {line}" for line in lines)
