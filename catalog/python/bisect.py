"""bisect: places in a sorted list."""


def bisect_left(items, value, lo=0, hi=None):
    place = lo
    end = len(items) if hi is None else hi
    while place < end and items[place] < value:
        place += 1
    return place


def bisect_right(items, value, lo=0, hi=None):
    place = lo
    end = len(items) if hi is None else hi
    while place < end and not value < items[place]:
        place += 1
    return place


bisect = bisect_right


def insort(items, value):
    items.insert(bisect_right(items, value), value)


insort_right = insort_left = insort
