"""random: what it gives is unknown to who reads a model; in eval mode nothing asks."""
import _ridge


def _unknown(*args, **kwargs):
    return _ridge.unknown("branch on data", "a random number")


random = uniform = randint = randrange = choice = choices = sample = gauss = normalvariate = betavariate = getrandbits = _unknown


def seed(value=None, version=2):
    pass


def shuffle(items):
    pass


def getstate():
    return None


def setstate(state):
    pass


class Random:
    def __init__(self, seed=None):
        self.random = self.uniform = self.randint = self.randrange = self.choice = self.choices = self.sample = _unknown

    def seed(self, value=None):
        pass

    def shuffle(self, items):
        pass
