def functional_call(module, parameters, args=(), kwargs=None):
    return module(*args, **(kwargs or {}))


def vmap(func, in_dims=0, out_dims=0, randomness="error", *, chunk_size=None):
    from torch import vmap as run

    return run(func, in_dims, out_dims)
