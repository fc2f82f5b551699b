"""Variants of the corpus, on paper: valid, complete, reversible, and equal for equal seeds."""

from __future__ import annotations

import contextlib
import json
import re
import subprocess
import sys
from collections.abc import Iterator
from functools import cache
from ipaddress import ip_address, ip_network
from itertools import pairwise
from pathlib import Path
from random import Random
from typing import Any

import pytest

from pytest_netbench.generators.plan import PlanGenerator
from pytest_netbench.generators.sources import FileSource
from pytest_netbench.generators.variants.addresses import AddressMap
from pytest_netbench.generators.variants.documents import texts
from pytest_netbench.generators.variants.drawing import closed
from pytest_netbench.generators.variants.plan import ROOTS, draw_addresses
from pytest_netbench.generators.variants.rewriting import Kind, Rewriter
from pytest_netbench.generators.variants.skins import inverse, record_under, solutions_under, under, variant_of
from pytest_netbench.generators.variants.source import VariantSource
from pytest_netbench.generators.variants.tokens import Mention, mentions
from pytest_netbench.model.behaviour import Behaviour
from pytest_netbench.model.configure import configuration_of
from pytest_netbench.model.objects import POD, objects_of
from pytest_netbench.model.solutions import Solutions
from pytest_netbench.model.task import Task
from pytest_netbench.model.variant import Skin
from pytest_netbench.results.reference import ReferenceStore
from pytest_netbench.results.truth import TruthStore
from pytest_netbench.taskfile.names import full_name
from tests.support.task_list import cluster_files, files

FILES = files()
SEEDS = range(1, 6)


def of_each_task() -> Any:
    return pytest.mark.parametrize("path", FILES, ids=lambda path: path.name.partition(".")[0])


@cache
def variant_skin(path: Path, seed: int) -> tuple[Task, Skin]:
    variant = variant_of(original(path)[0], seed)
    assert variant.variant is not None
    return variant, variant.variant.skin


@cache
def original(path: Path) -> tuple[Task, Solutions | None]:
    source = FileSource(path)
    task = source.load()
    return task, source.solutions(task)


def as_json(model: Any) -> str:
    return json.dumps(model.model_dump(mode="json", by_alias=True))


def all_texts(*models: Any) -> list[tuple[str, Kind]]:
    return [one for model in models for one in texts(model.model_dump(mode="json", by_alias=True))]


@of_each_task()
def test_a_variant_is_valid_and_its_solutions_are_too(path: Path) -> None:
    for seed in SEEDS:
        source = VariantSource(FileSource(path), seed)
        task = source.load()
        assert task == variant_skin(path, seed)[0]
        assert task.variant is not None
        assert task.variant.seed == seed
        assert task.digest != original(path)[0].digest
        solutions = source.solutions(task)
        nodes = {node.name for node in task.network.topology.nodes}
        for one in () if solutions is None else (*solutions.right, *solutions.wrong):
            assert one.configs.keys() <= nodes
        for mutant in () if solutions is None else solutions.mutants:
            assert mutant.line in {line.strip() for line in configuration_of(task).truth_of(mutant.node)}


@of_each_task()
def test_the_inverse_skin_gives_the_original_bytes_back(path: Path) -> None:
    task, solutions = original(path)
    for seed in SEEDS:
        variant, skin = variant_skin(path, seed)
        back = inverse(skin)
        assert as_json(under(back, variant.model_copy(update={"variant": None}))) == as_json(task)
        if solutions is not None:
            assert as_json(solutions_under(back, solutions_under(skin, solutions))) == as_json(solutions)


@of_each_task()
def test_the_records_of_a_task_are_those_of_its_variant_under_other_names(path: Path) -> None:
    task, _ = original(path)
    truths, references = TruthStore.around(path.parent), ReferenceStore.around(path.parent)
    variant, skin = variant_skin(path, 1)
    back = inverse(skin)
    truth, own = truths.load(task), truths.load(variant)
    assert (truth is None) == (own is None)
    if truth is not None and own is not None:
        assert own.digest == variant.truth_digest
        assert own.configs.keys() == {skin.nodes.get(node, node) for node in truth.configs}
        turned = record_under(back, own.model_dump(mode="json"))
        assert {**turned, "digest": truth.digest, "proved": truth.proved} == truth.model_dump(mode="json")
    behaviour, mine = references.load(task), references.load(variant)
    assert (behaviour is None) == (mine is None)
    if behaviour is not None and mine is not None:
        assert mine.digest == variant.reference_digest
        _check_behaviour(mine, variant)
        _routes_are_the_same(behaviour, mine)


