# No accelerator is here.
from torch.backends import cpu, cuda, cudnn, mkldnn, mps, mha
