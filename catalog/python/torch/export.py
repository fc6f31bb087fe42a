def export(*args, **kwargs):
    return None


class ExportedProgram:
    pass


class Dim:
    DYNAMIC = None
    AUTO = None
    STATIC = None

    def __init__(self, name="", *, min=None, max=None):
        self.name = name
