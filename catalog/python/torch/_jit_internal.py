def boolean_dispatch(*args, **kwargs):
    return kwargs.get("if_false")
