# Recurrent layers as they run without cuDNN or oneDNN: single operators, step by step. One step is interpreted; its cost counts once for
# every step of the sequence.
import torch
from torch.nn import functional as F
from torch.nn.modules._native import times
from torch.nn.modules.module import Module
from torch.nn.parameter import Parameter

_GATES = {"LSTM": 4, "GRU": 3, "RNN_TANH": 1, "RNN_RELU": 1}


def _lstm_step(input, state, weights):
    w_ih, w_hh, b_ih, b_hh, w_hr = weights
    h, c = state
    gates = F.linear(h, w_hh, b_hh).add_(F.linear(input, w_ih, b_ih))
    i, f, g, o = gates.chunk(4, 1)
    i = i.sigmoid_()
    f = f.sigmoid_()
    g = g.tanh_()
    o = o.sigmoid_()
    c = (f * c).add_(i * g)
    h = o * c.tanh()
    if w_hr is not None:
        h = F.linear(h, w_hr)
    return h, (h, c)


def _gru_step(input, state, weights):
    w_ih, w_hh, b_ih, b_hh, _ = weights
    h = state[0]
    from_input = F.linear(input, w_ih, b_ih).chunk(3, 1)
    from_hidden = F.linear(h, w_hh, b_hh).chunk(3, 1)
    reset = from_hidden[0].add_(from_input[0]).sigmoid_()
    update = from_hidden[1].add_(from_input[1]).sigmoid_()
    new = from_input[2].add(from_hidden[2].mul_(reset)).tanh_()
    h = (h - new).mul_(update).add_(new)
    return h, (h,)


def _tanh_step(input, state, weights):
    w_ih, w_hh, b_ih, b_hh, _ = weights
    h = torch.tanh(F.linear(state[0], w_hh, b_hh).add_(F.linear(input, w_ih, b_ih)))
    return h, (h,)


def _relu_step(input, state, weights):
    w_ih, w_hh, b_ih, b_hh, _ = weights
    h = torch.relu(F.linear(state[0], w_hh, b_hh).add_(F.linear(input, w_ih, b_ih)))
    return h, (h,)


_STEPS = {"LSTM": _lstm_step, "GRU": _gru_step, "RNN_TANH": _tanh_step, "RNN_RELU": _relu_step}


class RNNBase(Module):
    def __init__(self, mode, input_size, hidden_size, num_layers=1, bias=True, batch_first=False, dropout=0.0, bidirectional=False,
                 proj_size=0, device=None, dtype=None):
        super().__init__()
        self.mode = mode
        self.input_size = input_size
        self.hidden_size = hidden_size
        self.num_layers = num_layers
        self.bias = bias
        self.batch_first = batch_first
        self.dropout = float(dropout)
        self.bidirectional = bidirectional
        self.proj_size = proj_size
        rows = _GATES[mode] * hidden_size
        out = proj_size if proj_size > 0 else hidden_size
        directions = 2 if bidirectional else 1
        for layer in range(num_layers):
            for direction in range(directions):
                width = input_size if layer == 0 else out * directions
                end = f"_l{layer}" + ("_reverse" if direction == 1 else "")
                setattr(self, "weight_ih" + end, Parameter(torch.empty((rows, width), dtype=dtype)))
                setattr(self, "weight_hh" + end, Parameter(torch.empty((rows, out), dtype=dtype)))
                if bias:
                    setattr(self, "bias_ih" + end, Parameter(torch.empty(rows, dtype=dtype)))
                    setattr(self, "bias_hh" + end, Parameter(torch.empty(rows, dtype=dtype)))
                if proj_size > 0:
                    setattr(self, "weight_hr" + end, Parameter(torch.empty((proj_size, hidden_size), dtype=dtype)))

    def reset_parameters(self):
        pass

    def flatten_parameters(self):
        pass

    def _weights(self, layer, direction):
        end = f"_l{layer}" + ("_reverse" if direction == 1 else "")
        names = ["weight_ih", "weight_hh", "bias_ih", "bias_hh", "weight_hr"]
        return [getattr(self, name + end) if hasattr(self, name + end) else None for name in names]

    def _run_direction(self, sequence, state, weights):
        # sequence [T, B, width]: all steps cost what the first does
        steps = sequence.shape[0]
        step = sequence.select(0, 0)
        before = times(steps)
        output, state = _STEPS[self.mode](step, state, weights)
        output.unsqueeze(0).clone()  # torch.stack of the steps' outputs
        times(before)
        return torch.empty((steps,) + tuple(output.shape), dtype=output.dtype), state

    def forward(self, input, hx=None):
        packed = hasattr(input, "batch_sizes")
        if packed:
            raise NotImplementedError("packed sequences: their sizes are data")
        batched = input.dim() == 3
        if not batched:
            input = input.unsqueeze(1)
        elif self.batch_first:
            input = input.transpose(0, 1)
        directions = 2 if self.bidirectional else 1
        count = self.num_layers * directions
        out = self.proj_size if self.proj_size > 0 else self.hidden_size
        lstm = self.mode == "LSTM"
        if hx is None:
            h = torch.zeros(count, input.shape[1], out, dtype=input.dtype)
            hx = (h, torch.zeros(count, input.shape[1], self.hidden_size, dtype=input.dtype)) if lstm else (h,)
        elif not lstm:
            hx = (hx,)
        if not batched and hx[0].dim() == 2:
            hx = tuple([x.unsqueeze(1) for x in hx])
        last = []
        for layer in range(self.num_layers):
            outputs = []
            for direction in range(directions):
                state = tuple([x.select(0, layer * directions + direction) for x in hx])
                output, state = self._run_direction(input, state, self._weights(layer, direction))
                outputs.append(output)
                last.append(state)
            input = torch.cat(outputs, -1) if directions == 2 else outputs[0]
        states = [torch.stack([state[i] for state in last], 0) for i in range(len(hx))]
        if not batched:
            input = input.squeeze(1)
            states = [x.squeeze(1) for x in states]
        elif self.batch_first:
            input = input.transpose(0, 1)
        return input, (tuple(states) if lstm else states[0])


