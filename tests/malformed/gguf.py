#!/usr/bin/env python3
"""Writes the GGUF files of tests/malformed/gguf; each is one of a well-formed model, wrong in the place that its name says.

    gguf.py            writes them
    gguf.py --check    compares them with what it would write (TAP)
    gguf.py --cases    writes tests/malformed/gguf.case without its answers; tests/cli/run.py --update fills them in
"""
import os
import struct
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "gguf"))
import gguf as g  # noqa: E402

W = g.Writer(3)
MODEL = g.pairs(general__architecture="llama", llama__block_count=1, llama__embedding_length=8, llama__feed_forward_length=16,
                llama__attention__head_count=2, llama__attention__head_count_kv=1, llama__context_length=64)
TENSORS = [("token_embd.weight", "F32", [8, 4]), ("output_norm.weight", "F32", [8]), ("blk.0.attn_norm.weight", "F32", [8]),
           ("blk.0.attn_q.weight", "F32", [8, 8]), ("blk.0.attn_k.weight", "F32", [8, 4]), ("blk.0.attn_v.weight", "F32", [8, 4]),
           ("blk.0.attn_output.weight", "F32", [8, 8]), ("blk.0.ffn_norm.weight", "F32", [8]), ("blk.0.ffn_gate.weight", "F32", [8, 16]),
           ("blk.0.ffn_up.weight", "F32", [8, 16]), ("blk.0.ffn_down.weight", "F32", [16, 8])]


def whole(metadata=None, tensors=None, **more):
    begin, data = g.head(MODEL if metadata is None else metadata, TENSORS if tensors is None else tensors, **more)
    return begin + bytes(data)


def with_pair(raw):
    """one more pair, raw bytes behind the others"""
    begin = W.header(0, len(MODEL) + 1) + b"".join(W.pair(*pair) for pair in MODEL)
    return begin + raw


def one_tensor(name="a", kind=0, shape=(4,), offset=0, data=1024, rank=None):
    raw = W.text(name) + struct.pack("<I", len(shape) if rank is None else rank) + b"".join(W.count(n & (2**64 - 1)) for n in shape)
    return padded(W.header(1, 0) + raw + struct.pack("<IQ", kind, offset), data)


def padded(head, data):
    return head + bytes(-len(head) % 32) + bytes(data)


def two_tensors(first, second, data=1024):
    head = W.header(2, 0)
    for name, kind, shape, offset in (first, second):
        head += W.tensor(name, kind, shape, offset)
    return padded(head, data)


def changed(key, *value):
    return [(key, *value) if pair[0] == key else pair for pair in MODEL]


def without(key):
    return [pair for pair in MODEL if pair[0] != key]


def tensor_changed(name, kind=None, shape=None):
    return [(n, kind or k, shape or s) if n == name else (n, k, s) for n, k, s in TENSORS]


def tensor_without(name):
    return [t for t in TENSORS if t[0] != name]


GOOD = whole()
METADATA_END = len(W.header(0, 0)) + sum(len(W.pair(*pair)) for pair in MODEL)
HUGE = 2**64 - 1
TEXT_KEY = W.text("general.name") + struct.pack("<I", g.TEXT)

