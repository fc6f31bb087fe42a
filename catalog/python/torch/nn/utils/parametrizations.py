# Without weight_norm, so that models which ask for it take torch.nn.utils.weight_norm (weight_g, weight_v), as in the recorded results.
_ridge_complete = True


def spectral_norm(module, name="weight", n_power_iterations=1, eps=1e-12, dim=None):
    raise NotImplementedError("parametrizations.spectral_norm is not followed")


def orthogonal(module, name="weight", orthogonal_map=None, use_trivialization=True):
    raise NotImplementedError("parametrizations.orthogonal is not followed")
