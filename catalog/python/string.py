"""string: constants."""
ascii_lowercase = "abcdefghijklmnopqrstuvwxyz"
ascii_uppercase = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
ascii_letters = ascii_lowercase + ascii_uppercase
digits = "0123456789"
hexdigits = digits + "abcdefABCDEF"
octdigits = "01234567"
punctuation = "!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~"
whitespace = " \t\n\r\x0b\x0c"
printable = digits + ascii_letters + punctuation + whitespace


class Template:
    def __init__(self, template):
        self.template = template

    def substitute(self, **values):
        text = self.template
        for key, value in values.items():
            text = text.replace("${" + key + "}", str(value)).replace("$" + key, str(value))
        return text

    safe_substitute = substitute


class Formatter:
    def format(self, text, *args, **kwargs):
        return text.format(*args, **kwargs)
