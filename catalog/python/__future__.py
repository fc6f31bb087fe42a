"""__future__: the future is here."""
annotations = division = print_function = absolute_import = unicode_literals = generator_stop = None
