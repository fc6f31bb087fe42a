try:
    x = "ab".replace("", "x" * 10000) * 10 ** 6
except (OverflowError, MemoryError, ValueError, ZeroDivisionError) as e:
    x = str(e)
