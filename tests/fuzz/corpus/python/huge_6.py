try:
    x = "%1000000000d" % 1, f"{1:>1000000000}"
except (OverflowError, MemoryError, ValueError, ZeroDivisionError) as e:
    x = str(e)