FILES = {
    # the header
    "empty": b"",
    "magic_short": b"GGU",
    "magic_alone": b"GGUF",
    "magic_wrong": b"GGML" + GOOD[4:],
    "magic_lower_case": b"gguf" + GOOD[4:],
    "version_0": GOOD[:4] + struct.pack("<I", 0) + GOOD[8:],
    "version_4": GOOD[:4] + struct.pack("<I", 4) + GOOD[8:],
    "version_half": GOOD[:6],
    "big_endian": GOOD[:4] + struct.pack(">I", 3) + GOOD[8:],
    "counts_missing": GOOD[:8],
    "counts_half": GOOD[:20],
    "tensors_huge": GOOD[:8] + struct.pack("<Q", HUGE) + GOOD[16:],
    "tensors_many": GOOD[:8] + struct.pack("<Q", 2**40) + GOOD[16:],
    "pairs_huge": GOOD[:16] + struct.pack("<Q", HUGE) + GOOD[24:],
    "pairs_more_than_there": GOOD[:16] + struct.pack("<Q", len(MODEL) + 1) + GOOD[24:],
    "v1_counts_huge": b"GGUF" + struct.pack("<III", 1, 2**32 - 1, 0) + bytes(64),
    # the metadata
    "key_empty": with_pair(W.text("") + struct.pack("<II", g.U32, 1)),
    "key_not_utf8": with_pair(W.text(b"a\xff\xfeb") + struct.pack("<II", g.U32, 1)),
    "key_with_nul": with_pair(W.text(b"a\0b") + struct.pack("<II", g.U32, 1)),
    "key_twice": whole(MODEL + [MODEL[1]]),
    "key_long": with_pair(W.text("k" * 70000) + struct.pack("<II", g.U32, 1)),
    "key_length_huge": with_pair(struct.pack("<Q", HUGE) + b"abc"),
    "key_controls": whole(MODEL + [("a\x1b[31m\u202eb", g.BOOL, 7)]),
    "type_13": with_pair(W.text("a") + struct.pack("<II", 13, 1)),
    "type_huge": with_pair(W.text("a") + struct.pack("<I", 2**32 - 1)),
    "type_missing": with_pair(W.text("a")),
    "value_missing": with_pair(W.text("a") + struct.pack("<I", g.U64)),
    "value_half": with_pair(W.text("a") + struct.pack("<IH", g.U32, 1)),
    "bool_2": with_pair(W.text("a") + struct.pack("<IB", g.BOOL, 2)),
    "text_length_huge": with_pair(TEXT_KEY + struct.pack("<Q", HUGE)),
    "text_longer_than_file": with_pair(TEXT_KEY + struct.pack("<Q", 1000) + b"short"),
    "text_not_utf8": with_pair(TEXT_KEY + W.text(b"\xc0\x80")),
    "array_type_missing": with_pair(W.text("a") + struct.pack("<I", g.ARRAY)),
    "array_type_99": with_pair(W.text("a") + struct.pack("<IIQ", g.ARRAY, 99, 1)),
    "array_length_huge": with_pair(W.text("a") + struct.pack("<IIQ", g.ARRAY, g.U64, HUGE)),
    "array_length_overflows": with_pair(W.text("a") + struct.pack("<IIQ", g.ARRAY, g.U64, 2**61 + 1)),
    "array_of_texts_huge": with_pair(W.text("a") + struct.pack("<IIQ", g.ARRAY, g.TEXT, 2**40)),
    "array_of_texts_cut": with_pair(W.text("a") + struct.pack("<IIQ", g.ARRAY, g.TEXT, 2) + W.text("one") + struct.pack("<Q", 5)),
    "array_of_arrays_deep": with_pair(W.text("a") + struct.pack("<I", g.ARRAY) + struct.pack("<IQ", g.ARRAY, 1) * 40
                                      + struct.pack("<IQ", g.U8, 0)),
    "array_of_bools_3": with_pair(W.text("a") + struct.pack("<IIQ", g.ARRAY, g.BOOL, 2) + b"\1\3"),
    "alignment_0": whole(MODEL + [("general.alignment", g.U32, 0)]),
    "alignment_48": whole(MODEL + [("general.alignment", g.U32, 48)]),
    "alignment_text": whole(MODEL + [("general.alignment", g.TEXT, "32")]),
    "alignment_array": whole(MODEL + [("general.alignment", g.ARRAY, (g.U32, [32]))]),
    "cut_in_metadata": GOOD[:METADATA_END - 3],
    # the table of tensors
    "cut_behind_metadata": GOOD[:METADATA_END],
    "cut_in_tensors": GOOD[:METADATA_END + 40],
    "cut_before_data": g.head(MODEL, TENSORS)[0],
    "cut_in_data": GOOD[:-200],
    "name_empty": one_tensor(name=""),
    "name_not_utf8": one_tensor(name=b"a\x80"),
    "name_long": one_tensor(name="n" * 2000, data=4096),
    "name_twice": two_tensors(("a", 0, [4], 0), ("a", 0, [4], 32)),
    "rank_5": one_tensor(shape=(1, 1, 1, 1, 1)),
    "rank_huge": one_tensor(rank=2**32 - 1),
    "dimension_0": one_tensor(shape=(0, 4)),
    "dimension_negative": one_tensor(shape=(-1,)),
    "dimensions_overflow": one_tensor(shape=(2**62, 2**62, 2**62, 2**62)),
    "dimensions_huge": one_tensor(shape=(2**40, 2**40)),
    "type_removed_q4_2": one_tensor(kind=4, shape=(32,)),
    "type_removed_iq4_nl_4_4": one_tensor(kind=36, shape=(32,)),
    "type_unknown": one_tensor(kind=200),
    "type_negative": one_tensor(kind=2**32 - 1),
    "row_no_blocks": one_tensor(kind=12, shape=(128, 2)),
    "offset_misaligned": one_tensor(offset=16),
    "offset_huge": one_tensor(offset=2**64 - 32),
    "offset_behind_end": one_tensor(offset=4096),
    "offset_wraps": two_tensors(("a", 0, [4], 2**63), ("b", 0, [4], 2**63 + 32)),
    "overlap": two_tensors(("a", 0, [16], 0), ("b", 0, [16], 32)),
    "overlap_same_place": two_tensors(("a", 0, [4], 64), ("b", 0, [4], 64)),
    # files that are fine, and models that are not
    "no_architecture": whole(without("general.architecture")),
    "architecture_number": whole(changed("general.architecture", g.U32, 5)),
    "architecture_unknown": whole(changed("general.architecture", g.TEXT, "lama")),
    "architecture_foreign": whole(changed("general.architecture", g.TEXT, "whale\x1b[2J")),
    "architecture_of_entries": whole(changed("general.architecture", g.TEXT, "llama:experts")),
    "key_missing": whole(without("llama.block_count")),
    "key_text": whole(changed("llama.block_count", g.TEXT, "one")),
    "key_empty_array": whole(changed("llama.attention.head_count", g.ARRAY, (g.U32, []))),
    "layers_unlike": whole(changed("llama.attention.head_count_kv", g.ARRAY, (g.U32, [1, 2]))),
    "heads_0": whole(changed("llama.attention.head_count", g.U32, 0)),
    "heads_do_not_divide": whole(changed("llama.attention.head_count", g.U32, 3)),
    "layers_negative": whole(changed("llama.block_count", g.I32, -1)),
    "layers_more": whole(changed("llama.block_count", g.U32, 2)),
    "layers_many": whole(changed("llama.block_count", g.U32, 2**31)),
    "layers_fewer": whole(tensors=TENSORS + [("blk.1.attn_norm.weight", "F32", [8])]),
    "tensor_missing": whole(tensors=tensor_without("blk.0.ffn_up.weight")),
    "tensor_of_other_size": whole(tensors=tensor_changed("blk.0.ffn_up.weight", shape=[8, 24])),
    "no_tensors": whole(tensors=[]),
    "split_without_others": whole(MODEL + [("split.count", g.U16, 2), ("split.no", g.U16, 0)]),
    "good": GOOD,
    "good_v2": whole(version=2),
    "good_v1": whole(version=1),
}

