#!/usr/bin/env python3
"""Makes what of python/ridge is made of the program's own tables: a function for each command (ridge help --options), a dataclass for each
record (ridge help --schema), and the stubs that type checkers read.

    python_stubs.py PROGRAM          writes python/ridge/_commands.py, _commands.pyi, __init__.pyi and _records/*.py
    python_stubs.py PROGRAM --check  says which of them the program does not make any more, and exits with 1"""

import ast
import json
import keyword
import pathlib
import re
import subprocess
import sys
import textwrap

PACKAGE = pathlib.Path(__file__).resolve().parent.parent / "python/ridge"
WIDTH = 120
MADE = "made by scripts/python_stubs.py of what the program says of itself; not written by hand"

# functions that are not called as their command: command -> (name, options that are set, which of its answers)
NAMES = {"machine list": "machines", "machine show": "machine", "machine detect": "detect", "machine calibrate": "calibrate",
         "machine live": "live"}
VIEWS = {"symbolic": ("cost", "symbolic", "true"), "explain": ("cost", "explain", None)}
GROUPS = {"op": "kind", "profile": "what"}  # commands whose sub-commands are one function with that argument
LEFT_OUT = {"jobs", "help"}  # jobs are a server's
OPERANDS = {"CLASS|MODEL": "what", "ID|FILE": "id", "FILE|FOLDER": "file"}  # usage -> name of the argument
FORMS = {"json", "csv", "markdown"}
OWN_THREAD = {"measures", "fetches", "local"}
TYPES = {"flag": "_Flag", "set": "_Flag", "string": "_Text", "list": "_Several", "integer": "_Integer", "format": "_Format",
         "formats": "_Formats", "seconds": "_Time", "real": "_Number", "other": "_Value"}


def ask(program, *words):
    return json.loads(subprocess.run([program, "help", *words], capture_output=True, text=True, check=True).stdout)


def python_name(name):
    name = name.replace("-", "_")
    return name + "_" if keyword.iskeyword(name) else name


# ---- records ----


class Records:
    """JSON Schemas to dataclasses: equal schemas are one class, in the module of the command that had it first."""

    def __init__(self):
        self.modules = {}  # family -> [text of a class]
        self.known = {}  # schema -> (family, class)
        self.names = {}  # class -> family
        self.imports = {}  # family -> {(family, class)}
        self.required = {}

    def add(self, family, name, schema, is_answer, doc):
        key = json.dumps([schema.get("properties"), schema.get("required"), is_answer and schema["title"]], sort_keys=True)
        if key in self.known:
            return self._use(family, *self.known[key])
        unique, count = name, 2
        while unique in self.names:
            unique, count = f"{name}{count}", count + 1
        self.names[unique] = family
        self.known[key] = (family, unique)
        text = self._class(family, unique, schema, is_answer, doc)
        self.modules.setdefault(family, []).append(text)
        return unique

    def _use(self, family, home, name):
        if home != family:
            self.imports.setdefault(family, set()).add((home, name))
        return name

    def _class(self, family, name, schema, is_answer, doc):
        parts, fields, docs = [], [], []
        renamed = [key for key in schema["properties"] if keyword.iskeyword(key)]
        for key, member in schema["properties"].items():
            kind, part = self._type(family, name + camel(key), member)
            needed = key in schema.get("required", ())
            kind = kind if needed or kind == "Any" or kind.startswith("Optional[") else f"Optional[{kind}]"
            fields.append(f"    {python_name(key)}: {kind} = None  # type: ignore[assignment]" if not kind.startswith(("Optional", "Any"))
                          else f"    {python_name(key)}: {kind} = None")
            docs.append(f"{python_name(key)}: {meaning(member)}")
            if part:
                parts.append(f'("{key}", {part[0]}, {part[1]})')
        lines = ["@dataclass(init=False, repr=False, eq=False)", f"class {name}({'Answer' if is_answer else 'Record'}):",
                 docstring(doc, docs, 4)]
        if parts:
            lines.append(tuple_line("_parts", parts))
        if renamed:
            lines.append(tuple_line("_renamed", [f'"{key}"' for key in renamed]))
        return "\n".join(lines + [""] + fields) + "\n"

    def _type(self, family, name, schema):
        """(annotation, (class, how) where records are in it)"""
        if "enum" in schema:
            words = ", ".join(json.dumps(word) for word in schema["enum"] if word is not None)
            kind = f"Literal[{words}]" if words else "None"
            return (f"Optional[{kind}]" if None in schema["enum"] else kind), None
        kinds = schema.get("type", [])
        kinds = [kinds] if isinstance(kinds, str) else kinds
        kind, part = self._whole(family, name, schema, next((one for one in kinds if one != "null"), None))
        return (f"Optional[{kind}]" if "null" in kinds and kind != "Any" else kind), part

    def _whole(self, family, name, schema, kind):
        plain = {"integer": "int", "number": "float", "string": "str", "boolean": "bool"}
        if kind in plain:
            return plain[kind], None
        if kind == "array":
            items = schema.get("items", {})
            inner, part = self._type(family, singular(name), items) if items else ("Any", None)
            return f"List[{inner}]", (part[0], 1) if part else None
        if kind == "object" and "properties" in schema:
            part = self.add(family, name, schema, False, schema.get("description", ""))
            return part, (part, 0)
        if kind == "object" and isinstance(schema.get("additionalProperties"), dict):
            inner, part = self._type(family, singular(name), schema["additionalProperties"])
            return f"Dict[str, {inner}]", (part[0], 2) if part else None
        return "Any", None

    def texts(self):
        """file -> text"""
        files = {PACKAGE / "_records/__init__.py": f'"""The records of answers as dataclasses; {MADE}."""\n'}
        for family, classes in self.modules.items():
            head = [f'"""Answers of `ridge {family.replace("_", " ")}`; {MADE}."""', "", "from __future__ import annotations", "",
                    "from dataclasses import dataclass", "from typing import Any, Dict, List, Literal, Optional", "",
                    "from ridge._answer import Answer, Record"]
            used = {}
            for home, name in sorted(self.imports.get(family, ())):
                used.setdefault(home, []).append(name)
            head += [f"from ridge._records.{home} import {', '.join(names)}" for home, names in used.items()]
            files[PACKAGE / f"_records/{family}.py"] = "\n".join(head) + "\n\n\n" + "\n\n".join(classes)
        return files


