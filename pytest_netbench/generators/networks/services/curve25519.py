"""Public keys of WireGuard: X25519 (RFC 7748, section 5). Pure.

Draws need no program and no package for it. It is slow and takes a time that depends on the key, so it must be used
for no secret.
"""

from __future__ import annotations

import base64
from typing import Final

_P: Final = 2**255 - 19
_A24: Final = 121665
_BASE_POINT: Final = 9


def private_key(entropy: bytes) -> str:
    """Make a private key of 32 random bytes, in Base64.

    Raises:
        ValueError: They are not 32 bytes.
    """
    if len(entropy) != 32:
        raise ValueError(f"a key needs 32 bytes, not {len(entropy)}")
    return _text(_clamped(entropy))


def public_key(private: str) -> str:
    """Return the public key of a private one, both in Base64."""
    return _text(_multiplied(_clamped(base64.b64decode(private)), _BASE_POINT))


def _clamped(scalar: bytes) -> int:
    return int.from_bytes(scalar, "little") & ~7 & (2**255 - 1) | 2**254


def _text(number: int) -> str:
    return base64.b64encode(number.to_bytes(32, "little")).decode()


def _multiplied(scalar: int, point: int) -> int:
    """The u-coordinate of a multiple of a point, by the Montgomery ladder of the RFC."""
    x2, z2, x3, z3 = 1, 0, point, 1
    swapped = 0
    for position in reversed(range(255)):
        bit = scalar >> position & 1
        if bit != swapped:
            x2, x3, z2, z3 = x3, x2, z3, z2
        swapped = bit
        x2, z2, x3, z3 = _step(point, x2, z2, x3, z3)
    if swapped:
        x2, z2 = x3, z3
    return x2 * pow(z2, _P - 2, _P) % _P


def _step(point: int, x2: int, z2: int, x3: int, z3: int) -> tuple[int, int, int, int]:
    """Double the first point, and add the second one to it."""
    a, b, c, d = x2 + z2, x2 - z2, x3 + z3, x3 - z3
    aa, bb, da, cb = a * a, b * b, d * a, c * b
    e = aa - bb
    return aa * bb % _P, e * (aa + _A24 * e) % _P, (da + cb) ** 2 % _P, point * (da - cb) ** 2 % _P
