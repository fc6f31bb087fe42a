# Registering shapes of containers: nothing follows from it here.
Context = object


def register_pytree_node(*args, **kwargs):
    pass


_register_pytree_node = register_pytree_node


def _dict_flatten(d):
    return list(d.values()), list(d.keys())


def _dict_unflatten(values, context):
    return dict(zip(context, values))


def tree_map(fn, tree):
    if isinstance(tree, dict):
        return {key: tree_map(fn, value) for key, value in tree.items()}
    if isinstance(tree, (list, tuple)):
        return type(tree)([tree_map(fn, value) for value in tree])
    return fn(tree)
