try:
    x = 1 // 0
except (OverflowError, MemoryError, ValueError, ZeroDivisionError) as e:
    x = str(e)
