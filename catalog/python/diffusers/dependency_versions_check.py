"""Stands in for diffusers.dependency_versions_check: nothing is checked."""


def dep_version_check(pkg, hint=None):
    return None
