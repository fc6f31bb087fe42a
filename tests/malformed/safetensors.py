#!/usr/bin/env python3
"""Writes the files of tests/malformed/safetensors: what the format forbids, one fault each, and indexes that are wrong.

    safetensors.py           writes them
    safetensors.py --check   says whether they are what it writes (as a test)"""

import json
import pathlib
import struct
import sys

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "input"))
import writers  # noqa: E402
from writers import header, raw, safetensors  # noqa: E402


def one(**changed):
    """A header with one tensor of two F32, a member changed or (None) taken away."""
    tensor = {"dtype": "F32", "shape": [2], "data_offsets": [0, 8]}
    tensor.update(changed)
    return json.dumps({"a": {k: v for k, v in tensor.items() if v is not None}})


def two(first, second, size):
    return raw(json.dumps({"a": {"dtype": "U8", "shape": [first[1] - first[0]], "data_offsets": first},
                           "b": {"dtype": "U8", "shape": [second[1] - second[0]], "data_offsets": second}}), bytes(size))


def index(weight_map, **more):
    return json.dumps({"metadata": {"total_size": 8}, "weight_map": weight_map, **more}).encode()


GOOD = safetensors([("a", "F32", (2,)), ("b", "BF16", (2, 2))])
TENSOR = '{"dtype":"F32","shape":[2],"data_offsets":[0,8]}'
FILES = {
    # cut off
    "empty": b"",
    "three_bytes": b"\x10\x00\x00",
    "length_only": struct.pack("<Q", 16),
    "header_cut": GOOD[:40],
    "data_cut": GOOD[:-1],
    "data_missing": raw(one()),
    # the header's length
    "length_zero": struct.pack("<Q", 0) + b"{}",
    "length_above_the_file": raw(one(), bytes(8), 1000),
    "length_all_ones": raw(one(), bytes(8), 2**64 - 1),
    "length_negative": raw(one(), bytes(8), 2**63),
    "length_short": raw(one(), bytes(8), 20),
    "length_takes_data": raw(one(), bytes(8), len(one()) + 4),
    "length_big_endian": struct.pack(">Q", len(one())) + one().encode() + bytes(8),
    # the header's text
    "no_brace": raw(" " + one(), bytes(8)),
    "array": raw("[]"),
    "not_json": raw("{a: 1}"),
    "unclosed": raw(one()[:-1], bytes(8)),
    "two_objects": raw(one() + "{}", bytes(8)),
    "zero_bytes_behind": raw(one() + "\0\0", bytes(8)),
    "name_not_utf8": raw(b'{"\xff\xfe":' + TENSOR.encode() + b"}", bytes(8)),
    "name_overlong": raw(b'{"\xc0\x80":' + TENSOR.encode() + b"}", bytes(8)),
    "name_twice": raw('{"a":%s,"a":%s}' % (TENSOR, TENSOR), bytes(8)),
    "key_twice": raw('{"a":{"dtype":"F32","dtype":"F16","shape":[2],"data_offsets":[0,8]}}', bytes(8)),
    "too_deep": raw('{"a":' + "[" * 300 + "]" * 300 + "}"),
    # a tensor's members
    "tensor_is_number": raw('{"a":3}'),
    "no_dtype": raw(one(dtype=None), bytes(8)),
    "no_shape": raw(one(shape=None), bytes(8)),
    "no_offsets": raw(one(data_offsets=None), bytes(8)),
    "unknown_key": raw(one(strides=[1]), bytes(8)),
    "dtype_unknown": raw(one(dtype="F128"), bytes(8)),
    "dtype_lower_case": raw(one(dtype="f32"), bytes(8)),
    "dtype_is_number": raw(one(dtype=32), bytes(8)),
    "shape_is_number": raw(one(shape=2), bytes(8)),
    "shape_negative": raw(one(shape=[-2]), bytes(8)),
    "shape_fraction": raw(one(shape=[2.0]), bytes(8)),
    "shape_exponent": raw('{"a":{"dtype":"F32","shape":[2e0],"data_offsets":[0,8]}}', bytes(8)),
    "shape_text": raw(one(shape=["2"]), bytes(8)),
    "shape_above_64_bits": raw(one(shape=[2**64]), bytes(8)),
    "shape_overflows": raw(one(shape=[2**40, 2**40, 2**40, 2**40]), bytes(8)),
    "shape_above_2_63_bytes": raw(one(shape=[2**62]), bytes(8)),
    "shape_wraps_to_8_bytes": raw(one(shape=[2**62 + 1, 4]), bytes(8)),
    "offsets_one": raw(one(data_offsets=[8]), bytes(8)),
    "offsets_three": raw(one(data_offsets=[0, 8, 16]), bytes(8)),
    "offsets_negative": raw(one(data_offsets=[-8, 0]), bytes(8)),
    "offsets_turned": raw(one(data_offsets=[8, 0]), bytes(8)),
    "offsets_huge": raw(one(data_offsets=[2**64 - 8, 2**64]), bytes(8)),
    "offsets_at_the_end_of_64_bits": raw(one(data_offsets=[2**64 - 9, 2**64 - 1]), bytes(8)),
    "size_too_small": raw(one(data_offsets=[0, 4]), bytes(4)),
    "size_too_large": raw(one(data_offsets=[0, 12]), bytes(12)),
    "size_of_nothing": raw(one(shape=[0], data_offsets=[0, 8]), bytes(8)),
    "bits_do_not_fill_bytes": raw(one(dtype="F4", shape=[3], data_offsets=[0, 2]), bytes(2)),
    # between tensors
    "overlap": two([0, 8], [4, 12], 12),
    "overlap_whole": two([0, 8], [0, 8], 8),
    "gap": two([0, 4], [8, 12], 12),
    "gap_in_front": raw(one(data_offsets=[4, 12]), bytes(12)),
    "bytes_behind": GOOD + b"\0",
    "bytes_and_no_tensor": raw("{}", bytes(8)),
    "metadata_is_text": raw('{"__metadata__":"pt","a":%s}' % TENSOR, bytes(8)),
    "metadata_has_number": raw('{"__metadata__":{"v":1},"a":%s}' % TENSOR, bytes(8)),
    # what is no safetensors file
    "git_lfs": b"version https://git-lfs.github.com/spec/v1\noid sha256:00\nsize 5\n",
    "web_page": b"<!DOCTYPE html><html></html>",
    "text": b"hello, this is a text",
    # fine: what looks odd and is not
    "fine_empty": raw("{}"),
    "fine_padded": raw(one() + "   ", bytes(8)),
    "fine_zero_elements": safetensors([("a", "F32", (0, 7)), ("b", "U8", (3,))]),
    "fine_scalar": safetensors([("", "F64", ()), (".", "F32", (1,)), ("..", "F32", (1,)), ("a..b", "F32", (1,)), ("a.", "F16", (2,))]),
    "fine_order": raw(json.dumps({"b": header([("x", "U8", (4,)), ("b", "U8", (4,))])[0]["b"], "a": header([("a", "U8", (4,))])[0]["a"]}),
                      bytes(8)),
}
INDEXES = {
    "index_is_array": b"[]",
    "index_without_map": b'{"metadata":{}}',
    "index_map_is_array": b'{"weight_map":[]}',
    "index_of_nothing": index({}),
    "index_file_is_number": index({"a": 1}),
    "index_file_is_absolute": index({"a": "/etc/passwd"}),
    "index_file_is_above": index({"a": "../fine_padded.safetensors"}),
    "index_file_is_above_later": index({"a": "x/../../fine_padded.safetensors"}),
    "index_file_is_empty": index({"a": ""}),
    "index_file_has_zero": index({"a": "fine\0.safetensors"}),
    "index_file_is_missing": index({"a": "nobody.safetensors"}),
    "index_files_are_missing": index({"a": "fine_padded.safetensors", "b": "nobody.safetensors", "c": "neither.safetensors"}),
    "index_file_is_bad": index({"a": "overlap.safetensors"}),
    "index_file_is_itself": index({"a": "index_file_is_itself.safetensors.index.json"}),
    "index_tensor_is_not_there": index({"a": "fine_padded.safetensors", "z": "fine_padded.safetensors"}),
    "index_tensor_is_elsewhere": index({"a": "fine_padded.safetensors", "b": "fine_padded.safetensors", "x": "fine_zero_elements.safetensors"}),
    "index_tensor_twice": index({"a": "fine_padded.safetensors", "b": "fine_zero_elements.safetensors"}),
    "index_name_twice": b'{"weight_map":{"a":"fine_padded.safetensors","a":"fine_padded.safetensors"}}',
    "index_cut": index({"a": "fine_padded.safetensors"})[:-5],
}


def files():
    yield from ((name + ".safetensors", data) for name, data in FILES.items())
    yield from ((name + ".safetensors.index.json", data) for name, data in INDEXES.items())


if __name__ == "__main__":
    sys.exit(writers.main(HERE / "safetensors", files()))