@of_each_task()
def test_each_interface_of_the_topology_is_configured_where_it_was(path: Path) -> None:
    task, _ = original(path)
    for seed in SEEDS:
        variant, skin = variant_skin(path, seed)
        new = {**skin.nodes, **skin.names}
        assert _configured(variant) == [(new.get(node, node), count) for node, count in _configured(task)]


def _configured(task: Task) -> list[tuple[str, int]]:
    """By node: how many of its interfaces its startup config names."""
    network, found = task.network, []
    for node in network.topology.nodes:
        named = set()
        for word in re.findall(r"(?:interface|dev) (\S+)", network.startup_configs.get(node.name, "")):
            with contextlib.suppress(ValueError):
                named.add(full_name(network.platform_of(node.name), word.rstrip(":")))
        mine = {full_name(network.platform_of(node.name), one) for one in network.topology.interfaces(node.name)}
        found.append((node.name, len(named & mine)))
    return found


@pytest.mark.parametrize("path", cluster_files(), ids=lambda path: path.name.partition(".")[0])
def test_of_a_cluster_only_names_and_the_addresses_of_services_are_others(path: Path) -> None:
    task, _ = original(path)
    assert len(task.network.topology.nodes) > 5
    for seed in SEEDS:
        variant, skin = variant_skin(path, seed)
        pairs = list(zip(_objects(task), _objects(variant), strict=True))
        for before, after in pairs:
            assert list(_differing(before, after, skin)) == []
        services = [
            (ip_address(one["spec"]["clusterIP"]), ip_address(other["spec"]["clusterIP"]))
            for one, other in pairs
            if one["kind"] == "Service"
        ]
        assert all(str(new).startswith("10.96.") and str(new) != "10.96.0.10" for _, new in services)
        assert sorted(services) == sorted(services, key=lambda pair: pair[1])
        kept = {node.name for node in task.network.topology.nodes} - skin.names.keys()
        assert kept == {"workstation", "coredns"}
        assert "10.96.0.10" in as_json(variant)


def _objects(task: Task) -> list[dict[str, Any]]:
    return objects_of(task.network.startup_configs["workstation"])


def _differing(before: Any, after: Any, skin: Skin, *place: str) -> Iterator[tuple[str, ...]]:
    """Where something else than a word that is a name, or the address of a service, is otherwise."""
    if isinstance(before, dict) and isinstance(after, dict):
        assert list(before) == list(after), "keys stay"
        for key, value in before.items():
            yield from _differing(value, after[key], skin, *place, key)
    elif isinstance(before, list) and isinstance(after, list):
        for one, other in zip(before, after, strict=True):
            yield from _differing(one, other, skin, *place)
    elif place[-1] == "clusterIP":
        return
    elif [skin.names.get(word, word) for word in _words(before)] != _words(after):
        yield (*place, str(before), str(after))


def _words(value: Any) -> list[str]:
    return re.split(r"[/.:,]", str(value))


def test_an_address_in_a_record_is_one_address_also_if_it_ends_in_zeros() -> None:
    skin = Skin(flips=("10.64.0.0/20",))
    assert Rewriter(skin).text("10.64.0.0", Kind.RECORD) == "10.64.8.0"
    assert Rewriter(skin).text("10.64.0.0/16", Kind.RECORD) == "10.64.0.0/16"
    assert Rewriter(skin).text("10.64.0.0", Kind.PROSE) == "10.64.0.0"


def _routes_are_the_same(behaviour: Behaviour, own: Behaviour) -> None:
    """Each target of a flow lies in the same entries of all tables as before."""
    for table, new in zip(behaviour.tables, own.tables, strict=True):
        prefixes = [(ip_network(a), ip_network(b)) for a, b in zip(table, new, strict=True)]
        for (old_fields, _), (fields, _) in zip(behaviour.flows, own.flows, strict=True):
            before, after = ip_address(str(old_fields[2])), ip_address(str(fields[2]))
            for old, now in prefixes:
                assert (before in old) == (after in now)