def camel(text):
    return "".join(word[:1].upper() + word[1:] for word in re.split(r"[^A-Za-z0-9]+", text))


def singular(name):
    if name.endswith("ies"):
        return name[:-3] + "y"
    return name[:-1] if name.endswith("s") and not name.endswith("ss") else name + "Item"


def meaning(schema):
    unit = f" [{schema['unit']}]" if schema.get("unit") else ""
    return (schema.get("description") or "-") + unit


def wrapped(text, indent, hang=4):
    return textwrap.fill(" ".join(text.split()), WIDTH, initial_indent=" " * indent, subsequent_indent=" " * (indent + hang),
                         break_long_words=False, break_on_hyphens=False)


def docstring(first, lines, indent):
    first = (first[:1].upper() + first[1:]).rstrip(".") + "." if first else "A part of an answer."
    body = "\n".join(wrapped(line, indent) for line in lines)
    text = wrapped(first, indent, 0).strip()
    text = f'{" " * indent}"""{text}\n\n{body}\n{" " * indent}"""' if body else f'{" " * indent}"""{text}"""'
    return text.replace("\\", "\\\\")


def tuple_line(name, items):
    text = f"    {name} = ({', '.join(items)},)"
    if len(text) <= WIDTH:
        return text
    return f"    {name} = (\n" + "".join(f"        {item},\n" for item in items) + "    )"


# ---- commands ----


def operands_of(command):
    """[(name, "one" | "maybe" | "any")] of a usage: "NAME [ARGUMENT...]" """
    operands = command.get("operands")
    found = []
    for piece in operands["usage"].split() if operands else ():
        piece_name = re.findall(r"[A-Z|]+", piece)[0]
        name = OPERANDS.get(piece_name, piece_name.lower())
        how = "any" if "..." in piece else "maybe" if piece.startswith("[") else "one"
        found.append((python_name(name + "s" if how == "any" else name), how))
    return found


