try:
    x = list(range(10 ** 18)), sorted(range(10 ** 12))
except (OverflowError, MemoryError, ValueError, ZeroDivisionError) as e:
    x = str(e)
