"""uuid: one for all."""


class UUID:
    hex = "00000000000040008000000000000000"

    def __init__(self, *args, **kwargs):
        pass

    def __str__(self):
        return "00000000-0000-4000-8000-000000000000"


def uuid4():
    return UUID()


uuid1 = uuid4
