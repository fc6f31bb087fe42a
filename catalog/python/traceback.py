"""traceback: there is none to print."""


def format_exc(*args, **kwargs):
    return ""


print_exc = print_stack = print_exception = format_exc


def format_exception(*args, **kwargs):
    return []


format_stack = format_tb = extract_stack = extract_tb = format_exception
