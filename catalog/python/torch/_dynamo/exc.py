class Unsupported(Exception):
    pass
