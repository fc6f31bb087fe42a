"""Stands in for diffusers.utils.logging."""
from transformers.utils.logging import get_logger, set_verbosity, set_verbosity_error, set_verbosity_info, set_verbosity_warning, tqdm
