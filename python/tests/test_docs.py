"""The examples in docs/python.md and README.md run."""

import contextlib
import io
import os
import re
import tempfile
import unittest

import untwist

from . import HERE, REPOSITORY

try:
    import scipy
except ImportError:
    scipy = None


def blocks(path):
    with open(path, encoding="utf-8") as file:
        return re.findall(r"^```python\n(.*?)^```", file.read(), re.M | re.S)


class Documents(unittest.TestCase):
    def test_one_version(self):
        for path in ("CITATION.cff", "docs/install.md", "python/pyproject.toml"):
            with open(os.path.join(REPOSITORY, path), encoding="utf-8") as file:
                self.assertEqual(set(re.findall(r"(?:^version[ =:\"]+|untwist-|@v)(\d+\.\d+\.\d+)", file.read(), re.M)), {untwist.__version__}, path)

    def test_short(self):
        with open(os.path.join(REPOSITORY, "docs", "python.md"), encoding="utf-8") as file:
            self.assertLessEqual(len(file.readlines()), 150)

    def test_examples(self):
        for path, least in ((os.path.join(REPOSITORY, "docs", "python.md"), 5), (os.path.join(HERE, "..", "README.md"), 1)):
            found = blocks(path)
            self.assertGreaterEqual(len(found), least)
            names = {"__name__": "example"}
            before = os.getcwd()
            with tempfile.TemporaryDirectory() as folder, contextlib.redirect_stdout(io.StringIO()):
                os.chdir(folder)
                try:
                    for text in found:
                        if "import scipy" in text and scipy is None:
                            continue
                        exec(compile(text, path, "exec"), names)
                        self.assertLess(names["result"].fun, names.get("least", 1e-3))
                finally:
                    os.chdir(before)


if __name__ == "__main__":
    unittest.main()
