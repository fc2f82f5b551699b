"""Passwords in the forms in which a config stores them."""

from __future__ import annotations

import base64
import hashlib
import hmac

_TABLE = bytes.maketrans(
    b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/",
    b"./0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz",
)
_SEVEN = b"dsfd;kfoA,.iyewrkldJKDHSUBsgvca69834ncxv9873254k;fg87"


def hashed(password: str) -> str:
    """Return a type 9 (scrypt) hash.

    The salt is derived from the password, so equal passwords give equal lines; lab passwords are not secret.
    """
    salt = _encode(hashlib.sha256(password.encode()).digest())[:14]
    return f"$9${salt}${_digest(password, salt)}"


def matches(password: str, stored: str, kind: str) -> bool:
    """Whether ``password`` is the one stored as type ``kind`` (0, 5, 7, 9)."""
    if kind == "9" and stored.startswith("$9$") and stored.count("$") == 3:
        _, _, salt, digest = stored.split("$")
        return hmac.compare_digest(_digest(password, salt), digest)
    if kind == "7":
        return hmac.compare_digest(revealed(stored), password)
    return kind == "0" and hmac.compare_digest(stored.encode(), password.encode())


def hidden(password: str) -> str:
    """Return the type 7 text of a password (obfuscated, not encrypted). Its offset comes from the password."""
    start = sum(password.encode()) % 16
    body = "".join(f"{byte ^ _SEVEN[(start + at) % len(_SEVEN)]:02X}" for at, byte in enumerate(password.encode()))
    return f"{start:02d}{body}"


def revealed(stored: str) -> str:
    """Return the password of a type 7 text; "" if it is invalid."""
    try:
        start, body = int(stored[:2]), bytes.fromhex(stored[2:])
    except ValueError:
        return ""
    return bytes(byte ^ _SEVEN[(start + at) % len(_SEVEN)] for at, byte in enumerate(body)).decode(errors="replace")


def _digest(password: str, salt: str) -> str:
    return _encode(hashlib.scrypt(password.encode(), salt=salt.encode(), n=16384, r=1, p=1, dklen=32))


def _encode(data: bytes) -> str:
    return base64.b64encode(data).rstrip(b"=").translate(_TABLE).decode()
