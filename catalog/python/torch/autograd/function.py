class FunctionCtx:
    saved_tensors = ()
    needs_input_grad = (False,) * 16

    def save_for_backward(self, *tensors):
        self.saved_tensors = tensors

    def mark_non_differentiable(self, *args):
        pass

    def mark_dirty(self, *args):
        pass

    def set_materialize_grads(self, value):
        pass


class Function:
    @classmethod
    def apply(cls, *args, **kwargs):
        return cls.forward(FunctionCtx(), *args, **kwargs)


def once_differentiable(fn):
    return fn