def _check_behaviour(behaviour: Behaviour, variant: Task) -> None:
    nodes = {node.name for node in variant.network.topology.nodes}
    configs = variant.network.startup_configs.values()
    assert behaviour.addresses.keys() <= nodes
    for moment in behaviour.moments:
        for one in behaviour.held(moment):
            assert one.flow.source in nodes
            assert one.flow.target_node in {*nodes, None}
            assert one.before.at in {*nodes, None}
            if one.flow.target_node is not None and one.flow.listen_port is None:
                if variant.payload.resource == "cluster":  # which gives pods their addresses when it begins
                    assert one.flow.target == POD or any(f"clusterIP: {one.flow.target}" in text for text in configs)
                else:
                    assert one.flow.target in behaviour.addresses[one.flow.target_node] or one.flow.why
        assert {table.node for table in behaviour.tables_at(moment)} <= nodes


@of_each_task()
def test_no_token_that_is_replaced_is_left(path: Path) -> None:
    """Searched for by patterns of their own, with wider limits than those of the rewriting."""
    task, solutions = original(path)
    before = all_texts(task, *([solutions] if solutions else []))
    for seed in SEEDS:
        variant, skin = variant_skin(path, seed)
        after = all_texts(variant, *([solutions_under(skin, solutions)] if solutions else []))
        _no_word_is_left(skin, after)
        _numbers_are_mapped(skin, before, after)
        _no_address_is_left(skin, before, after)


def _no_word_is_left(skin: Skin, after: list[tuple[str, Kind]]) -> None:
    for old in skin.nodes:
        whole = re.compile(rf"(?<![\w-]){re.escape(old)}(?![\w-])")
        for text, kind in after:
            if kind is Kind.NAME or (kind is Kind.PROSE and old not in skin.ordinary):
                assert not whole.search(text), f"{old!r} is left in {text!r}"
            if kind is Kind.DEVICE:
                assert f"hostname {old}\n" not in f"{text}\n"
    for old in (*skin.names, *skin.secrets):
        for text, _ in after:
            assert not re.search(rf"(?<![\w-]){re.escape(old)}(?![\w-])", text), f"{old!r} is left in {text!r}"


def _numbers_are_mapped(skin: Skin, before: list[tuple[str, Kind]], after: list[tuple[str, Kind]]) -> None:
    old, new = ("\n".join(text for text, _ in some) for some in (before, after))
    for pattern, mapping in (
        (r"(?:remote-as|router bgp|AS|prepend|permit|community) (\d{5})\b", skin.asns),
        (r"(?i)\b(?:vlan|dot1q) ?(\d+)\b(?![./])", skin.vlans),
        (r"Ethernet\d/\d\.(\d+)", skin.vlans),
        (r"(?:autonomous system|eigrp|use AS) (\d+)\b", skin.eigrp),
        (r"(?:Ethernet|Gi|Fa|Serial) ?(\d+)/\d", skin.slots),
        (r"\beth(\d+)", skin.ports),
        (r"\bLoopback ?(\d+)", skin.loopbacks),
    ):
        expected = {mapping.get(int(number), int(number)) for number in re.findall(pattern, old)}
        assert {int(number) for number in re.findall(pattern, new)} == expected, pattern


def _no_address_is_left(skin: Skin, before: list[tuple[str, Kind]], after: list[tuple[str, Kind]]) -> None:
    moves = AddressMap(skin.flips, skin.documentation)
    known = {one for text, _ in before for one in mentions(text) if one.version == 4 and not one.is_pattern}
    wholes = re.compile(r"(?<![\d.])\d+\.\d+\.\d+\.\d+(?![\d])")
    found = {match[0] for text, _ in after for match in wholes.finditer(text.replace("\\", ""))}
    images = {moves.moved(one.value, 4, one.own) for one in known}
    for one in known:
        if moves.moved(one.value, 4, one.own) != one.value and one.value not in images:
            address = ".".join(str(octet) for octet in one.value.to_bytes(4))
            assert address not in found, f"{address} is left"


