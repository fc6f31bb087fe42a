class DeviceMesh:
    pass


def init_device_mesh(*args, **kwargs):
    return DeviceMesh()
