"""typing_extensions: all of it is in typing."""
from typing import *
from typing import Any, Annotated, Literal, NamedTuple, NotRequired, ParamSpec, Protocol, Required, Self, TypeAlias, TypedDict, TypeGuard, TypeVar, Unpack, deprecated, override
