cache_size_limit = 8
suppress_errors = False
