def _get_tensor_sizes(*args):
    return None


def parse_args(*args):
    return lambda function: function
