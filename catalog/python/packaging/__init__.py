"""packaging: versions and their comparison."""
from packaging import version

__version__ = "24.0"
