#!/usr/bin/env python3
"""Builds the Python package: the back end of pip (PEP 517, PEP 660) and, without pip, a program. The standard library, meson and a C
compiler are all it wants; nothing is fetched.

    backend.py wheel [--build DIR] FOLDER     writes the wheel into FOLDER
    backend.py install [--build DIR]          unpacks the wheel for this python3: into the virtual environment that it is of, else into
                                              the user's own site folder (~/.local/lib/python3.X/site-packages), which no package
                                              manager owns (PEP 668); `python3 -m pip uninstall ridge` or `backend.py remove` ends it
    backend.py remove                         removes what install or pip has installed there

--build DIR: a build tree of meson that is there (build); else $RIDGE_BUILD, else build-python, made for it."""

import base64
import hashlib
import io
import os
import pathlib
import re
import shutil
import subprocess
import sys
import sysconfig
import tarfile
import tempfile
import zipfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
PACKAGE = ROOT / "python/ridge"
LIBRARY = "libridge.so.0"
SUMMARY = "what a neural network costs: FLOPs, bytes, memory, time"
EARLIEST = 315532800  # zip knows no time before 1980


def version():
    return re.search(r"^  version: '([^']+)'", (ROOT / "meson.build").read_text(), re.MULTILINE).group(1)


# ---- the C side ----


def tell(text):
    print(f"python: {text}", file=sys.stderr, flush=True)


def run(*words):
    done = subprocess.run([str(word) for word in words], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, cwd=ROOT)
    if done.returncode:
        sys.stderr.write("\n".join(done.stdout.splitlines()[-40:]) + "\n")
        raise SystemExit(f"python: {words[0]} failed")


def build(settings=None):
    """(the library, the program) of a build tree, built as far as they need it"""
    folder = (settings or {}).get("build") or os.environ.get("RIDGE_BUILD") or ROOT / "build-python"
    folder = ROOT / folder
    library, program = f"libridge.so.{version()}", "ridge"
    if not (folder / "build.ninja").exists():
        tell(f"configuring {folder}")
        run("meson", "setup", folder, "-Dtests=false")  # optimised as the tests have it
    tell(f"building in {folder}")
    run(shutil.which("ninja") or "ninja-build", "-C", folder, library, program)
    return folder / library, folder / program


def stripped(path):
    """The file without what debuggers want, where strip is there."""
    strip = shutil.which("strip")
    if not strip:
        return path.read_bytes()
    with tempfile.TemporaryDirectory() as folder:
        out = pathlib.Path(folder) / path.name
        run(strip, "--strip-unneeded", "-o", out, path)
        return out.read_bytes()


# ---- a wheel ----


def moment():
    """(year, month, day, hour, minute, second) of the files: equal sources make equal wheels"""
    import time

    return time.gmtime(max(EARLIEST, int(os.environ.get("SOURCE_DATE_EPOCH", EARLIEST))))[:6]


def tag():
    return "py3-none-" + sysconfig.get_platform().replace("-", "_").replace(".", "_")


def metadata():
    return (f"Metadata-Version: 2.1\nName: ridge\nVersion: {version()}\nSummary: {SUMMARY}\nLicense: MIT\nRequires-Python: >=3.9\n"
            'Provides-Extra: tables\nRequires-Dist: pandas; extra == "tables"\n'
            'Provides-Extra: progress\nRequires-Dist: tqdm; extra == "progress"\n'
            f"Description-Content-Type: text/markdown\n\n{(ROOT / 'README.md').read_text(encoding='utf-8')}")


def info_files():
    """path in the wheel -> content"""
    info = f"ridge-{version()}.dist-info"
    return {
        f"{info}/METADATA": metadata().encode(),
        f"{info}/WHEEL": f"Wheel-Version: 1.0\nGenerator: ridge\nRoot-Is-Purelib: false\nTag: {tag()}\n".encode(),
        f"{info}/entry_points.txt": b"[console_scripts]\nridge = ridge.__main__:main\n",
        f"{info}/LICENSE": (ROOT / "LICENSE").read_bytes(),
    }


def package_files():
    files = sorted(path for path in PACKAGE.rglob("*") if path.suffix in (".py", ".pyi", ".typed") or path.name == "py.typed")
    return {path.relative_to(PACKAGE.parent).as_posix(): path.read_bytes() for path in files}


def record(files):
    info = f"ridge-{version()}.dist-info"
    lines = []
    for name, content in files.items():
        digest = base64.urlsafe_b64encode(hashlib.sha256(content).digest()).rstrip(b"=").decode()
        lines.append(f"{name},sha256={digest},{len(content)}\n")
    return f"{info}/RECORD", ("".join(lines) + f"{info}/RECORD,,\n").encode()


def write_wheel(folder, files):
    files = dict(files)
    name, content = record(files)
    files[name] = content
    path = pathlib.Path(folder) / f"ridge-{version()}-{tag()}.whl"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as wheel:
        for name, content in files.items():
            entry = zipfile.ZipInfo(name, moment())
            entry.compress_type = zipfile.ZIP_DEFLATED
            entry.external_attr = (0o100755 if "/bin/" in name or LIBRARY in name else 0o100644) << 16
            wheel.writestr(entry, content)
    return path.name


def wheel_files(settings=None):
    library, program = build(settings)
    return {**package_files(), f"ridge/{LIBRARY}": stripped(library), "ridge/bin/ridge": stripped(program), **info_files()}


# ---- PEP 517, PEP 660 ----


