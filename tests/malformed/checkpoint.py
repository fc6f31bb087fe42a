#!/usr/bin/env python3
"""Writes the files of tests/malformed/checkpoint: zip archives, pickles and tensors that are wrong, one fault each.

    checkpoint.py           writes them
    checkpoint.py --check   says whether they are what it writes (as a test)"""

import pathlib
import struct
import sys

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "input"))
import writers  # noqa: E402
from writers import Call, OrderedDict, Storage, archive, checkpoint, fresh, legacy, parameter, pickled, tensor  # noqa: E402

utils = sys.modules["torch._utils"]
PLAIN = {"a": fresh("0", "torch.float32", (2, 3))}
GOOD = checkpoint(PLAIN)
LEGACY = legacy(PLAIN)


def with_pickle(data, *entries):
    return archive([("archive/data.pkl", data)] + list(entries))


def patched(data, at, new):
    at = at if at >= 0 else len(data) + at
    return data[:at] + new + data[at + len(new):]


def end(field, value, width=2):
    """The good archive with a field of its end record changed; fields count from the record's begin."""
    return patched(GOOD, len(GOOD) - 22 + field, value.to_bytes(width, "little"))


def central(field, value, width=4, archive_=GOOD):
    """... of the first entry of its directory."""
    at = archive_.index(b"PK\x01\x02")
    return patched(archive_, at + field, value.to_bytes(width, "little"))


def local(field, value, width=2):
    return patched(GOOD, field, value.to_bytes(width, "little"))


def rebuilt(storage=None, first=0, size=(2, 3), stride=(3, 1)):
    return checkpoint({"a": Call(utils._rebuild_tensor_v2, (storage or Storage("0", "torch.float32", 6), first, size, stride, False, OrderedDict()))})


def opcodes(data):
    """A pickle of these opcodes, alone in an archive."""
    return with_pickle(b"\x80\x02" + data)


def nested(depth):
    value = PLAIN
    for _ in range(depth):
        value = {"x": value}
    return value


HOLDS_ITSELF = b"\x80\x02}q\x00X\x01\x00\x00\x00aq\x01h\x00s."
# x0 = {}; x1 = {a: x0, b: x0}; ... : 2 to the 30th ways to the last one
BOMB = b"\x80\x02}q\x00" + b"".join(b"}q" + bytes([i]) + b"(U\x01ah" + bytes([i - 1]) + b"U\x01bh" + bytes([i - 1]) + b"u" for i in range(1, 31)) + b"."
TWO = archive([("archive/data.pkl", pickled({})), ("archive/data.pkx", b"")])

