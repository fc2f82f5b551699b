"""The file of a sealed bundle: complete, unchanged, and closed to who has no key."""

from __future__ import annotations

import json
import random

import pytest

from pytest_netbench.errors import SealedFileError, UsageError
from pytest_netbench.plugin.items import sealing
from pytest_netbench.sealing import bundle, keys
from pytest_netbench.sealing.bundle import Packed, placed, read_bundle, write_bundle
from pytest_netbench.sealing.keys import SealingKey, key_of, read_key, write_key

TASKS = {
    "one": Packed(task="qos/one.task.yaml", files={"qos/one.task.yaml": "secret: é\n", ".truth/one-1.json": "{}"}),
    "two": Packed(task="qos/two.task.yaml", files={"qos/two.task.yaml": "secret: 2\r\n"}),
}


@pytest.fixture(scope="module")
def key():
    return SealingKey.new()


@pytest.fixture
def path(tmp_path, key):
    write_bundle(tmp_path / "set.sealed", TASKS, key)
    return tmp_path / "set.sealed"


def test_what_is_sealed_can_be_opened(path, key):
    found = read_bundle(path)
    found.check_key(key)
    assert {name: found.open(name, key) for name in found.manifest.names} == TASKS


def test_the_first_line_tells_what_everybody_may_know_and_no_line_tells_more(path, key):
    first = json.loads(path.read_bytes().split(b"\n")[0])
    assert list(first) == ["netbench_sealed", "created", "key", "tasks", "version"]
    assert [set(one) for one in first["tasks"]] == [{"name", "bytes", "sha256"}] * 2
    assert b"secret" not in path.read_bytes()
    assert key.text.encode() not in path.read_bytes()


def test_each_change_of_a_byte_is_found_without_the_key(path):
    data = path.read_bytes()
    chance = random.Random(1)
    for position in range(len(data)):
        changed = bytearray(data)
        changed[position] ^= 1 << chance.randrange(8)
        path.write_bytes(changed)
        with pytest.raises(SealedFileError):
            read_bundle(path)


@pytest.mark.parametrize("cut", [1, 50, 400])
def test_a_bundle_that_was_cut_off_is_found(path, cut):
    path.write_bytes(path.read_bytes()[:-cut])
    with pytest.raises(SealedFileError):
        read_bundle(path)


def test_a_change_of_a_task_names_the_task(path):
    lines = path.read_bytes().split(b"\n")
    lines[2] = b"A" * len(lines[2])
    path.write_bytes(b"\n".join(lines))
    with pytest.raises(SealedFileError, match=r"set\.sealed: was changed: task two$"):
        read_bundle(path)


def test_another_key_is_named(path, key):
    other = SealingKey.new()
    with pytest.raises(SealedFileError, match=f"sealed with the key {key.id}, not with {other.id}"):
        read_bundle(path).check_key(other)


def test_a_bundle_that_someone_made_without_the_key_is_refused(path, key, tmp_path):
    """Its digests are right, and it says the id of the owner's key."""
    forged, impostor = tmp_path / "forged.sealed", SealingKey.new()
    impostor.__class__ = type("Impostor", (SealingKey,), {"id": key.id})
    write_bundle(forged, TASKS, impostor)
    found = read_bundle(forged)
    with pytest.raises(SealedFileError, match="made or changed by someone without the key"):
        found.check_key(key)


def test_sealed_data_does_not_open_as_something_else(key):
    sealed = key.seal(b"text", about="task one")
    assert key.open(sealed, about="task one") == b"text"
    with pytest.raises(SealedFileError):
        key.open(sealed, about="task two")


def test_the_same_text_is_never_sealed_the_same(key):
    assert key.seal(b"text", about="x") != key.seal(b"text", about="x")


@pytest.mark.parametrize("name", ["/etc/passwd", "../up", "a/../../up", ""])
def test_no_file_is_unsealed_outside_its_folder(tmp_path, name):
    with pytest.raises(SealedFileError, match="leads elsewhere"):
        list(placed(tmp_path, Packed(task="x", files={name: ""})))


def test_a_key_file_is_for_its_owner_and_is_never_overwritten(tmp_path, key):
    path = tmp_path / "owner.key"
    write_key(path, key)
    assert path.stat().st_mode & 0o777 == 0o600
    assert read_key(path).text == key.text
    with pytest.raises(UsageError, match="File exists"):
        write_key(path, SealingKey.new())


def test_the_key_comes_from_a_file_or_from_the_environment(tmp_path, monkeypatch, key):
    other = SealingKey.new()
    write_key(tmp_path / "file.key", other)
    monkeypatch.delenv("NETBENCH_KEY_FILE", raising=False)
    monkeypatch.delenv("NETBENCH_KEY", raising=False)
    assert key_of(None) is None
    monkeypatch.setenv("NETBENCH_KEY", key.text)
    found = key_of(None)
    assert found is not None
    assert found.id == key.id
    chosen = key_of(tmp_path / "file.key")
    assert chosen is not None
    assert chosen.id == other.id


def test_a_wrong_text_is_not_repeated(key):
    wrong = key.text[:-3]
    with pytest.raises(UsageError) as error:
        SealingKey.of_text(wrong, where="x.key")
    assert wrong not in str(error.value)
    assert key.text not in repr(key)


def test_the_plugin_and_the_keys_call_the_variables_the_same():
    assert (sealing.VARIABLE, sealing.FILE_VARIABLE, sealing.SUFFIX) == (
        keys.VARIABLE,
        keys.FILE_VARIABLE,
        bundle.SUFFIX,
    )