class RNN(RNNBase):
    def __init__(self, input_size, hidden_size, num_layers=1, nonlinearity="tanh", bias=True, batch_first=False, dropout=0.0,
                 bidirectional=False, device=None, dtype=None):
        self.nonlinearity = nonlinearity
        super().__init__("RNN_" + nonlinearity.upper(), input_size, hidden_size, num_layers, bias, batch_first, dropout, bidirectional,
                         dtype=dtype)


class LSTM(RNNBase):
    def __init__(self, input_size, hidden_size, num_layers=1, bias=True, batch_first=False, dropout=0.0, bidirectional=False, proj_size=0,
                 device=None, dtype=None):
        super().__init__("LSTM", input_size, hidden_size, num_layers, bias, batch_first, dropout, bidirectional, proj_size, dtype=dtype)


class GRU(RNNBase):
    def __init__(self, input_size, hidden_size, num_layers=1, bias=True, batch_first=False, dropout=0.0, bidirectional=False, device=None,
                 dtype=None):
        super().__init__("GRU", input_size, hidden_size, num_layers, bias, batch_first, dropout, bidirectional, dtype=dtype)


class RNNCellBase(Module):
    _mode = "RNN_TANH"

    def __init__(self, input_size, hidden_size, bias=True, device=None, dtype=None):
        super().__init__()
        self.input_size = input_size
        self.hidden_size = hidden_size
        self.bias = bias
        rows = _GATES[self._mode] * hidden_size
        self.weight_ih = Parameter(torch.empty((rows, input_size), dtype=dtype))
        self.weight_hh = Parameter(torch.empty((rows, hidden_size), dtype=dtype))
        if bias:
            self.bias_ih = Parameter(torch.empty(rows, dtype=dtype))
            self.bias_hh = Parameter(torch.empty(rows, dtype=dtype))
        else:
            self.register_parameter("bias_ih", None)
            self.register_parameter("bias_hh", None)

    def _step(self, input, state):
        batched = input.dim() == 2
        if not batched:
            input = input.unsqueeze(0)
            state = tuple([x.unsqueeze(0) for x in state])
        weights = (self.weight_ih, self.weight_hh, self.bias_ih, self.bias_hh, None)
        _, state = _STEPS[self._mode](input, state, weights)
        return state if batched else tuple([x.squeeze(0) for x in state])

    def _zeros(self, input):
        return torch.zeros(*input.shape[:-1], self.hidden_size, dtype=input.dtype)

    def forward(self, input, hx=None):
        return self._step(input, (self._zeros(input) if hx is None else hx,))[0]


class RNNCell(RNNCellBase):
    def __init__(self, input_size, hidden_size, bias=True, nonlinearity="tanh", device=None, dtype=None):
        super().__init__(input_size, hidden_size, bias, dtype=dtype)
        self.nonlinearity = nonlinearity
        self._mode = "RNN_" + nonlinearity.upper()


class LSTMCell(RNNCellBase):
    _mode = "LSTM"

    def forward(self, input, hx=None):
        if hx is None:
            zeros = self._zeros(input)
            hx = (zeros, zeros)
        return self._step(input, hx)


class GRUCell(RNNCellBase):
    _mode = "GRU"
