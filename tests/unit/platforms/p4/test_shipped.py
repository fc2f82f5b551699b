"""The P4 programs of this package are what their sources say: digests, and what the compiler makes of them here."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path
from shutil import which

import pytest

from pytest_netbench.platforms.p4 import shipped

COMPILER = "p4c-bm2-ss"
BY_HAND = "none"


def comparable(text: str) -> dict[str, object]:
    """A compiled program without the places of its source and the compiler's version."""
    found: dict[str, object] = json.loads(text, object_hook=_without_places)
    found.pop("__meta__", None)
    found.pop("program", None)
    return found


def _without_places(one: dict[str, object]) -> dict[str, object]:
    return {key: value for key, value in one.items() if key != "source_info"}


def test_there_is_a_program() -> None:
    assert shipped.DEFAULT in shipped.names()


@pytest.mark.parametrize("name", shipped.names())
def test_a_compiled_program_was_made_from_the_source_beside_it(name: str) -> None:
    origin = shipped.origin(name)
    assert origin.source_sha256 == shipped.digest(shipped.source(name))
    assert origin.compiler == BY_HAND or origin.compiler.startswith(f"{COMPILER} ")


@pytest.mark.skipif(which(COMPILER) is None, reason=f"{COMPILER} is not on the PATH (fix: install p4c)")
@pytest.mark.parametrize("name", shipped.names())
def test_the_compiler_makes_the_same_of_the_source(name: str, tmp_path: Path) -> None:
    if shipped.origin(name).compiler == BY_HAND:
        pytest.skip(f"{name}.json was written by hand, and a compiler writes the same program in another way")
    (tmp_path / f"{name}.p4").write_text(shipped.source(name))
    made = tmp_path / f"{name}.json"
    subprocess.run([COMPILER, f"{name}.p4", "-o", made], cwd=tmp_path, check=True)
    assert comparable(made.read_text()) == comparable(shipped.compiled(name))


def test_the_program_of_the_fabric_has_the_tables_that_its_entries_are_written_for() -> None:
    program = shipped.program("ipv4_fabric")
    keys = {table.name: [(field.name, field.kind, field.bits) for field in table.key] for table in program.tables}
    assert keys == {
        "FabricIngress.gateways": [("hdr.arp.target_address", "exact", 32)],
        "FabricIngress.ipv4_lpm": [("hdr.ipv4.destination", "lpm", 32)],
        "FabricIngress.ecmp_members": [("meta.group", "exact", 16), ("meta.bucket", "exact", 16)],
        "FabricEgress.port_macs": [("standard.egress_port", "exact", 9)],
    }
    forward = program.table("ipv4_lpm").action("forward")
    assert [(one.name, one.bits) for one in forward.parameters] == [("mac", 48), ("port", 9)]
    assert program.table("ipv4_lpm").is_counted
    assert {one.name: one.size for one in program.counters} == {
        "FabricIngress.received": 64,
        "FabricIngress.dropped": 64,
        "FabricEgress.sent": 64,
    }
    assert [(one.name, one.size, one.bits) for one in program.registers] == [("FabricIngress.last_received_us", 64, 48)]


@pytest.mark.parametrize(
    ("what", "message"),
    [("table", "unknown table 'ipv4_lmp'"), ("counter", "unknown counter 'x'"), ("register", "unknown register 'x'")],
)
def test_a_name_that_the_program_lacks_is_told_with_those_that_it_has(what: str, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        getattr(shipped.program("ipv4_fabric"), what)(message.split("'")[1])
