def get_fastpath_enabled():
    return False


def set_fastpath_enabled(value):
    pass
