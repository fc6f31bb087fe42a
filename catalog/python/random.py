"""random: numbers that nobody knows; a hole only where something depends on one."""
import _random


def random(*args, **kwargs):
    return _random.unknown()


uniform = randint = randrange = choice = choices = sample = gauss = normalvariate = betavariate = getrandbits = random


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
        self.random = self.uniform = self.randint = self.randrange = self.choice = self.choices = self.sample = random

    def seed(self, value=None):
        pass

    def shuffle(self, items):
        pass
