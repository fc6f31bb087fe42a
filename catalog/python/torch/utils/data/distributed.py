from torch.utils.data import Sampler


class DistributedSampler(Sampler):
    pass
