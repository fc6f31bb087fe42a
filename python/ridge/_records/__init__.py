"""The records of answers as dataclasses; made by scripts/python_stubs.py of what the program says of itself; not written by hand."""
