# torch.nn.Module, upon Registry: its natives hold parameters, buffers and children, and trace calls.
from torch.nn.modules._native import Registry


class _IncompatibleKeys(tuple):
    missing_keys = []
    unexpected_keys = []


class RemovableHandle:
    def __init__(self, hooks, hook):
        self.hooks = hooks
        self.hook = hook
        self.id = 0

    def remove(self):
        if self.hook in self.hooks:
            self.hooks.remove(self.hook)


class Module(Registry):
    dump_patches = False
    training = False
    call_super_init = False
    _version = 1
    _is_hf_initialized = False

    def __init__(self, *args, **kwargs):
        pass

    def forward(self, *args, **kwargs):
        raise NotImplementedError(f"Module [{type(self).__name__}] is missing the required \"forward\" function")

    # ---- what is registered ----

    def named_modules(self, memo=None, prefix="", remove_duplicate=True):
        return iter(self._named("modules", prefix))

    def modules(self):
        return iter([module for _, module in self._named("modules")])

    def named_children(self):
        return iter([(name, module) for name, module in self._modules.items() if module is not None])

    def children(self):
        return iter([module for module in self._child_list() if module is not None])

    def named_parameters(self, prefix="", recurse=True, remove_duplicate=True):
        return iter(self._named("parameters", prefix, recurse, remove_duplicate))

    def parameters(self, recurse=True):
        return iter([parameter for _, parameter in self._named("parameters", "", recurse)])

    def named_buffers(self, prefix="", recurse=True, remove_duplicate=True):
        return iter(self._named("buffers", prefix, recurse, remove_duplicate))

    def buffers(self, recurse=True):
        return iter([buffer for _, buffer in self._named("buffers", "", recurse)])

    def state_dict(self, *args, destination=None, prefix="", keep_vars=False):
        state = {} if destination is None else destination
        for name, tensor in self._named("state", "", False, False):
            state[prefix + name] = tensor
        for name, module in self._modules.items():
            if module is not None:
                module.state_dict(destination=state, prefix=prefix + name + ".")
        return state

    def load_state_dict(self, state_dict, strict=True, assign=False):
        return _IncompatibleKeys()

    def _load_from_state_dict(self, *args, **kwargs):
        pass

    def _save_to_state_dict(self, *args, **kwargs):
        pass

    def get_submodule(self, target):
        module = self
        if target == "":
            return module
        for part in target.split("."):
            if not hasattr(module, part):
                raise AttributeError(f"{module._get_name()} has no attribute `{part}`")
            module = getattr(module, part)
            if not isinstance(module, Module):
                raise AttributeError(f"`{part}` is not an nn.Module")
        return module

    def set_submodule(self, target, module, strict=False):
        path, _, name = target.rpartition(".")
        setattr(self.get_submodule(path), name, module)

    def get_parameter(self, target):
        path, _, name = target.rpartition(".")
        return getattr(self.get_submodule(path), name)

    def get_buffer(self, target):
        path, _, name = target.rpartition(".")
        return getattr(self.get_submodule(path), name)

    def get_extra_state(self):
        raise RuntimeError("get_extra_state is not implemented")

    # ---- what changes all of it ----

    def apply(self, fn):
        for module in self.children():
            module.apply(fn)
        fn(self)
        return self

    def _apply(self, fn, recurse=True):
        return self

    def to(self, *args, dtype=None, device=None, non_blocking=False, copy=False, memory_format=None):
        for value in args:
            if hasattr(value, "dtype"):
                value = value.dtype
            self._cast(value)
        if dtype is not None:
            self._cast(dtype)
        return self

    def type(self, dst_type):
        return self._cast(dst_type)

    def half(self):
        import torch
        return self._cast(torch.float16)

    def bfloat16(self):
        import torch
        return self._cast(torch.bfloat16)

    def float(self):
        import torch
        return self._cast(torch.float32)

    def double(self):
        import torch
        return self._cast(torch.float64)

    def cuda(self, device=None):
        return self

    def cpu(self):
        return self

    def to_empty(self, *, device, recurse=True):
        return self

    def share_memory(self):
        return self

    def compile(self, *args, **kwargs):
        return None

    def train(self, mode=True):
        self.training = mode
        for module in self.children():  # a class may do more when it is told
            module.train(mode)
        return self

    def eval(self):
        return self.train(False)

    def requires_grad_(self, requires_grad=True):
        for parameter in self.parameters():
            parameter.requires_grad_(requires_grad)
        return self

    def zero_grad(self, set_to_none=True):
        pass

    # ---- hooks ----

    def _hook_list(self, name):
        self._has_hooks = True
        if name not in self.__dict__:
            setattr(self, name, [])
        return getattr(self, name)

    def register_forward_pre_hook(self, hook, *, prepend=False, with_kwargs=False):
        entry = (hook, with_kwargs)
        hooks = self._hook_list("_hooks_before")
        hooks.append(entry)
        return RemovableHandle(hooks, entry)

    def register_forward_hook(self, hook, *, prepend=False, with_kwargs=False, always_call=False):
        entry = (hook, with_kwargs)
        hooks = self._hook_list("_hooks_after")
        hooks.append(entry)
        return RemovableHandle(hooks, entry)

    def register_full_backward_hook(self, hook, prepend=False):
        return RemovableHandle([], hook)

    def register_full_backward_pre_hook(self, hook, prepend=False):
        return RemovableHandle([], hook)

    def register_backward_hook(self, hook):
        return RemovableHandle([], hook)

    def register_state_dict_pre_hook(self, hook):
        return RemovableHandle([], hook)

    def register_state_dict_post_hook(self, hook):
        return RemovableHandle([], hook)

    def _register_state_dict_hook(self, hook):
        return RemovableHandle([], hook)

    def _register_load_state_dict_pre_hook(self, hook, with_module=False):
        return RemovableHandle([], hook)

    def register_load_state_dict_pre_hook(self, hook):
        return RemovableHandle([], hook)

    def register_load_state_dict_post_hook(self, hook):
        return RemovableHandle([], hook)

    def _call_hooked(self, *args, **kwargs):
        for hook, with_kwargs in self.__dict__.get("_hooks_before", []):
            if with_kwargs:
                changed = hook(self, args, kwargs)
                if changed is not None:
                    args, kwargs = changed
            else:
                changed = hook(self, args)
                if changed is not None:
                    args = changed if isinstance(changed, tuple) else (changed,)
        result = self.forward(*args, **kwargs)
        for hook, with_kwargs in self.__dict__.get("_hooks_after", []):
            changed = hook(self, args, kwargs, result) if with_kwargs else hook(self, args, result)
            if changed is not None:
                result = changed
        return result

    def _call_impl(self, *args, **kwargs):
        return self._call_hooked(*args, **kwargs)

    # ---- words and copies ----

    def _get_name(self):
        return type(self).__name__

    def extra_repr(self):
        return ""

    def __repr__(self):
        return self._get_name() + "()"

    def __deepcopy__(self, memo):
        return self._copied(memo, True)

    def __copy__(self):
        return self._copied({}, False)

    def _copied(self, memo, deep):
        import copy
        other = self._blank_copy()
        memo[id(self)] = other
        for name, parameter in self._parameters.items():
            other.register_parameter(name, _copy_of(parameter, memo) if deep else parameter)
        for name, buffer in self._buffers.items():
            other.register_buffer(name, _copy_of(buffer, memo) if deep else buffer)
        for name, module in self._modules.items():
            other.add_module(name, copy.deepcopy(module, memo) if deep and module is not None else module)
        for name, value in self.__dict__.items():
            if deep and isinstance(value, (list, dict, Module)):
                value = copy.deepcopy(value, memo)
            if name not in ("_parameters", "_buffers", "_modules"):
                setattr(other, name, value)
        return other


def _copy_of(tensor, memo):
    import torch
    from torch.nn.modules._native import Parameter
    if tensor is None:
        return None
    if id(tensor) in memo:
        return memo[id(tensor)]
    made = torch.empty_like(tensor)
    if isinstance(tensor, Parameter):
        made = Parameter(made, tensor.requires_grad)
    memo[id(tensor)] = made
    return made


def register_module_forward_hook(hook, *, with_kwargs=False, always_call=False):
    return RemovableHandle([], hook)


def register_module_forward_pre_hook(hook):
    return RemovableHandle([], hook)
