class LRScheduler:
    def __init__(self, optimizer, *args, **kwargs):
        self.optimizer = optimizer


class LambdaLR(LRScheduler):
    pass


class ReduceLROnPlateau(LRScheduler):
    pass


_LRScheduler = LRScheduler
