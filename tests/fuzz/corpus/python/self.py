import fuzzed
from fuzzed import a
a = fuzzed.b = 1
import fuzzed.c.d
