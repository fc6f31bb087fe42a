#!/usr/bin/env python3
"""Turns the files of a folder into C data: the page that the server hands out (serve/page.h), each file as it is and compressed.
    page.py FOLDER OUT.c DEPFILE
What begins with a dot or an underscore, node_modules, *.md and package*.json stay out. Two runs on the same files write the same bytes."""
import gzip
import hashlib
import pathlib
import sys

TYPES = {
    ".html": "text/html; charset=utf-8", ".js": "text/javascript; charset=utf-8", ".mjs": "text/javascript; charset=utf-8",
    ".css": "text/css; charset=utf-8", ".json": "application/json", ".svg": "image/svg+xml", ".png": "image/png", ".ico": "image/x-icon",
    ".woff2": "font/woff2", ".webmanifest": "application/manifest+json", ".txt": "text/plain; charset=utf-8",
}  # fmt: skip
COMPRESSED = {".html", ".js", ".mjs", ".css", ".json", ".svg", ".webmanifest", ".txt"}


def files(folder):
    for path in sorted(folder.rglob("*")):
        parts = path.relative_to(folder).parts
        hidden = any(part[0] in "._" or part == "node_modules" for part in parts)
        left_out = path.suffix == ".md" or path.name.startswith("package") and path.suffix == ".json"
        if path.is_file() and not hidden and not left_out:
            yield path, "/".join(parts)


def bytes_of(data):
    """the contents of a C array"""
    return "".join(f"{byte}," + ("\n" if place % 32 == 31 else "") for place, byte in enumerate(data))


def write(folder, out, depfile):
    rows, arrays, read = [], [], [str(folder)]
    for number, (path, name) in enumerate(files(folder)):
        if path.suffix not in TYPES:
            sys.exit(f"{path}: what kind of file is that? tools/page.py has a table")
        data = path.read_bytes()
        small = gzip.compress(data, 9, mtime=0) if path.suffix in COMPRESSED else b""
        small = small if len(small) < len(data) else b""
        etag = hashlib.sha256(data).hexdigest()[:16]
        arrays.append(f"static APART const unsigned char plain_{number}[] = {{{bytes_of(data + bytes(1))}}};\n")
        arrays.append(f"static APART const unsigned char small_{number}[] = {{{bytes_of(small + bytes(1))}}};\n")
        rows.append(f'    {{"/{name}", "{TYPES[path.suffix]}", "{etag}", plain_{number}, {len(data)}, small_{number}, {len(small)}}},\n')
        read.append(str(path))
    read += [str(path) for path in sorted(folder.rglob("*")) if path.is_dir() and "node_modules" not in path.parts]
    # as tools/embed.c: apart from the tables that every command reads
    text = '#include "serve/page.h"\n\n#ifdef __ELF__\n#define APART __attribute__((section("ridge_embedded")))\n#else\n#define APART\n#endif\n' + "".join(arrays)
    text += f"const ridge_page_file ridge_page_files[] = {{\n{''.join(rows)}}};\nconst size_t ridge_page_file_count = {len(rows)};\n"
    pathlib.Path(out).write_text(text)
    pathlib.Path(depfile).write_text(f"{out}: {' '.join(read)}\n")


if __name__ == "__main__":
    write(pathlib.Path(sys.argv[1]), sys.argv[2], sys.argv[3])
