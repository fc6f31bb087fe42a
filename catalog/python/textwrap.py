"""textwrap: texts are left as they are; nothing reads them."""


def dedent(text):
    return text


def indent(text, prefix, predicate=None):
    return "\n".join([prefix + line if line.strip() else line for line in text.split("\n")])


def fill(text, width=70, **kwargs):
    return text


shorten = fill


def wrap(text, width=70, **kwargs):
    return [text]