# several files: the first is asked for
SPLITS = {
    "gap": {1: (MODEL + [("split.count", g.U16, 2), ("split.no", g.U16, 0)], TENSORS[:6])},
    "count": {1: (MODEL + [("split.count", g.U16, 3), ("split.no", g.U16, 0)], TENSORS[:6]),
              2: ([("split.count", g.U16, 2), ("split.no", g.U16, 1)], TENSORS[6:])},
    "number": {1: (MODEL + [("split.count", g.U16, 2), ("split.no", g.U16, 0)], TENSORS[:6]),
               2: ([("split.count", g.U16, 2), ("split.no", g.U16, 0)], TENSORS[6:])},
    "twice": {1: (MODEL + [("split.count", g.U16, 2), ("split.no", g.U16, 0)], TENSORS[:6]),
              2: ([("split.count", g.U16, 2), ("split.no", g.U16, 1)], TENSORS[5:])},
    "fewer": {1: (MODEL + [("split.count", g.U16, 2), ("split.no", g.U16, 0), ("split.tensors.count", g.I32, 12)], TENSORS[:6]),
              2: ([("split.count", g.U16, 2), ("split.no", g.U16, 1)], TENSORS[6:])},
    "fine": {1: (MODEL + [("split.count", g.U16, 2), ("split.no", g.U16, 0), ("split.tensors.count", g.I32, 11)], TENSORS[:6]),
             2: ([("split.count", g.U16, 2), ("split.no", g.U16, 1)], TENSORS[6:])},
}


def all_files():
    out = {f"{name}.gguf": data for name, data in FILES.items()}
    for name, parts in SPLITS.items():
        for number, (metadata, tensors) in parts.items():
            out[f"split_{name}-{number:05d}-of-00002.gguf"] = whole(metadata, tensors)
    return out


def cases():
    text = "# GGUF files that must be refused (some are fine after all: they say so), each with its exact message. gguf.py writes the files.\n"
    for name in [f"{name}.gguf" for name in FILES] + [f"split_{name}-00001-of-00002.gguf" for name in SPLITS]:
        title = name[:-5].replace("_", " ")
        text += (f"\n## {title}\n$ ridge cost --csv tests/malformed/gguf/{name} >$TMP/out; s=$?; "
                 "[ $s = 0 ] && sed -n 2p $TMP/out | cut -c1-60; exit $s\n")
    with open(os.path.join(HERE, "gguf.case"), "w", encoding="utf-8") as file:
        file.write(text)


def check():
    wanted, folder = all_files(), os.path.join(HERE, "gguf")
    found = {name: open(os.path.join(folder, name), "rb").read() for name in sorted(os.listdir(folder))}
    wrong = [name for name in sorted(set(wanted) | set(found)) if wanted.get(name) != found.get(name)]
    print("1..1")
    print("not ok 1 - tests/malformed/gguf.py writes other files: " + " ".join(wrong) if wrong else "ok 1 - the files are those of gguf.py")
    return bool(wrong)


def main():
    if "--check" in sys.argv:
        return check()
    if "--cases" in sys.argv:
        return cases()
    folder = os.path.join(HERE, "gguf")
    os.makedirs(folder, exist_ok=True)
    for name, data in all_files().items():
        with open(os.path.join(folder, name), "wb") as file:
            file.write(data)
    return 0


if __name__ == "__main__":
    sys.exit(main())
