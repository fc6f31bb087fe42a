class DTensor:
    pass


class Placement:
    pass


class Replicate(Placement):
    pass


class Shard(Placement):
    def __init__(self, dim=0):
        self.dim = dim
