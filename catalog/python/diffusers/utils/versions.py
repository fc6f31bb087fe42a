"""Stands in for diffusers.utils.versions: nothing is checked."""


def require_version(requirement, hint=None):
    return None


require_version_core = require_version
