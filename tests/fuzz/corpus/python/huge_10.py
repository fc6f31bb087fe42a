try:
    x = range(10 ** 18)[5], len(range(0, 10 ** 18, 3)), 10 ** 17 in range(10 ** 18), range(10 ** 18)[::2]
except (OverflowError, MemoryError, ValueError, ZeroDivisionError) as e:
    x = str(e)
