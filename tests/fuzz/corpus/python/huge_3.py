try:
    x = [0] * 10 ** 9
except (OverflowError, MemoryError, ValueError, ZeroDivisionError) as e:
    x = str(e)
