"""numpy itself; bfloat16, which numpy lacks, is fp32 here, so only numbers that were rounded before are of 16 bits."""
from numpy import *  # noqa: F403
from numpy import float32 as bfloat16  # noqa: F401
from numpy import max, min, sum  # noqa: F401
