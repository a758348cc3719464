"""Chips: keys as attributes, checked as the file reader checks them."""

import copy
import pickle

import pytest
from conftest import error_of

import tilewright as tw


def test_attributes_are_the_keys_of_the_file(quad):
    assert quad.cores == quad.clusters * quad.cores_per_cluster == 16
    assert quad.core.matmul.rows == 32 or quad.core.matmul.rows > 0
    quad.core.buffer_a_kib = 640
    assert quad.core.buffer_a_kib == 640
    assert "buffer_a_kib: 640" in quad.to_yaml()
    assert "matmul" in dir(quad.core) and "rows" in dir(quad.core.matmul)


def test_every_value_can_be_set_to_itself(quad):
    text = quad.to_yaml()
    quad.update(quad.to_dict())
    assert quad.to_yaml() == text
    assert tw.Hardware.from_yaml(text).to_yaml() == text


@pytest.mark.parametrize("key, value", [("core.buffer_a_kib", "much"), ("core.buffer_a_kib", -3),
                                        ("core.matmul.dataflow", "sideways"), ("core.bufer_a_kib", 512),
                                        ("clusters", 3), ("nework", 1)])
def test_a_mistake_has_the_message_of_the_command_line(quad, tmp_path, key, value):
    before = quad.to_yaml()
    with pytest.raises(tw.UserError) as raised:
        quad.update({key: value})
    assert quad.to_yaml() == before, "the chip is as it was"
    said = str(raised.value)
    assert key in said
    # The same chip as a file of the same name: the reader's words behind the line.
    import yaml

    values = yaml.safe_load(quad._core.text)
    section = values
    *path, last = key.split(".")
    for part in path:
        section = section[part]
    section[last] = value
    file = tmp_path / "quad_numa"
    file.write_text(yaml.safe_dump(values))
    written = error_of("plan", file, "tiny_mlp")
    assert words(written) == words(said)


def words(message):
    """Of the problems, without the places in the file."""
    return sorted(line.split(": ", 2 if line.startswith("error") else 1)[-1] for line in message.splitlines())


def test_reading_a_wrong_name_is_an_attribute_error_with_the_readers_words(quad):
    with pytest.raises(tw.UnknownKey, match="bufer_a_kib") as raised:
        quad.core.bufer_a_kib
    assert isinstance(raised.value, (AttributeError, tw.UserError))
    assert "buffer_a_kib" in str(raised.value)
    assert not hasattr(quad, "no_such_key")


def test_keys_that_only_fit_together_are_set_at_once(quad):
    with pytest.raises(tw.UserError, match="dram.regions"):
        quad.clusters = 3
    quad.update({"clusters": 3, "dram": {"regions": 1, "channels": 4}})
    assert quad.cores == 12


def test_none_takes_a_key_back_to_its_default(quad):
    quad.core.vector.divide_passes = 7
    quad.core.vector.divide_passes = None
    assert quad.core.vector.divide_passes != 7


def test_a_section_that_the_chip_does_not_have(edge):
    assert not edge.cluster_memory
    assert edge.cluster_memory.capacity_kib is None
    edge.cluster_memory.capacity_kib = 1024
    assert edge.cluster_memory and edge.cluster_memory.capacity_kib == 1024


def test_copies_are_their_own(quad):
    for other in (quad.copy(), copy.copy(quad), copy.deepcopy(quad), pickle.loads(pickle.dumps(quad))):
        assert other == quad
        other.core.buffer_a_kib = 64
        assert other != quad and other.fingerprint != quad.fingerprint


def test_an_unknown_chip_lists_those_there_are():
    with pytest.raises(tw.UserError, match="quad_numa") as raised:
        tw.Hardware("quad_numb")
    assert str(raised.value) in error_of("plan", "quad_numb", "tiny_mlp")
