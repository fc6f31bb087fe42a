try:
    x = "a".ljust(10 ** 12), bytes(10 ** 12)
except (OverflowError, MemoryError, ValueError, ZeroDivisionError) as e:
    x = str(e)
