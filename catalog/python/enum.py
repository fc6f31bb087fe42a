"""enum: members are instances of their class, made when the class is."""


class auto:
    pass


class member:
    def __init__(self, value):
        self.value = value


class nonmember(member):
    pass


class EnumMeta(type):
    def __new__(metacls, name, bases, namespace, **kwargs):
        names = []
        plain = {}
        for key, value in namespace.items():
            special = (key.startswith("_") and key.endswith("_")) or key.startswith("__") or isinstance(value, (property, classmethod, staticmethod)) or hasattr(type(value), "__get__")
            function = callable(value) and not isinstance(value, type)
            if special or function:
                plain[key] = value
            else:
                names.append(key)
        cls = type.__new__(metacls, name, bases, plain)
        cls._member_map_ = {}
        cls._member_names_ = []
        cls._value2member_map_ = {}
        last = []
        for key in names:
            value = namespace[key]
            if isinstance(value, auto):
                value = cls._generate_next_value_(key, 1, len(last), last)
            last.append(value)
            one = None
            for known in cls._member_map_.values():
                if known._value_ == value and type(known._value_) is type(value):
                    one = known
            if one is None:
                one = cls._make(key, value)
                cls._member_names_.append(key)
            cls._member_map_[key] = one
            type.__setattr__(cls, key, one)
        return cls

    def _make(cls, key, value):
        args = value if isinstance(value, tuple) else (value,)
        if "__new__" in cls.__dict__:
            one = cls.__dict__["__new__"](cls, *args) if not isinstance(cls.__dict__["__new__"], staticmethod) else cls.__new__(cls, *args)
        elif issubclass(cls, str):
            one = str.__new__(cls, value)
        elif issubclass(cls, int):
            one = int.__new__(cls, value)
        elif issubclass(cls, float):
            one = float.__new__(cls, value)
        else:
            one = object.__new__(cls)
        if "_value_" not in one.__dict__:
            object.__setattr__(one, "_value_", value)
        object.__setattr__(one, "_name_", key)
        if "__init__" in cls.__dict__:
            one.__init__(*args)
        return one

    def __call__(cls, value, *args, **kwargs):
        if not cls._member_map_:
            return Enum._functional(cls, value, *args, **kwargs)
        for one in cls._member_map_.values():
            if one is value or one._value_ == value:
                return one
        found = cls._missing_(value)
        if found is not None:
            return found
        raise ValueError(repr(value) + " is not a valid " + cls.__name__)

    def __iter__(cls):
        return iter([cls._member_map_[name] for name in cls._member_names_])

    def __len__(cls):
        return len(cls._member_names_)

    def __contains__(cls, value):
        for one in cls._member_map_.values():
            if one is value or one._value_ == value:
                return True
        return False

    def __getitem__(cls, name):
        return cls._member_map_[name]

    @property
    def __members__(cls):
        return dict(cls._member_map_)


EnumType = EnumMeta


class Enum(metaclass=EnumMeta):
    def _generate_next_value_(name, start, count, last):
        highest = start - 1
        for value in last:
            if isinstance(value, int) and value > highest:
                highest = value
        return highest + 1

    @staticmethod
    def _functional(cls, name, names, **kwargs):
        if isinstance(names, str):
            names = names.replace(",", " ").split()
        members = names if isinstance(names, dict) else {key: place + 1 for place, key in enumerate(names)}
        return EnumMeta(name, (cls,), members)

    @classmethod
    def _missing_(cls, value):
        return None

    @property
    def name(self):
        return self._name_

    @property
    def value(self):
        return self._value_

    def __repr__(self):
        return "<" + self.__class__.__name__ + "." + self._name_ + ": " + repr(self._value_) + ">"

    def __str__(self):
        return self.__class__.__name__ + "." + self._name_

    def __hash__(self):
        return hash(self._name_)


class IntEnum(int, Enum):
    def __str__(self):
        return str(self._value_)

    def __hash__(self):
        return hash(self._value_)


class StrEnum(str, Enum):
    def _generate_next_value_(name, start, count, last):
        return name.lower()

    def __str__(self):
        return self._value_

    def __hash__(self):
        return hash(self._value_)


class Flag(Enum):
    def _generate_next_value_(name, start, count, last):
        return 1 << count

    def __or__(self, other):
        return self._combined(self._value_ | other._value_)

    def __and__(self, other):
        return self._combined(self._value_ & other._value_)

    def __bool__(self):
        return self._value_ != 0

    def __contains__(self, other):
        return other._value_ & self._value_ == other._value_

    @classmethod
    def _combined(cls, value):
        for one in cls._member_map_.values():
            if one._value_ == value:
                return one
        made = object.__new__(cls)
        object.__setattr__(made, "_value_", value)
        object.__setattr__(made, "_name_", str(value))
        return made


class IntFlag(int, Flag):
    pass


def unique(cls):
    return cls


def verify(*constraints):
    return lambda cls: cls


def global_enum(cls):
    return cls


UNIQUE = CONTINUOUS = NAMED_FLAGS = None
