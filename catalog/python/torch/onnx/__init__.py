def is_in_onnx_export():
    return False


def export(*args, **kwargs):
    pass
