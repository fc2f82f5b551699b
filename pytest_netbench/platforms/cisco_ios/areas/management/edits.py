"""How lines of the area ``management`` are stored: secrets, banners, old spellings."""

from __future__ import annotations

from pytest_netbench.platforms.cisco_ios.areas.management import vty
from pytest_netbench.platforms.cisco_ios.config import passwords
from pytest_netbench.platforms.cisco_ios.config.edit import Edit
from pytest_netbench.platforms.cisco_ios.config.tree import Entry
from pytest_netbench.platforms.cisco_ios.grammar.command import INVALID, Match
from pytest_netbench.platforms.cisco_ios.grammar.pattern import Keyword


def keep_secret(edit: Edit, match: Match) -> str | None:
    """Store a secret as a hash, whatever type was typed."""
    if match.negated or match.reset:
        return _without(edit, match)
    if "plain" not in match.args:
        return edit.keep(match)
    edit.put(f"{_before(match, 'secret')} 9 {passwords.hashed(str(match['plain']))}")
    return None


def keep_password(edit: Edit, match: Match) -> str | None:
    """Store a password in the clear, or as type 7 if ``service password-encryption`` is on."""
    if match.negated or match.reset:
        return _without(edit, match)
    if "plain" not in match.args:
        return edit.keep(match)
    head = _before(match, "password")
    encrypt = edit.config.has("service password-encryption")
    user = match.name.startswith("username")
    plain = str(match["plain"])
    edit.put(f"{head} 7 {passwords.hidden(plain)}" if encrypt else f"{head}{' 0' if user else ''} {plain}")
    return None


def _without(edit: Edit, match: Match) -> str | None:
    """Remove a password or a user. The words after its name do not matter: the config may have them in another form."""
    text = f"username {match['user']}" if "user" in match.args else match.name
    return edit.keep(edit.read(text, like=match))


def with_algorithm(edit: Edit, match: Match) -> str | None:
    """Store a secret without ``algorithm-type``: the number before the hash identifies the only supported algorithm."""
    words = match.text.split()
    if "algorithm-type" in words:
        at = words.index("algorithm-type")
        del words[at : at + 2]
    return keep_secret(edit, edit.read(" ".join(words), like=match))


def _before(match: Match, word: str) -> str:
    """Return the line up to and including a keyword."""
    last = next(element.position for element, _, text in match.parts if isinstance(element, Keyword) and text == word)
    return " ".join(text for element, _, text in match.parts if element.position <= last)


def encrypt_all(edit: Edit, match: Match) -> str | None:
    """Encrypt existing passwords for ``service password-encryption``. The ``no`` form does not decrypt them."""
    words = edit.keep(match)
    if match.negated or match.reset:
        return words
    for section in [edit.config, *(body for _, body in edit.config.sections("line"))]:
        for entry in [e for e in section if "plain" in e.match.args and "password" in e.match.words and not e.negated]:
            head = _before(entry.match, "password")
            section.remove(entry)
            edit.put(f"{head} 7 {passwords.hidden(str(entry['plain']))}", section)
    return words


def render_banner(entry: Entry) -> list[str]:
    """Return the lines of a banner."""
    return f"banner {entry['kind']} ^C{_banner_text(str(entry['text']))}^C".split("\n")


def _banner_text(typed: str) -> str:
    """Return the text between the delimiters."""
    size = 2 if typed.startswith("^C") else 1
    delimiter = typed[:size]
    text = typed[size : typed.rindex(delimiter)] if typed.count(delimiter) > 1 else typed[size:]
    return text.replace("^C", "")  # ^C ends the banner in a saved config


def logging_host(edit: Edit, match: Match) -> str | None:
    """Store ``logging A.B.C.D`` as ``logging host A.B.C.D``."""
    text = f"logging host {match['address']}"
    if match.negated or match.reset:
        for entry in edit.section.all("logging host"):
            if entry["address"] == match["address"]:
                edit.section.remove(entry)
    else:
        edit.put(text)
    return None


def open_line(edit: Edit, match: Match) -> str | None:
    """Open a terminal line: console, auxiliary and five virtual ones always exist."""
    if match.get("kind") == "vty":
        return vty.select(edit, match)
    if (match.negated or match.reset) and (match["kind"], match["first"]) in {("con", 0), ("aux", 0)}:
        return INVALID
    return edit.keep(match)


def old_spelling(edit: Edit, match: Match, name: str, arg: str) -> str | None:
    """Return a command that is an old spelling of another one."""
    if match.negated or match.reset:
        edit.section.remove(*edit.section.all(name))
    else:
        edit.put(f"{name} {match[arg]}")
    return None


def old_switch(edit: Edit, match: Match, text: str) -> str | None:
    """Return an old spelling of a command that is on by default."""
    edit.section.remove(*(e for e in edit.section if e.name == text))
    if match.negated:
        edit.put(f"no {text}")
    return None