class Function:
    def __init__(self, name, commands, schema_names, options_set=(), operand=None):
        self.name, self.commands, self.classes = name, commands, schema_names
        self.options_set, self.operand = options_set, operand
        first = commands[0]
        self.operands = operands_of(first)
        self.options = {}
        for command in commands:
            for option in command["options"]:
                if (option["name"] not in FORMS or not command["json"]) and option["name"] not in [one for one, _ in options_set]:
                    self.options.setdefault(python_name(option["name"]), option)
        self.options.pop("progress", None)
        self.is_server = name == "serve"
        self.waits = (first["effect"] in OWN_THREAD or first["heavy"]) and not self.is_server
        self.draws = "plot" in self.options
        self.config = bool(first.get("operands", {}).get("config"))
        clash = {name for name, _ in self.operands} & set(self.options)
        assert not clash, (name, clash)

    def positional(self):
        """[(name, default or None, is there any number)]"""
        found = [(self.operand, None, False)] if self.operand else []
        found += [(name, None if how == "one" else "None", how == "any") for name, how in self.operands]
        if ("explain", None) in self.options_set:
            found.append(("path", None, False))
        return found

    def parameters(self):
        found = [f"*{name}" if several else name if default is None else f"{name}={default}" for name, default, several in self.positional()]
        if (self.options or self.waits) and not any(several for _, _, several in self.positional()):
            found.append("*")
        found += [f"{name}=None" for name in self.options]
        found += ["progress=None"] if self.waits else []
        return found + ["**unknown"]

    def repeated(self):
        return sorted(name for name, option in self.options.items() if option["kind"] == "list" or "repeatable" in option["help"])

    def body(self):
        command = self.commands[0]["name"]
        operands = [f"*{name}" if several else name for name, _, several in self.positional() if name not in ("path", self.operand)]
        drop = [name for name, _, _ in self.positional()]
        lines = ["    given = locals()"]
        lines += [f'    del given["{name}"]' for name in drop]
        for option, value in self.options_set:
            lines.append(f'    given["{option}"] = {json.dumps(value) if value is not None else "path"}')
        word = f'_call.word({self.operand}, "{self.operand}")' if self.operand else None
        name = f'b"{command.split()[0]} " + {word}' if self.operand else f'b"{command}"'
        values = f"({', '.join(operands)}{',' if len(operands) == 1 else ''})"
        rest = [f"repeated={tuple(self.repeated())!r}"] if self.repeated() else []
        if self.is_server:
            return "\n".join([*lines, f"    return _serve.start({', '.join(['given', *rest])})"])
        if not self.classes:
            call = f"_call.text({', '.join([name, values, 'given', *rest])})"
            lines.append(f"    return {call}")
            return "\n".join(lines)
        rest += ["config=True"] if self.config else []
        rest += ["draws=True"] if self.draws else []
        rest += ["alone=True"] if self.commands[0]["effect"] == "measures" else []
        call = f'_call.{"measured" if self.waits else "answer"}({", ".join([name, values, "given", json.dumps(self.classes)] + rest)})'
        lines.append(f"    return {call}")
        return "\n".join(lines)

    def docs(self):
        command = self.commands[0]
        lines = []
        for name, _, _ in self.positional():
            lines.append(f"{name}: {self.operand_help(name)}")
        for name, option in self.options.items():
            default = f" (default {option['default']})" if option.get("default") else ""
            unit = f" [{option['unit']}]" if option.get("unit") else ""
            words = f": {', '.join(option['words'])}" if option.get("words") and len(option["words"]) < 24 else ""
            lines.append(f"{name}: {option['help']}{words}{default}{unit}".replace("\n", " "))
        if self.waits:
            lines.append("progress: True (a bar of tqdm, else lines on stderr) or a function that is called with each line")
        result = " or ".join(plain_names(self.classes)) if self.classes else self.result()
        tail = [f"Returns {result}. Raises RidgeError. `ridge {command['name'].split()[0] if self.operand else command['name']} --help` says more."]
        return docstring(self.summary(), lines, 4)[:-len('\n    """')] + "\n\n" + wrapped(tail[0], 4, 0) + '\n    """'

    def summary(self):
        if self.operand:
            return {"op": "what one operator costs, from shapes alone, and how long it takes on a machine",
                    "profile": "where the time of a model, a layer or attention goes, measured"}[self.name]
        return {"symbolic": "the closed form of what a model costs, in the names of the workload",
                "explain": "one module of a model: formula, values put in, result, where the template stands"}.get(
                    self.name, self.commands[0]["summary"])

    def operand_help(self, name):
        if name == self.operand:
            return ", ".join(command["name"].split()[1] for command in self.commands)
        if name == "path":
            return next(option["help"] for option in self.commands[0]["options"] if option["name"] == "explain")
        operands = self.commands[0]["operands"]
        words = f": {', '.join(operands['words'])}" if operands.get("words") else ""
        config = "; or a config as a dict, or what has to_dict()" if self.config else ""
        return operands["help"] + words + config

    def text(self):
        head = f"def {self.name}({', '.join(self.parameters())}):"
        if len(head) > WIDTH:
            head = f"def {self.name}(\n" + wrapped(", ".join(self.parameters()), 4, 0) + "\n):"
        return f"{head}\n{self.docs()}\n{self.body()}\n"

    def stub(self):
        lines = [f"def {self.name}("]
        for name, default, several in self.positional():
            kind = self.positional_type(name)
            lines.append(f"    {'*' if several else ''}{name}: {kind if several or default is None else f'Optional[{kind}] = None'},"
                         if several or default is None else f"    {name}: Optional[{kind}] = None,")
        if not any(several for _, _, several in self.positional()):
            if self.options or self.waits:
                lines.append("    *,")
        for name, option in self.options.items():
            lines.append(f"    {name}: {option_type(option)} = None,")
        if self.waits:
            lines.append("    progress: Union[None, bool, Callable[[str], object]] = None,")
        return "\n".join(lines) + f"\n) -> {self.result()}: ...\n"

    def positional_type(self, name):
        if name == self.operand:
            return "Literal[" + ", ".join(json.dumps(one["name"].split()[1]) for one in self.commands) + "]"
        return "_Model" if self.config and name == "model" else "_Operand"

    def result(self):
        if not self.classes:
            return "Server" if self.is_server else "str"
        names = plain_names(self.classes)
        return names[0] if len(names) == 1 else f"Union[{', '.join(names)}]"