@of_each_task()
def test_a_skin_replaces_each_thing_by_one_thing_of_its_kind_in_the_same_order(path: Path) -> None:
    task, _ = original(path)
    values = sorted({one.value for text, _ in all_texts(task) for one in mentions(text) if one.version == 4})
    for seed in SEEDS:
        _, skin = variant_skin(path, seed)
        moves = AddressMap(skin.flips, skin.documentation)
        moved = [moves.moved(value, 4, 32) for value in values if value % 256]
        assert all(a < b for a, b in pairwise(moved)), "the order of addresses decides elections"
        for mapping in (skin.nodes, skin.names, skin.secrets, skin.asns, skin.eigrp, skin.vlans):
            assert len(set(mapping.values())) == len(mapping)
        for numbers in (skin.asns, skin.eigrp, skin.vlans, skin.slots, skin.ports, skin.loopbacks):
            assert numbers.keys() == set(numbers.values()), "what is driven out has a place"
        assert not set(skin.nodes) & set(skin.nodes.values())
        words = {text for text, _ in all_texts(task)}
        assert not any(new in text for new in (*skin.names.values(), *skin.nodes.values()) for text in words)


def test_equal_seeds_give_equal_bytes_in_another_process_and_other_seeds_other_tasks() -> None:
    path = next(one for one in FILES if "bgp-communities" in one.name)
    task, _ = original(path)
    code = (
        "import sys; from pathlib import Path; from pytest_netbench.generators.sources import FileSource;"
        "from pytest_netbench.generators.variants.source import VariantSource;"
        "print(VariantSource(FileSource(Path(sys.argv[1])), 7).load().model_dump_json(by_alias=True))"
    )
    environment = {"PYTHONHASHSEED": "123", "PATH": "/usr/bin:/bin"}
    done = subprocess.run(
        [sys.executable, "-c", code, str(path)], capture_output=True, text=True, check=True, env=environment
    )
    assert done.stdout.strip() == variant_of(task, 7).model_dump_json(by_alias=True)
    assert len({variant_of(task, seed).digest for seed in range(20)}) == 20


def test_a_task_of_another_family_stays_as_it_is(tmp_path: Path) -> None:
    path = tmp_path / "question.task.json"
    made = PlanGenerator().draw(PlanGenerator.parameters(), seed=1, index=0)
    path.write_text(made.model_dump_json(by_alias=True))
    source = VariantSource(FileSource(path), 7)
    task = source.load()
    assert task == FileSource(path).load()
    assert source.item_name(task, "oracle") == f"{task.slug}[oracle]"
    assert source.solutions(task) is None


def test_prefixes_stay_prefixes_of_their_parts_and_special_addresses_stay() -> None:
    fixed = "224.0.0.5 127.0.0.1 8.8.8.8 0.0.0.0/0 169.254.1.1 10.0.0.0/8"
    text = f"10.1.0.0/16 10.1.10.0/24 10.1.10.5 10.1.20.0 0.0.0.255 {fixed}"
    known = tuple(mentions(text))
    moved = 0
    for seed in range(30):
        flips, order = draw_addresses(known, Random(seed))
        rewriter = Rewriter(Skin(flips=flips, documentation=order))
        new = rewriter.text(text, Kind.PROSE).split()
        assert new[5:] == fixed.split()
        whole, part = new[0].removesuffix(".0.0/16"), new[1].removesuffix(".0/24")
        assert part.startswith(f"{whole}.")
        assert new[2] == f"{part}.5"
        moved += new[1] != "10.1.10.0/24"
    assert moved > 20


def test_a_pattern_of_addresses_keeps_what_it_covers() -> None:
    text = r"10\.1\.\d+\.\d+ 10.1.10.0/24 10.1.20.5 192\.0\.2\.[04]"
    for seed in range(20):
        flips, order = draw_addresses(tuple(mentions(text)), Random(seed))
        pattern, first, second, _ = Rewriter(Skin(flips=flips, documentation=order)).text(text, Kind.DEVICE).split()
        assert re.fullmatch(pattern, first.removesuffix("/24"))
        assert re.fullmatch(pattern, second)


