"""What modules of neural networks cost, exactly: FLOPs, elements read and written, parameters.

    from generated_modules import compute_flops
    compute_flops("torch.nn.Linear", rows=2048, in_features=4096, out_features=4096)

One class per module, in a folder per library; base.py has what they stand on, registry.py finds them. Nothing else is needed."""

from .base import BaseConfig, BaseFormula, BaseModule, CycleError, GeneratedError, UnknownError
from .registry import (ModuleRegistry, compute, compute_flops, compute_intermediates, compute_parameters, compute_reads, compute_writes,
                       model, module, registry)

__all__ = ["BaseConfig", "BaseFormula", "BaseModule", "CycleError", "GeneratedError", "ModuleRegistry", "UnknownError", "compute",
           "compute_flops", "compute_intermediates", "compute_parameters", "compute_reads", "compute_writes", "model", "module", "registry"]
