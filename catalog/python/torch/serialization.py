def add_safe_globals(safe_globals):
    pass
