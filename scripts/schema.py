#!/usr/bin/env python3
"""Writes down what the commands answer with --json, as the program itself says it (ridge help --schema): docs/schema/*.json, a JSON
Schema for each command, and docs/records.md, the same as tables.

    schema.py PROGRAM          writes them
    schema.py PROGRAM --check  says which of them the program does not answer any more, and exits with 1"""

import json
import pathlib
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
FOLDER, PAGE = ROOT / "docs/schema", ROOT / "docs/records.md"
INTRODUCTION = """# What the commands answer with --json

Each command's answer has the members below; `ridge help COMMAND --schema` prints the same as a JSON Schema, and
[schema/](schema/) holds these files. Members that need not be there are marked with `?`, members that may be `null` because the
number is not known or does not apply end in `| null`. `[]` is an item of a list, `*` a name that varies. A new version may add
members; none goes away and none changes its meaning. With `--csv` the columns of a table are the members of its rows, under the same names.

"""


def families(schemas):
    """name of a file -> (its commands, their schema); sub-commands that answer alike are one family"""
    found = {}
    for command, schema in schemas.items():
        first = command.split()[0]
        alike = [other for other in schemas if other.split()[0] == first and schemas[other] == schema]
        name = first if len(alike) > 1 or command == first else command.replace(" ", "-")
        found.setdefault(name, ([], schema))[0].append(command)
    return found


def type_of(schema):
    if "enum" in schema:
        return " | ".join(f"`{json.dumps(word)}`" for word in schema["enum"])
    if "anyOf" in schema:
        return " | ".join(type_of(one) for one in schema["anyOf"])
    kinds = schema.get("type", "any")
    return " | ".join([kinds] if isinstance(kinds, str) else kinds)


def rows(schema, path, is_required):
    """(path, type, unit, meaning) of a member and what is in it"""
    if path:
        yield path + ("" if is_required else "?"), type_of(schema), schema.get("unit", ""), schema.get("description", "")
    if "items" in schema:
        if "properties" in schema["items"]:
            yield from members(schema["items"], path + "[].")
        elif "items" in schema["items"]:
            yield from rows(schema["items"], path + "[]", True)
    yield from members(schema, path + "." if path else "")


def members(schema, prefix):
    for name, one in schema.get("properties", {}).items():
        yield from rows(one, prefix + name, name in schema.get("required", []))
    if isinstance(schema.get("additionalProperties"), dict):
        yield from rows(schema["additionalProperties"], prefix + "*", True)


def table(schema):
    cells = [(f"`{path}`", kind, unit, meaning) for path, kind, unit, meaning in rows(schema, "", True)]
    lines = [" | ".join(("", *[cell.replace("|", "\\|") for cell in row], "")).strip() for row in cells]
    return "\n".join(["| member | type | unit | meaning |", "|---|---|---|---|", *lines])


def answers(schema):
    for one in schema["anyOf"]:
        about = one.get("description", "")
        yield f"**{one['title']}**: {about}\n\n{table(one)}\n" if about else f"**{one['title']}**\n\n{table(one)}\n"


def wanted(program):
    """path -> text"""
    schemas = json.loads(subprocess.run([program, "help", "--schema"], capture_output=True, text=True, check=True).stdout)["$defs"]
    files, sections = {}, []
    for name, (commands, schema) in families(schemas).items():
        head = {"$schema": "https://json-schema.org/draft/2020-12/schema", "$id": f"ridge {name.replace('-', ' ')}"}
        files[FOLDER / f"{name}.json"] = json.dumps({**head, **schema}, indent=2, ensure_ascii=False) + "\n"
        title = ", ".join(f"ridge {command}" for command in commands) if len(commands) < 4 else f"ridge {name} ..."
        sections.append(f"## {title}\n\n[schema/{name}.json](schema/{name}.json)\n\n" + "\n".join(answers(schema)))
    files[PAGE] = INTRODUCTION + "\n".join(sections)
    return files


def main(arguments):
    if len(arguments) not in (1, 2) or arguments[1:] not in ([], ["--check"]):
        sys.exit(__doc__)
    files = wanted(arguments[0])
    gone = sorted(set(FOLDER.glob("*.json")) - set(files))
    stale = [path for path, text in files.items() if not path.exists() or path.read_text() != text]
    if arguments[1:]:
        for path in stale + gone:
            print(f"{path.relative_to(ROOT)} is not what the program answers; run scripts/schema.py build/ridge")
        return bool(stale or gone)
    FOLDER.mkdir(exist_ok=True)
    for path in stale:
        path.write_text(files[path])
    for path in gone:
        path.unlink()
    return False


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
