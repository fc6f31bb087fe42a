try:
    x = sum(1 for _ in range(10 ** 12)), max(range(10 ** 15))
except (OverflowError, MemoryError, ValueError, ZeroDivisionError) as e:
    x = str(e)
