# torch.nn: the classes of modules, written for their parameters, shapes and operators alone.
from torch.nn.modules import *
from torch.nn.modules.module import Module
from torch.nn.parameter import Buffer, Parameter, UninitializedBuffer, UninitializedParameter
from torch.nn import attention, functional, init, modules, parallel, parameter, utils
from torch.nn.parallel import DataParallel


def factory_kwargs(kwargs):
    return {} if kwargs is None else kwargs
