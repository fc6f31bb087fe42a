try:
    x = (1, 2) * 2 ** 40
except (OverflowError, MemoryError, ValueError, ZeroDivisionError) as e:
    x = str(e)