def option_type(option):
    if option["kind"] == "choice":
        return "Optional[Literal[" + ", ".join(json.dumps(word) for word in option["words"]) + "]]"
    return TYPES[option["kind"]]


COMMANDS_HEAD = f'''"""A function for each command; {MADE}.

Keyword arguments are the options of the command line, with _ for -; None: not given. Which there are, and what they may be, is the
library's to say, in its own words: these functions hand on what they get.
"""

from ridge import _call, _serve

'''
STUB_HEAD = f'''# Types of the commands; {MADE}.
from os import PathLike
from typing import Any, Callable, Dict, Literal, Mapping, Optional, Sequence, Union

'''
STUB_TYPES = '''
_Text = Union[None, str, PathLike[str]]
_Flag = Optional[bool]
_Integer = Union[None, int, str]
_Number = Union[None, float, str]
_Time = Union[None, float, str]
_Format = Union[None, str, Any]
_Formats = Union[None, str, Sequence[str], Any]
_Several = Union[None, str, PathLike[str], Sequence[Union[str, PathLike[str]]], Mapping[str, object]]
_Value = Union[None, str, int, float, Sequence[Union[str, int, float]], Mapping[str, object]]
_Operand = Union[str, int, PathLike[str]]
_Model = Union[str, PathLike[str], Dict[str, Any], Any]

'''


def functions(options, records, schemas):
    """[Function], and the records' classes on the way"""
    commands = {command["name"]: command for command in options["commands"] if command["name"].split()[0] not in LEFT_OUT}
    found, grouped = [], {}
    for name, command in commands.items():
        head = name.split()[0]
        if head in GROUPS:
            grouped.setdefault(head, []).append(command)
            continue
        family = head
        classes = answers(records, family, schemas[name], python_function(name)) if command["json"] else []
        views = {view: at for at, view in enumerate(["cost", "symbolic", "explain"])} if name == "cost" else {}
        if views:
            found += [view_function(view, command, f"{family}:{plain_names(f':{classes[at]}')[0]}") for view, at in views.items()]
        else:
            found.append(Function(python_function(name), [command], f"{family}:{'|'.join(classes)}" if classes else ""))
    for head, members in grouped.items():
        classes = answers(records, head, schemas[members[0]["name"]], head)
        found.append(Function(head, members, f"{head}:{'|'.join(classes)}", operand=GROUPS[head]))
    return sorted(found, key=lambda one: list(commands).index(one.commands[0]["name"]))


