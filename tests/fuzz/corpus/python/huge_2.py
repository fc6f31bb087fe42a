try:
    x = "a" * 10 ** 12
except (OverflowError, MemoryError, ValueError, ZeroDivisionError) as e:
    x = str(e)
