"""BaseConfig, a config class: what the fields of a config.json may be, their defaults, and what is derived of them."""

from .run import active
from .values import Config, CycleError, Fraction, GeneratedError, given


class Field:
    """What a config class says of a field: its default, its types ("int|null"; None: those of the default), the largest integer it may
    be, whether 0 is one, and the config class of a nested config with the field that stands for it where it is not given."""

    def __init__(self, default=None, types=None, most=(1 << 63) - 1, zero_ok=False, config=None, otherwise=None):
        self.default, self.types, self.most, self.zero_ok, self.config, self.otherwise = default, types, most, zero_ok, config, otherwise

    def check(self, name, value):
        have = _type_of(value)
        allowed = self.types or ("any" if self.default is None else _type_of(self.default))
        if not _allows(allowed, have):
            raise GeneratedError(f"{name}: want {allowed.replace('|', ' or ')}, found {have}")
        if have == "int" and not _allows(allowed, "number"):
            self._check_integer(name, value)
        first = self.default[0] if isinstance(self.default, list) and self.default else None
        if have == "list" and allowed != "any" and _type_of(first) == "int":
            for one in value:
                if _type_of(one) != "int":
                    raise GeneratedError(f"{name}: want a list of integers, found {_type_of(one)} in it")
                self._check_integer(name, one)

    def _check_integer(self, name, value):
        small = _type_of(self.default) in ("int", "number") and self.default <= 0
        if len(str(value)) > 18 or value > self.most:
            raise GeneratedError(f"{name}: {value} is out of range")
        if value > 0 or (small and (value == 0 or self.default < 0)) or (value == 0 and self.zero_ok):
            return
        raise GeneratedError(f"{name}: {value} makes no sense: want at least {0 if self.zero_ok or small else 1}")


def _type_of(value):
    if value is None:
        return "null"
    for name, kinds in (("bool", bool), ("int", int), ("number", Fraction), ("string", str), ("list", list), ("object", Config)):
        if isinstance(value, kinds):
            return name
    return "any"


def _allows(allowed, have):
    return any(one in (have, "any") or (one == "number" and have == "int") for one in allowed.split("|"))


class BaseConfig:
    """A config class: bind(json) gives the fields of a config.json, checked, with the defaults and what is derived of them."""

    path = ""
    model_type = ""
    refused = ""       # why models of this type are not counted
    classes = {}       # head class -> path of its module
    default_class = ""
    fields = {}
    aliases = {}

    @classmethod
    def derive(cls, config):
        """Sets the fields that others give."""

    @classmethod
    def check(cls, config, holds):
        """Calls holds(name, truth, why) for all that must be true."""

    @classmethod
    def bind(cls, json, outer=()):
        config = Config(cls.path)
        have = vars(config)
        json = json if isinstance(json, Config) else given(dict(json))
        for name, value in vars(json).items():
            cls._bind_member(config, cls.aliases.get(name, name), value, json, outer)
        for name, rule in cls.fields.items():
            if name not in have:
                have[name] = cls._nested(name, rule, None, json, outer) if rule.config else given(rule.default)
        for alias, name in cls.aliases.items():
            if name in have and alias not in have:
                have[alias] = have[name]
        run = active()
        with run.within(config):
            cls.derive(config)
            cls.check(config, cls._holds)
        return config

    @staticmethod
    def _holds(name, truth, why):
        if not truth:
            raise GeneratedError(f"{name}: {why}")

    @classmethod
    def _bind_member(cls, config, name, value, json, outer):
        rule = cls.fields.get(name)
        if rule and rule.config:
            if value is not None and not isinstance(value, Config):
                raise GeneratedError(f"{name}: want a nested config (an object)")
            value = cls._nested(name, rule, value, json, outer)
        elif rule:
            rule.check(name, value)
        vars(config)[name] = value

    @classmethod
    def _nested(cls, name, rule, value, json, outer):
        registry = active().registry
        if value is None and rule.otherwise:
            value = vars(json).get(rule.otherwise)
        entry = registry.config(rule.config)
        kind = vars(value).get("model_type") if isinstance(value, Config) else None
        if isinstance(kind, str) and kind not in (entry.model_type, cls.model_type) and registry.config_of(kind):
            entry = registry.config_of(kind)
        if not isinstance(value, Config):
            value = Config("an object")
            way = [one.path for one in outer + (cls,)]
            if entry.path in way:
                raise CycleError("nested configs in a circle: " + " -> ".join(way[way.index(entry.path):] + [entry.path]))
        return entry.bind(value, outer + (cls,))
