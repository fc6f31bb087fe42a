"""itertools: as generators, which run to their end when asked; count, cycle and repeat are iterators of their own, since they have none."""


class count:
    def __init__(self, start=0, step=1):
        self.at = start
        self.step = step

    def __iter__(self):
        return self

    def __next__(self):
        value = self.at
        self.at = self.at + self.step
        return value


class cycle:
    def __init__(self, iterable):
        self.items = list(iterable)
        self.at = 0

    def __iter__(self):
        return self

    def __next__(self):
        if not self.items:
            raise StopIteration
        value = self.items[self.at % len(self.items)]
        self.at += 1
        return value


class repeat:
    def __init__(self, value, times=None):
        self.value = value
        self.left = times

    def __iter__(self):
        return self

    def __next__(self):
        if self.left is not None:
            if self.left <= 0:
                raise StopIteration
            self.left -= 1
        return self.value


class chain:
    def __init__(self, *iterables):
        self.items = self.joined(iterables)

    def joined(self, iterables):
        for iterable in iterables:
            for item in iterable:
                yield item

    def __iter__(self):
        return self.items

    def __next__(self):
        return next(self.items)

    @classmethod
    def from_iterable(cls, iterables):
        return cls(*iterables)


def islice(iterable, *limits):
    bounds = slice(*limits)
    start = bounds.start or 0
    step = bounds.step or 1
    iterator = iter(iterable)
    found = []
    place = 0
    while bounds.stop is None or place < bounds.stop:
        try:
            item = next(iterator)
        except StopIteration:
            break
        if place >= start and (place - start) % step == 0:
            found.append(item)
        place += 1
    return iter(found)


def accumulate(iterable, function=None, *, initial=None):
    total = initial
    found = [] if initial is None else [initial]
    for item in iterable:
        if total is None:
            total = item
        else:
            total = function(total, item) if function is not None else total + item
        found.append(total)
    return iter(found)


def product(*iterables, repeat=1):
    found = [()]
    for pool in [tuple(iterable) for iterable in iterables] * repeat:
        found = [before + (item,) for before in found for item in pool]
    return iter(found)


def combinations(iterable, length):
    pool = tuple(iterable)

    def choose(start, left):
        if left == 0:
            return [()]
        return [(pool[place],) + rest for place in range(start, len(pool)) for rest in choose(place + 1, left - 1)]

    return iter(choose(0, length))


def permutations(iterable, length=None):
    pool = tuple(iterable)
    length = len(pool) if length is None else length

    def choose(left, used):
        if left == 0:
            return [()]
        return [(pool[place],) + rest for place in range(len(pool)) if place not in used for rest in choose(left - 1, used + (place,))]

    return iter(choose(length, ()))


def zip_longest(*iterables, fillvalue=None):
    lists = [list(iterable) for iterable in iterables]
    longest = max([len(one) for one in lists], default=0)
    return iter([tuple([one[place] if place < len(one) else fillvalue for one in lists]) for place in range(longest)])


def starmap(function, iterable):
    return iter([function(*args) for args in iterable])


def takewhile(predicate, iterable):
    found = []
    for item in iterable:
        if not predicate(item):
            break
        found.append(item)
    return iter(found)


def dropwhile(predicate, iterable):
    found = []
    dropping = True
    for item in iterable:
        if dropping and predicate(item):
            continue
        dropping = False
        found.append(item)
    return iter(found)


def filterfalse(predicate, iterable):
    return iter([item for item in iterable if not (predicate(item) if predicate is not None else item)])


def compress(data, selectors):
    return iter([item for item, keep in zip(data, selectors) if keep])


def pairwise(iterable):
    items = list(iterable)
    return iter(list(zip(items, items[1:])))


def groupby(iterable, key=None):
    groups = []
    for item in iterable:
        kind = key(item) if key is not None else item
        if groups and groups[-1][0] == kind:
            groups[-1][1].append(item)
        else:
            groups.append((kind, [item]))
    return iter([(kind, iter(items)) for kind, items in groups])


def tee(iterable, n=2):
    items = list(iterable)
    return tuple([iter(items) for _ in range(n)])


def batched(iterable, n):
    items = list(iterable)
    return iter([tuple(items[start : start + n]) for start in range(0, len(items), n)])
