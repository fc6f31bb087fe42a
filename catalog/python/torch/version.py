__version__ = "2.6.0"
debug = False
cuda = None
hip = None
git_version = ""
