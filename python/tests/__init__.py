"""Tests of the package: python3 -m unittest, in the folder python.

They test the package that is installed. Where none is, they test the sources beside them, with a
program that is built first. Go is needed in either case: results are compared with Go's, which
UNTWIST_TEST_REFERENCE may have been built to find before.
"""

import atexit
import functools
import importlib.util
import json
import os
import shutil
import signal
import struct
import subprocess
import sys
import tempfile
import unittest

# Where the tests are started in the background, a shell has Ctrl-C ignored, by them and all that
# they start.
signal.signal(signal.SIGINT, signal.default_int_handler)

HERE = os.path.dirname(os.path.abspath(__file__))
REPOSITORY = os.path.dirname(os.path.dirname(HERE))

_built = tempfile.mkdtemp()
atexit.register(shutil.rmtree, _built, True)


def build(package, name):
    """Builds a program of the repository, and returns its path."""
    path = os.path.join(_built, name)
    if not os.path.exists(path):
        subprocess.run(["go", "build", "-o", path, package], cwd=REPOSITORY, env=dict(os.environ, CGO_ENABLED="0"), check=True)
    return path


try:
    import untwist  # noqa: F401
except ModuleNotFoundError:
    sys.path.insert(0, os.path.join(os.path.dirname(HERE), "src"))
    os.environ["PYTHONPATH"] = os.pathsep.join([sys.path[0]] + os.environ.get("PYTHONPATH", "").split(os.pathsep))
    if "UNTWIST_PROGRAM" not in os.environ:
        os.environ["UNTWIST_PROGRAM"] = build("./cmd/untwist", "untwist")


def needs(module):
    """A test that needs a package; without it, it says so in a line. Where packages are said to be
    installed, it runs."""
    def decorate(test):
        if os.environ.get("UNTWIST_TEST_NUMPY") or importlib.util.find_spec(module) is not None:
            return test

        @functools.wraps(test)
        def not_run(*_):
            print(f"not run: {test.__qualname__} needs {module}", file=sys.stderr)
            raise unittest.SkipTest(f"needs {module}")

        return not_run

    return decorate


def valleys(x):
    """Wells in coordinates that are not those given; the reference in Go has the same."""
    n = len(x)
    total = 0.0
    for i in range(n):
        y = float(x[i]) + 0.5 * float(x[(i + 1) % n])
        total += ((y * y - 16) * y + 5) * y
    return total


def bowl(x):
    return sum((float(v) - 0.25 * i) ** 2 for i, v in enumerate(x))


def reference(**options):
    """The bits that Go finds: x, fun, queries and rounds."""
    program = os.environ.get("UNTWIST_TEST_REFERENCE") or build("./python/tests/testdata/reference", "reference")
    found = json.loads(subprocess.run([program, json.dumps(options)], stdout=subprocess.PIPE, check=True).stdout)
    return found["X"], found["Fun"], found["Queries"], found["Rounds"]


def bits(result):
    """The bits of a result, in the same form."""
    return [_bits(v) for v in result.x], _bits(result.fun), result.nfev, result.nit


def _bits(v):
    return struct.unpack("<Q", struct.pack("<d", float(v)))[0]


def script(text, *words, **options):
    """Starts another Python."""
    options.setdefault("stdout", subprocess.PIPE)
    options.setdefault("cwd", os.path.dirname(HERE))
    return subprocess.Popen([sys.executable, "-c", text, *words], **options)
