"""Stands in for onnxruntime where that cannot be installed: the model is checked by the onnx package and run node by node on numpy."""
import numpy as np
import onnx
import onnx.numpy_helper

__version__ = "0.0.stand-in"


class ExecutionMode:
    ORT_SEQUENTIAL = 0


class GraphOptimizationLevel:
    ORT_ENABLE_ALL = 99


class SessionOptions:
    intra_op_num_threads = inter_op_num_threads = 0
    execution_mode = graph_optimization_level = None


def softmax(x, axis):
    e = np.exp(x - x.max(axis=axis, keepdims=True))
    return e / e.sum(axis=axis, keepdims=True)


def cut(x, starts, ends, axes):
    where = [slice(None)] * x.ndim
    for start, end, axis in zip(starts, ends, axes):
        where[axis] = slice(int(start), int(end))
    return x[tuple(where)]


OPERATORS = {
    "MatMul": lambda a, b: a @ b,
    "Mul": lambda a, b: a * b,
    "Add": lambda a, b: a + b,
    "Div": lambda a, b: a / b,
    "Neg": lambda a: -a,
    "Sqrt": np.sqrt,
    "Sigmoid": lambda a: 1 / (1 + np.exp(-a)),
    "Identity": lambda a: a,
    "Softmax": softmax,
    "Reshape": lambda a, shape: a.reshape(shape),
    "Transpose": lambda a, perm: a.transpose(perm),
    "ReduceMean": lambda a, axes, keepdims: a.mean(axis=tuple(axes), keepdims=bool(keepdims), dtype=np.float32),
    "Slice": cut,
    "Concat": lambda *parts, axis: np.concatenate(parts, axis=axis),
}


class InferenceSession:
    def __init__(self, model, options, providers):
        if not isinstance(options, SessionOptions) or options.intra_op_num_threads < 1 or options.inter_op_num_threads != 1:
            raise ValueError("the threads were not set")
        if providers != ["CPUExecutionProvider"]:
            raise ValueError("the provider was not named")
        self.model = onnx.load_model_from_string(model)
        onnx.checker.check_model(self.model, full_check=True)  # with the shapes that follow from the operators
        self.constants = {t.name: onnx.numpy_helper.to_array(t) for t in self.model.graph.initializer}

    def run(self, names, feed):
        for wanted in self.model.graph.input:
            shape = tuple(d.dim_value for d in wanted.type.tensor_type.shape.dim)
            if feed[wanted.name].shape != shape or feed[wanted.name].dtype != np.float32:
                raise ValueError(f"{wanted.name} is not as the model declares it")
        values = {**self.constants, **feed}
        for node in self.model.graph.node:
            attributes = {a.name: onnx.helper.get_attribute_value(a) for a in node.attribute}
            values[node.output[0]] = OPERATORS[node.op_type](*(values[i] for i in node.input), **attributes)
        shape = tuple(d.dim_value for d in self.model.graph.output[0].type.tensor_type.shape.dim)
        assert values[names[0]].shape == shape, "the result is not as the model declares it"
        return [values[n] for n in names]