def get_requires_for_build_wheel(config_settings=None):
    return []


def get_requires_for_build_sdist(config_settings=None):
    return []


def get_requires_for_build_editable(config_settings=None):
    return []


def prepare_metadata_for_build_wheel(metadata_directory, config_settings=None):
    for name, content in info_files().items():
        path = pathlib.Path(metadata_directory) / name
        path.parent.mkdir(exist_ok=True)
        path.write_bytes(content)
    return f"ridge-{version()}.dist-info"


prepare_metadata_for_build_editable = prepare_metadata_for_build_wheel


def build_wheel(wheel_directory, config_settings=None, metadata_directory=None):
    return write_wheel(wheel_directory, wheel_files(config_settings))


def build_editable(wheel_directory, config_settings=None, metadata_directory=None):
    """The sources where they are, and the library of the build tree (build/) beside them."""
    build({**(config_settings or {}), "build": (config_settings or {}).get("build") or ROOT / "build"})
    return write_wheel(wheel_directory, {"ridge.pth": f"{ROOT / 'python'}\n".encode(), **info_files()})


def sources():
    """The files of the source: those that git knows, and Python's grammar where it is there."""
    listed = subprocess.run(["git", "-C", ROOT, "ls-files", "-z"], capture_output=True)
    if listed.returncode == 0:
        names = [name for name in listed.stdout.decode("utf-8", "surrogateescape").split("\0") if name and (ROOT / name).is_file()]
    else:
        names = [path.relative_to(ROOT).as_posix() for path in ROOT.rglob("*")
                 if path.is_file() and not re.match(r"(build[^/]*|\.git)/", path.relative_to(ROOT).as_posix()) and "__pycache__" not in path.parts]
    grammar = ROOT / "src/learn/grammar/node_modules/tree-sitter-python/src"
    names += [path.relative_to(ROOT).as_posix() for path in grammar.rglob("*") if path.is_file()] if listed.returncode == 0 else []
    return sorted(set(names))


def build_sdist(sdist_directory, config_settings=None):
    top = f"ridge-{version()}"
    path = pathlib.Path(sdist_directory) / f"{top}.tar.gz"
    with tarfile.open(path, "w:gz", format=tarfile.PAX_FORMAT) as archive:
        for name in sources():
            archive.add(ROOT / name, f"{top}/{name}", recursive=False)
        entry = tarfile.TarInfo(f"{top}/PKG-INFO")
        entry.size = len(metadata().encode())
        archive.addfile(entry, io.BytesIO(metadata().encode()))
    return path.name


# ---- without pip ----


def places():
    """(where packages go, where programs go) for whom calls"""
    if sys.prefix != sys.base_prefix:
        paths = sysconfig.get_paths()
        return pathlib.Path(paths["platlib"]), pathlib.Path(paths["scripts"])
    paths = sysconfig.get_paths("posix_user")
    return pathlib.Path(paths["platlib"]), pathlib.Path(paths["scripts"])


def remove(say=True):
    site, _ = places()
    found = list(site.glob("ridge-*.dist-info/RECORD"))
    for listing in found:
        names = [line.rsplit(",", 2)[0] for line in listing.read_text(encoding="utf-8").splitlines()]
        for name in names:
            (site / name).unlink(missing_ok=True)
        shutil.rmtree(site / "ridge", ignore_errors=True)
        shutil.rmtree(listing.parent, ignore_errors=True)
    if say:
        tell(f"removed from {site}" if found else f"there is none in {site}")


def replace(path, content, mode):
    """Writes a file whole or not at all: a process that has the old library mapped keeps it."""
    path.parent.mkdir(parents=True, exist_ok=True)
    new = path.with_name(f".{path.name}.new")
    new.write_bytes(content)
    new.chmod(mode)
    new.replace(path)


def install(settings):
    files = wheel_files(settings)
    site, scripts = places()
    remove(say=False)
    files[f"ridge-{version()}.dist-info/INSTALLER"] = b"ridge\n"
    program = scripts / "ridge"
    if program.exists():  # `meson install` has put the program itself there: it does the same
        tell(f"{program} stays as it is")
    else:
        files[os.path.relpath(program, site)] = f"#!{sys.executable}\nimport sys\nfrom ridge.__main__ import main\nsys.exit(main())\n".encode()
    name, content = record(files)
    for path, data in {**files, name: content}.items():
        replace(pathlib.Path(os.path.normpath(site / path)), data, 0o755 if "/bin/" in path or LIBRARY in path else 0o644)
    tell(f"ridge {version()} is in {site}, its program is {program}")
    if str(site) not in sys.path and not os.environ.get("PYTHONNOUSERSITE"):
        import site as sites

        if not sites.ENABLE_USER_SITE and sys.prefix == sys.base_prefix:
            tell(f"this python3 does not look there: PYTHONPATH={site}")


def main(words):
    settings = {}
    if "--build" in words:
        at = words.index("--build")
        settings["build"] = str(pathlib.Path(words[at + 1]).resolve()) if at + 1 < len(words) else sys.exit(__doc__)
        del words[at:at + 2]
    if words == ["install"]:
        install(settings)
    elif words == ["remove"]:
        remove()
    elif len(words) == 2 and words[0] == "wheel":
        pathlib.Path(words[1]).mkdir(parents=True, exist_ok=True)
        print(pathlib.Path(words[1]) / build_wheel(words[1], settings))
    else:
        sys.exit(__doc__)


if __name__ == "__main__":
    main(sys.argv[1:])
