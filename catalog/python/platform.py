"""platform: a Linux machine."""


def system():
    return "Linux"


def machine():
    return "x86_64"


def processor():
    return "x86_64"


def python_version():
    return "3.10.12"


def platform(*args):
    return "Linux-x86_64"


def release():
    return "6.1"


def node():
    return ""


version = release
