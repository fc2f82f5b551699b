"""The key of sealed tasks, and what is encrypted with it.

The only module that imports ``cryptography``, which is loaded at first use.
"""

from __future__ import annotations

import base64
import binascii
import hashlib
import os
from pathlib import Path
from typing import Any, Final

from pytest_netbench.errors import SealedFileError, UsageError

VARIABLE: Final = "NETBENCH_KEY"
"""Environment variable with the text of a key."""
FILE_VARIABLE: Final = "NETBENCH_KEY_FILE"
"""Environment variable with the path of a file that has one. A confined program does not see that file."""
_PREFIX: Final = "netbench-key-1:"
_KEY_BYTES: Final = 32
_NONCE_BYTES: Final = 12
_COMMENT: Final = "# Key of sealed netbench tasks. Who has it can read their ground truth.\n"


class SealingKey:
    """A key of 256 bits. Purposes have keys of their own, derived from it.

    Args:
        secret: Its bytes.
    """

    def __init__(self, secret: bytes) -> None:
        assert len(secret) == _KEY_BYTES
        self._secret = secret

    def __repr__(self) -> str:
        return f"SealingKey({self.id})"

    @classmethod
    def new(cls) -> SealingKey:
        """A random key."""
        return cls(os.urandom(_KEY_BYTES))

    @classmethod
    def of_text(cls, text: str, *, where: str) -> SealingKey:
        """The key in ``text``: one line ``netbench-key-1:…``, and comments.

        Args:
            text: Of a key file or an environment variable.
            where: What people are told it was. The text itself is in no error.

        Raises:
            UsageError: It is no key.
        """
        lines = [line.strip() for line in text.splitlines() if line.strip() and not line.lstrip().startswith("#")]
        if len(lines) == 1 and lines[0].startswith(_PREFIX):
            try:
                secret = base64.b64decode(lines[0].removeprefix(_PREFIX), altchars=b"-_", validate=True)
            except (binascii.Error, ValueError):
                secret = b""
            if len(secret) == _KEY_BYTES:
                return cls(secret)
        raise UsageError(f"{where}: not a key of sealed tasks; expected one line {_PREFIX}… (44 characters)")

    @classmethod
    def of_content(cls, content: bytes) -> SealingKey:
        """The key of one content alone: who does not know the content cannot know the key."""
        return cls(hashlib.sha256(b"netbench content " + content).digest())

    @classmethod
    def of_hex(cls, text: str) -> SealingKey:
        """The key whose ``hex`` is ``text``.

        Raises:
            UsageError: It is none.
        """
        if len(text) != 2 * _KEY_BYTES or not set(text) <= set("0123456789abcdef"):
            raise UsageError(f"not a key: expected {2 * _KEY_BYTES} hex digits")
        return cls(bytes.fromhex(text))

    @property
    def hex(self) -> str:
        """As ``of_hex`` reads it."""
        return self._secret.hex()

    @property
    def text(self) -> str:
        """As ``of_text`` reads it."""
        return _PREFIX + base64.urlsafe_b64encode(self._secret).decode()

    @property
    def id(self) -> str:
        """What tells keys apart, and tells nothing of the key."""
        return self.digest("id", "")[:16]

    def digest(self, purpose: str, text: str | bytes) -> str:
        """A digest of ``text`` that only who has the key can compute: guesses cannot be tried against it."""
        data = text if isinstance(text, bytes) else text.encode()
        from cryptography.hazmat.primitives.hashes import SHA256  # an extra
        from cryptography.hazmat.primitives.hmac import HMAC

        mac = HMAC(self._derived(f"digest {purpose}"), SHA256())
        mac.update(data)
        return mac.finalize().hex()

    def seal(self, data: bytes, *, about: str) -> bytes:
        """Encrypt ``data``.

        Args:
            data: What is encrypted.
            about: What it is and where it belongs. The same must be said to ``open`` it.
        """
        nonce = os.urandom(_NONCE_BYTES)
        sealed: bytes = self._cipher().encrypt(nonce, data, about.encode())
        return nonce + sealed

    def seal_once(self, data: bytes, *, about: str) -> bytes:
        """As ``seal``, with equal bytes for equal data. The key must seal nothing else, see ``of_content``."""
        nonce = bytes(_NONCE_BYTES)
        sealed: bytes = self._cipher().encrypt(nonce, data, about.encode())
        return nonce + sealed

    def open(self, sealed: bytes, *, about: str) -> bytes:
        """Decrypt what ``seal`` returned.

        Raises:
            SealedFileError: It was sealed with another key, belongs elsewhere, or was changed.
        """
        from cryptography.exceptions import InvalidTag  # an extra

        try:
            opened: bytes = self._cipher().decrypt(sealed[:_NONCE_BYTES], sealed[_NONCE_BYTES:], about.encode())
        except (InvalidTag, ValueError):
            raise SealedFileError(f"{about}: was changed, or is sealed with another key than {self.id}") from None
        return opened

    def _cipher(self) -> Any:
        from cryptography.hazmat.primitives.ciphers.aead import ChaCha20Poly1305  # an extra

        return ChaCha20Poly1305(self._derived("seal"))

    def _derived(self, purpose: str) -> bytes:
        try:
            from cryptography.hazmat.primitives.hashes import SHA256  # an extra
            from cryptography.hazmat.primitives.kdf.hkdf import HKDF
        except ImportError:
            raise UsageError(
                "sealed tasks need the package cryptography (fix: pip install 'pytest-netbench[seal]')"
            ) from None
        derivation = HKDF(algorithm=SHA256(), length=_KEY_BYTES, salt=None, info=f"netbench 1 {purpose}".encode())
        derived: bytes = derivation.derive(self._secret)
        return derived


def read_key(path: Path) -> SealingKey:
    """The key in a file.

    Raises:
        UsageError: It cannot be read, or has no key.
    """
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        words = error.strerror if isinstance(error, OSError) else "not UTF-8 text"
        raise UsageError(f"{path}: the key cannot be read: {words}") from None
    return SealingKey.of_text(text, where=str(path))


def write_key(path: Path, key: SealingKey) -> None:
    """Write a key to a new file that only its owner can read.

    Raises:
        UsageError: There is a file already, or it cannot be written.
    """
    try:
        descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
    except OSError as error:
        raise UsageError(f"{path}: the key cannot be written: {error.strerror}") from None
    with os.fdopen(descriptor, "w", encoding="utf-8") as file:
        file.write(f"{_COMMENT}{key.text}\n")


def key_of(path: Path | None) -> SealingKey | None:
    """The key in the file ``path``, else in the environment; ``None`` if there is none.

    Raises:
        UsageError: What is given is no key.
    """
    path = path or (Path(os.environ[FILE_VARIABLE]) if os.environ.get(FILE_VARIABLE) else None)
    if path is not None:
        return read_key(path)
    text = os.environ.get(VARIABLE)
    return SealingKey.of_text(text, where=f"environment variable {VARIABLE}") if text else None
