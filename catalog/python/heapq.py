"""heapq: by sorting."""


def heapify(heap):
    heap.sort()


def heappush(heap, item):
    heap.append(item)
    heap.sort()


def heappop(heap):
    return heap.pop(0)


def nlargest(n, iterable, key=None):
    return sorted(iterable, key=key, reverse=True)[:n]


def nsmallest(n, iterable, key=None):
    return sorted(iterable, key=key)[:n]
