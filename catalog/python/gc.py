"""gc: nothing is collected."""


def collect(generation=2):
    return 0


def enable():
    pass


disable = freeze = unfreeze = enable


def get_objects():
    return []
