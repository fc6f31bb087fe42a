try:
    x = 1 << 10 ** 10
except (OverflowError, MemoryError, ValueError, ZeroDivisionError) as e:
    x = str(e)
