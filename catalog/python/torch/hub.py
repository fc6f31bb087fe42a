def load_state_dict_from_url(*args, **kwargs):
    return {}


def get_dir():
    return ""
