# Losses: rarely run by a model without labels. What they keep, and the function that they call.
from torch.nn import functional as F
from torch.nn.modules.module import Module


class _Loss(Module):
    _function = ""

    def __init__(self, *args, reduction="mean", weight=None, pos_weight=None, **kwargs):
        super().__init__()
        self.reduction = reduction
        self._options = kwargs
        if weight is not None:
            self.register_buffer("weight", weight)
            self._options["weight"] = weight
        if pos_weight is not None:
            self.register_buffer("pos_weight", pos_weight)
            self._options["pos_weight"] = pos_weight

    def forward(self, *args):
        return getattr(F, self._function)(*args, reduction=self.reduction, **self._options)


_WeightedLoss = _Loss


class BCELoss(_Loss):
    _function = "binary_cross_entropy"


class BCEWithLogitsLoss(_Loss):
    _function = "binary_cross_entropy_with_logits"


class CTCLoss(_Loss):
    _function = "ctc_loss"


class CosineEmbeddingLoss(_Loss):
    _function = "cosine_embedding_loss"


class CrossEntropyLoss(_Loss):
    _function = "cross_entropy"


class GaussianNLLLoss(_Loss):
    _function = "gaussian_nll_loss"


class HingeEmbeddingLoss(_Loss):
    _function = "hinge_embedding_loss"


class HuberLoss(_Loss):
    _function = "huber_loss"


class KLDivLoss(_Loss):
    _function = "kl_div"


class L1Loss(_Loss):
    _function = "l1_loss"


class MSELoss(_Loss):
    _function = "mse_loss"


class MarginRankingLoss(_Loss):
    _function = "margin_ranking_loss"


class MultiLabelMarginLoss(_Loss):
    _function = "multilabel_margin_loss"


class MultiLabelSoftMarginLoss(_Loss):
    _function = "multilabel_soft_margin_loss"


class MultiMarginLoss(_Loss):
    _function = "multi_margin_loss"


class NLLLoss(_Loss):
    _function = "nll_loss"


class PoissonNLLLoss(_Loss):
    _function = "poisson_nll_loss"


class SmoothL1Loss(_Loss):
    _function = "smooth_l1_loss"


class SoftMarginLoss(_Loss):
    _function = "soft_margin_loss"


class TripletMarginLoss(_Loss):
    _function = "triplet_margin_loss"


class TripletMarginWithDistanceLoss(_Loss):
    _function = "triplet_margin_with_distance_loss"


class NLLLoss2d(NLLLoss):
    pass