def test_a_wildcard_with_gaps_covers_the_same_networks() -> None:
    text = "10.0.16.0 0.255.0.255 10.1.16.9 10.2.17.9"
    known = tuple(mentions(text))
    assert known[0].gaps is not None
    for seed in range(20):
        flips, _ = draw_addresses(known, Random(seed))
        base, _, inside, outside = Rewriter(Skin(flips=flips)).text(text, Kind.DEVICE).split()
        assert inside.split(".")[2] == base.split(".")[2] != outside.split(".")[2]


def test_the_bare_network_of_a_classful_statement_is_moved_as_its_subnets_are() -> None:
    text = "network 172.16.0.0\nip address 172.16.1.1 255.255.255.0\nip route 172.16.2.0 255.255.255.0 Null0"
    seen = set()
    for seed in range(20):
        flips, _ = draw_addresses(tuple(mentions(text)), Random(seed))
        words = Rewriter(Skin(flips=flips)).text(text, Kind.DEVICE).split()
        assert words[1].endswith(".0.0")
        heads = {word.rsplit(".", 2)[0] for word in words if word.startswith("172.")}
        assert len(heads) == 1
        seen |= heads
    assert len(seen) > 3


def test_the_last_address_of_a_network_stays_its_last() -> None:
    text = "10.1.0.0/16, 10.1.255.255, 10.1.10.0/24"
    for seed in range(20):
        flips, _ = draw_addresses(tuple(mentions(text)), Random(seed))
        network, last, part = Rewriter(Skin(flips=flips)).text(text, Kind.PROSE).split(", ")
        assert ip_address(last) == ip_network(network).broadcast_address
        assert ip_network(part).subnet_of(ip_network(network))


def test_a_part_of_a_network_does_not_become_its_end_where_the_broadcast_address_is() -> None:
    known = tuple(mentions("ip address 10.1.0.1 255.255.0.0\npermit ip 10.1.99.0 0.0.0.255 any"))
    parts = set()
    for seed in range(600):
        moved = AddressMap(*draw_addresses(known, Random(seed)))
        parts.add(moved.moved(known[2].value, 4, 24) >> 8 & 0xFF)
    assert len(parts) > 50
    assert not parts & {0, 255}


def test_a_list_of_vlans_before_an_address_does_not_hide_it() -> None:
    skin = Skin(vlans={10: 500, 500: 10}, flips=("192.168.0.0/16",))
    text = Rewriter(skin).text("VLAN 10 and 192.168.20.1/24 in VLAN 10.", Kind.PROSE)
    assert text == "VLAN 500 and 192.168.148.1/24 in VLAN 500."


def test_a_name_that_is_a_word_of_a_language_stays_in_its_commands() -> None:
    skin = Skin(nodes={"server": "elm-server", "Core": "Oak"})
    config = "hostname Core\nno ip http server\ninterface Gi0/0\n description line to server\n"
    assert Rewriter(skin).text(config, Kind.DEVICE) == (
        "hostname Oak\nno ip http server\ninterface Gi0/0\n description line to elm-server\n"
    )
    assert Rewriter(skin).text("the server and Core1 at Core", Kind.PROSE) == "the elm-server and Core1 at Oak"


def test_a_permutation_gives_what_is_driven_out_a_place() -> None:
    assert closed({1: 2, 2: 3}) == {1: 2, 2: 3, 3: 1}
    assert closed({4: 4, 1: 9}) == {4: 4, 1: 9, 9: 1}


def test_addresses_outside_the_blocks_without_meaning_never_move() -> None:
    assert "10.0.0.0/8" in ROOTS
    known = [Mention(int.from_bytes(bytes(octets)), 4, 32) for octets in ((8, 8, 8, 8), (224, 0, 0, 5), (10, 9, 1, 7))]
    flips, _ = draw_addresses(known, Random(1))
    moves = AddressMap(flips, {})
    assert moves.moved(known[0].value, 4, 32) == known[0].value
    assert moves.moved(known[1].value, 4, 32) == known[1].value
    assert all(flip.startswith("10.") for flip in flips)
