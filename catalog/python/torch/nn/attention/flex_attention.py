# flex_attention compiles its own kernels; what it would run is not followed.
_DEFAULT_SPARSE_BLOCK_SIZE = 128
BlockMask = type("BlockMask", (), {})


def flex_attention(*args, **kwargs):
    raise NotImplementedError("flex_attention is not followed")


def create_block_mask(*args, **kwargs):
    raise NotImplementedError("flex_attention is not followed")


def create_mask(*args, **kwargs):
    raise NotImplementedError("flex_attention is not followed")