def view_function(view, command, classes):
    if view == "cost":
        plain = {**command, "options": [one for one in command["options"] if one["name"] not in VIEWS]}
        return Function(view, [plain], classes)
    option, value = VIEWS[view][1:]
    others = {"all", "depth", "exact", *VIEWS} - {option}
    plain = {**command, "options": [one for one in command["options"] if one["name"] not in others]}
    return Function(view, [plain], classes, options_set=[(option, value)])


def python_function(name):
    return NAMES.get(name, name.replace(" ", "_"))


def answers(records, family, schema, function):
    """classes of a command's answers: of several each but one with a member that the others do not have, "DbCheck@problems" """
    found = []
    alternatives = schema["anyOf"]
    for at, one in enumerate(alternatives):
        others = set().union(*(other["properties"] for other in alternatives if other is not one))
        mark = next((key for key in one.get("required", []) if key not in others), None) if len(alternatives) > 1 else None
        name = records.add(family, camel(function) + answer_suffix(one["title"], at), one, True,
                           one.get("description") or f"The answer of `{one['title']}`")
        found.append(f"{name}@{mark}" if mark else name)
    assert sum("@" not in name for name in found) <= 1, function
    return found


def plain_names(classes):
    """["DbAdd", "DbCheck"] of "db:DbAdd|DbCheck@problems" """
    names = classes.partition(":")[2]
    return [name.partition("@")[0] for name in names.split("|")] if names else []


def answer_suffix(title, at):
    if at == 0:
        return ""
    words = re.sub(r"^ridge \w+", "", title)
    return camel(words.replace("several rows", "rows")) or camel(title)


def wanted(program):
    """path -> text"""
    records = Records()
    made = functions(ask(program, "--options"), records, ask(program, "--schema")["$defs"])
    used = {}
    for one in made:
        for name in plain_names(one.classes):
            used.setdefault(records.names[name], set()).add(name)
    files = records.texts()
    files[PACKAGE / "_commands.py"] = COMMANDS_HEAD + "\n" + "\n\n".join(one.text() for one in made)
    imports = "".join(f"from ridge._records.{family} import {', '.join(sorted(names))}\n" for family, names in sorted(used.items()))
    files[PACKAGE / "_commands.pyi"] = STUB_HEAD + imports + "from ridge._serve import Server\n" + STUB_TYPES + "\n".join(one.stub() for one in made)
    files[PACKAGE / "__init__.pyi"] = init_stub([one.name for one in made])
    names = "\n".join(wrapped(", ".join(json.dumps(one.name) for one in made) + ",", 8, 0).splitlines())
    files[PACKAGE / "_names.py"] = f'"""Names of the commands\' functions; {MADE}."""\n\nCOMMANDS = (\n{names}\n)\n'
    return files


def init_stub(commands):
    """every name of the package from the module that has it"""
    tree = ast.parse((PACKAGE / "__init__.py").read_text())
    table = next(node.value for node in ast.walk(tree) if isinstance(node, ast.Assign) and node.targets[0].id == "_TABLE")
    homes = {key.value: commands if not isinstance(value, ast.Tuple) else [one.value for one in value.elts]
             for key, value in zip(table.keys, table.values)}
    lines = [f"# Names of the package; {MADE}."]
    for home, names in homes.items():
        lines.append(f"from ridge.{home} import (\n" + "".join(f"    {name} as {name},\n" for name in sorted(names)) + ")")
    return "\n".join(lines) + "\n\n__version__: str\n"


def main(arguments):
    if len(arguments) not in (1, 2) or arguments[1:] not in ([], ["--check"]):
        sys.exit(__doc__)
    files = wanted(arguments[0])
    gone = sorted(set((PACKAGE / "_records").glob("*.py")) - set(files))
    stale = [path for path, text in files.items() if not path.exists() or path.read_text() != text]
    if arguments[1:]:
        for path in stale + gone:
            print(f"{path.relative_to(PACKAGE.parent.parent)} is not what the program makes; run scripts/python_stubs.py build/ridge")
        return bool(stale or gone)
    (PACKAGE / "_records").mkdir(exist_ok=True)
    for path in stale:
        path.write_text(files[path])
    for path in gone:
        path.unlink()
    return False


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
