# No accelerator is here.
from torch.accelerator import *