FILES = {
    # the archive
    "cut_in_the_first_header": GOOD[:20],
    "cut_in_the_pickle": GOOD[:100],
    "cut_in_the_directory": GOOD[:GOOD.index(b"PK\x01\x02") + 30],
    "cut_in_the_end": GOOD[:-10],
    "no_end": GOOD[:-22],
    "end_has_comment_beyond": end(20, 7),
    "end_in_several_parts": end(4, 3),
    "end_counts_too_many": end(10, 60000),
    "end_counts_too_few": end(10, 1),
    "end_is_zip64_without": end(10, 0xFFFF),
    "directory_beyond_the_file": end(16, 0x7FFFFFFF, 4),
    "directory_too_long": end(12, 0x7FFFFFFF, 4),
    "directory_not_there": end(16, 3, 4),
    "entry_is_none": central(0, 0),
    "entry_name_too_long": central(28, 0xFFFF, 2),
    "entry_at_all_ones": central(42, 0xFFFFFFFF),
    "entry_beyond_the_directory": central(42, 0x7FFFFFF0),
    "entry_too_long": central(20, 0x7FFFFFF0),
    "entry_has_two_sizes": central(24, 5),
    "entry_encrypted": central(8, 1, 2),
    "entry_of_odd_method": central(10, 99, 2),
    "entry_twice": patched(TWO, TWO.rindex(b"data.pkx"), b"data.pkl"),
    "local_header_is_none": central(42, 1),
    "local_name_too_long": local(26, 0xFFFF),
    "deflated": checkpoint(PLAIN, compressed=("archive/data.pkl",)),
    "storage_deflated": checkpoint(PLAIN, compressed=("archive/data/0",)),
    "zip_of_something_else": archive([("readme.txt", b"hello"), ("a/b/data.pkl", b"")]),
    "zip_of_nothing": archive([]),
    # the pickle
    "pickle_empty": with_pickle(b""),
    "pickle_cut": with_pickle(pickled(PLAIN)[:40]),
    "pickle_without_stop": opcodes(b"}"),
    "pickle_protocol_9": with_pickle(b"\x80\x09}."),
    "opcode_unknown": opcodes(b"\xff."),
    "opcode_extension": opcodes(b"\x82\x01."),
    "opcode_buffer": opcodes(b"\x97."),
    "stack_empty": opcodes(b"."),
    "stack_empty_for_tuple": opcodes(b"N\x87."),
    "stack_below_the_mark": opcodes(b"}(s."),
    "mark_missing": opcodes(b"}u."),
    "mark_left": opcodes(b"(}."),
    "memo_not_there": opcodes(b"h\x07."),
    "memo_far": opcodes(b"}r\xff\xff\xff\x7f."),
    "memo_negative": opcodes(b"}p-5\n."),
    "text_too_long": opcodes(b"X\xff\xff\xff\x7fabc."),
    "text_of_8_bytes_length": opcodes(b"\x8d" + b"\xff" * 8 + b"abc."),
    "bytes_too_long": opcodes(b"\x8e" + b"\xff" * 8 + b"abc."),
    "long_too_long": opcodes(b"\x8b\xff\xff\xff\xff."),
    "line_without_end": opcodes(b"ctorch"),
    "line_too_long": opcodes(b"c" + b"a" * 5000 + b"\nb\n."),
    "items_into_a_number": opcodes(b"K\x01K\x02K\x03s."),
    "items_odd": opcodes(b"}(K\x01u."),
    "list_into_a_dict": opcodes(b"}K\x01a."),
    "arguments_are_no_tuple": opcodes(b"ctorch\nf\n}R."),
    "global_of_numbers": opcodes(b"K\x01K\x02\x93."),
    "call_of_nothing": opcodes(b"(o."),
    "holds_itself": with_pickle(HOLDS_ITSELF),
    "holds_itself_twice": with_pickle(BOMB),
    "too_deep": checkpoint(nested(40)),
    "name_not_utf8": with_pickle(pickled(PLAIN).replace(b"X\x01\x00\x00\x00a", b"X\x01\x00\x00\x00\xff", 1)),
    "name_too_long": checkpoint({"n" * 5000: fresh("0", "torch.float32", (1,))}),
    "name_twice": checkpoint(OrderedDict([("a.b", fresh("0", "torch.float32", (1,))), ("a", {"b": fresh("1", "torch.float32", (1,))})])),
    "tensor_under_a_tuple": checkpoint({"b": 1, "c": {(1, 2): [fresh("0", "torch.float32", (1,))]}}),
    "ordered_of_no_pairs": checkpoint(Call(OrderedDict, ([["a", 1], ["b"]],))),
    # its tensors
    "no_tensor": checkpoint({"epoch": 3}),
    "not_a_dict": checkpoint(7),
    "storage_not_there": archive([("archive/data.pkl", pickled(PLAIN))]),
    "storage_too_short": archive([("archive/data.pkl", pickled(PLAIN)), ("archive/data/0", bytes(20))]),
    "storage_of_odd_type": checkpoint({"a": Call(utils._rebuild_tensor_v2, (7, 0, (1,), (1,), False, OrderedDict()))}),
    "storage_negative": with_pickle(pickled(PLAIN).replace(b"K\x06", b"J\xfa\xff\xff\xff", 1)),
    "storage_in_two_sizes": checkpoint({"a": tensor(Storage("0", "torch.float32", 6), (6,)), "b": tensor(Storage("0", "torch.float32", 7), (7,))}),
    "shape_is_number": rebuilt(size=6),
    "shape_negative": rebuilt(size=(-2, 3)),
    "shape_of_65": rebuilt(size=(1,) * 65, stride=(1,) * 65),
    "shape_overflows": rebuilt(size=(2**62, 2**62, 2**62), stride=(0, 0, 0)),
    "shape_above_the_storage": rebuilt(size=(2, 4), stride=(4, 1)),
    "stride_negative": rebuilt(stride=(3, -1)),
    "stride_too_far": rebuilt(stride=(4, 1)),
    "stride_overflows": rebuilt(size=(2**40, 2**40), stride=(2**62, 2**62)),
    "strides_too_few": rebuilt(stride=(1,)),
    "first_negative": rebuilt(first=-1),
    "first_beyond": rebuilt(first=1),
    "too_few_arguments": checkpoint({"a": Call(utils._rebuild_tensor_v2, (Storage("0", "torch.float32", 6), 0))}),
    "parameter_of_a_number": checkpoint({"a": parameter(3)}),
    "bytes_of_no_type": checkpoint({"a": tensor(Storage("0", "UntypedStorage", 6), (6,))}),
    "type_unknown": checkpoint({"a": writers.of_bytes(Storage("0", "UntypedStorage", 6), (6,), sys.modules["evil"].Thing)}),
    "made_by_a_call": checkpoint({"a": Call(utils._rebuild_sparse_tensor, (1, (2, 3)))}),
    "made_of_a_storage_by_a_call": checkpoint({"a": Call(sys.modules["evil"].system, (Storage("0", "torch.float32", 6),))}),
    # the older form
    "legacy_cut_in_the_pickles": LEGACY[:60],
    "legacy_cut_in_the_storages": LEGACY[:-4],
    "legacy_other_length": patched(LEGACY, -32, struct.pack("<q", 5)),
    "legacy_storage_not_there": legacy(PLAIN)[:-32 - len(pickled(["0"]))] + pickled([]),
    "legacy_keys_are_no_list": legacy(PLAIN)[:-32 - len(pickled(["0"]))] + pickled(3),
    "tar": bytes(257) + b"ustar\x0000" + bytes(248),
    # no checkpoint
    "plain_pickle": pickled({"a": [1, 2, 3]}),
    "gzip": b"\x1f\x8b\x08\x00\x00",
    "hdf5": b"\x89HDF\r\n\x1a\n",
    # fine: nothing of it is executed
    "fine_call": checkpoint({"a": Call(sys.modules["evil"].system, ("touch /tmp/pwned",)), "b": fresh("0", "torch.float32", (2,))}),
}


def files():
    yield from ((name + ".pt", data) for name, data in FILES.items())


if __name__ == "__main__":
    sys.exit(writers.main(HERE / "checkpoint", files()))
