"""Builds the package by the standard library and Go alone (PEP 517 and PEP 660).

The program is built from the repository in which this folder lies, statically, and goes into
the wheel. An sdist has the folder without the repository: it needs the program in UNTWIST_PROGRAM.
"""

import base64
import csv
import hashlib
import io
import os
import re
import shutil
import subprocess
import sys
import tarfile
import zipfile

HERE = os.path.dirname(os.path.abspath(__file__))
PACKAGE = os.path.join(HERE, "src", "untwist")
NAME = "untwist"

# By Go's GOARCH. Go's static programs need no libc; this is the oldest tag that pip knows well.
TAGS = {
    "amd64": "manylinux_2_17_x86_64",
    "arm64": "manylinux_2_17_aarch64",
}


def _version():
    with open(os.path.join(PACKAGE, "__init__.py"), encoding="utf-8") as file:
        return re.search(r'^__version__ = "(.+)"', file.read(), re.M).group(1)


def _go(*words):
    environment = dict(os.environ, CGO_ENABLED="0", GOOS="linux")
    try:
        return subprocess.run(["go", *words], cwd=os.path.dirname(HERE), env=environment, check=True, stdout=subprocess.PIPE).stdout.decode().strip()
    except FileNotFoundError:
        sys.exit("untwist is built by Go, and there is no command go: install Go 1.26 or later (https://go.dev/dl), "
                 "or install a wheel, which has the program in it")
    except subprocess.CalledProcessError as e:
        sys.exit(f"untwist: {' '.join(['go', *words])} has failed with status {e.returncode}")


def _arch(path):
    """The processor that a program is for, as Go names it, by its ELF header."""
    with open(path, "rb") as file:
        head = file.read(20)
    return {b"\x3e\0": "amd64", b"\xb7\0": "arm64"}.get(head[18:20] if head[:4] == b"\x7fELF" else b"", "something else")


def _program(path, *words):
    """Writes the program to a path, and returns the tag of the platform it is for."""
    os.makedirs(os.path.dirname(path), exist_ok=True)
    given = os.environ.get("UNTWIST_PROGRAM")
    if given:
        shutil.copyfile(given, path)
        arch = _arch(path)
    else:
        if not os.path.exists(os.path.join(os.path.dirname(HERE), "cmd", "untwist", "main.go")):
            sys.exit("untwist is built from its repository, of which this folder has to be a part: pip install ./python there; "
                     "or set UNTWIST_PROGRAM to a program that was built elsewhere")
        _go("build", *words, "-buildvcs=false", "-ldflags=-s -w", "-o", path, "./cmd/untwist")
        arch = _go("env", "GOARCH")
    os.chmod(path, 0o755)
    if arch not in TAGS:
        sys.exit(f"untwist: wheels are made for {' and '.join(TAGS)}, not for {arch}")
    return TAGS[arch]


def _metadata():
    with open(os.path.join(HERE, "README.md"), encoding="utf-8") as file:
        readme = file.read()
    return (f"Metadata-Version: 2.1\nName: {NAME}\nVersion: {_version()}\n"
            "Summary: Minimises black-box functions globally\nLicense: BSD-3-Clause\nRequires-Python: >=3.9\n"
            "Classifier: Operating System :: POSIX :: Linux\nClassifier: Typing :: Typed\n"
            "Description-Content-Type: text/markdown\n\n" + readme)


def _entry_points():
    return "[console_scripts]\nuntwist = untwist.__main__:main\n"


def _information():
    """The files of the metadata, by name, without the tag and the record."""
    files = {"METADATA": _metadata().encode(), "entry_points.txt": _entry_points().encode()}
    license = os.path.join(os.path.dirname(HERE), "LICENSE")
    if os.path.exists(license):
        with open(license, "rb") as file:
            files["LICENSE"] = file.read()
    return files


def prepare_metadata_for_build_wheel(metadata_directory, config_settings=None):
    info = f"{NAME}-{_version()}.dist-info"
    os.makedirs(os.path.join(metadata_directory, info), exist_ok=True)
    for name, data in _information().items():
        with open(os.path.join(metadata_directory, info, name), "wb") as file:
            file.write(data)
    return info


prepare_metadata_for_build_editable = prepare_metadata_for_build_wheel


class _Wheel:
    """A wheel that is being written. The same files give the same bytes."""

    def __init__(self, path):
        self._zip = zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED)
        self._record = []

    def _write(self, name, data, mode):
        info = zipfile.ZipInfo(name, (1980, 1, 1, 0, 0, 0))
        info.external_attr = (0o100000 | mode) << 16
        info.compress_type = zipfile.ZIP_DEFLATED
        self._zip.writestr(info, data)

    def add(self, name, data, mode=0o644):
        self._write(name, data, mode)
        digest = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
        self._record.append((name, "sha256=" + digest, len(data)))

    def close(self, info, tag):
        for name, data in _information().items():
            self.add(f"{info}/{name}", data)
        self.add(f"{info}/WHEEL", f"Wheel-Version: 1.0\nGenerator: untwist\nRoot-Is-Purelib: false\nTag: {tag}\n".encode())
        text = io.StringIO()
        csv.writer(text, lineterminator="\n").writerows(self._record + [(f"{info}/RECORD", "", "")])
        self._write(f"{info}/RECORD", text.getvalue().encode(), 0o644)
        self._zip.close()


def _sources():
    for name in sorted(os.listdir(PACKAGE)):
        if name.endswith(".py") or name == "py.typed":
            with open(os.path.join(PACKAGE, name), "rb") as file:
                yield name, file.read()


def build_wheel(wheel_directory, config_settings=None, metadata_directory=None, words=()):
    built = os.path.join(wheel_directory, ".untwist-program")
    tag = "py3-none-" + _program(built, *words)
    name = f"{NAME}-{_version()}-{tag}.whl"
    wheel = _Wheel(os.path.join(wheel_directory, name))
    for source, data in _sources():
        wheel.add(f"untwist/{source}", data)
    with open(built, "rb") as file:
        wheel.add("untwist/_bin/untwist", file.read(), 0o755)
    os.remove(built)
    wheel.close(f"{NAME}-{_version()}.dist-info", tag)
    return name


def build_editable(wheel_directory, config_settings=None, metadata_directory=None):
    tag = "py3-none-" + _program(os.path.join(PACKAGE, "_bin", "untwist"))
    name = f"{NAME}-{_version()}-{tag}.whl"
    wheel = _Wheel(os.path.join(wheel_directory, name))
    wheel.add("untwist.pth", (os.path.dirname(PACKAGE) + "\n").encode())
    wheel.close(f"{NAME}-{_version()}.dist-info", tag)
    return name


def build_sdist(sdist_directory, config_settings=None):
    base = f"{NAME}-{_version()}"
    with tarfile.open(os.path.join(sdist_directory, base + ".tar.gz"), "w:gz", format=tarfile.PAX_FORMAT) as tar:
        for name in ("pyproject.toml", "backend.py", "README.md"):
            tar.add(os.path.join(HERE, name), f"{base}/{name}")
        for name, _ in _sources():
            tar.add(os.path.join(PACKAGE, name), f"{base}/src/untwist/{name}")
        data = _metadata().encode()
        info = tarfile.TarInfo(f"{base}/PKG-INFO")
        info.size = len(data)
        tar.addfile(info, io.BytesIO(data))
    return base + ".tar.gz"
