"""The same bits as Go, whatever evaluates the function."""

import functools
import json
import multiprocessing
import multiprocessing.pool
import unittest
from concurrent.futures import ThreadPoolExecutor

import untwist

from . import bits, reference, script, valleys

try:
    import numpy
except ImportError:
    numpy = None


def limited(x):
    if x[0] > 2.5:
        raise ValueError("too far")
    return valleys(x)


@functools.lru_cache()
def thirty():
    return reference(dim=30, bounds=[-5, 5], budget=20000)


@functools.lru_cache()
def four():
    return reference(dim=4, bounds=[-5, 5], budget=1500)


class SameBits(unittest.TestCase):
    maxDiff = 2000

    def test_bounds(self):
        self.assertEqual(bits(untwist.minimize(valleys, bounds=[(-5, 5)] * 30, budget=20000)), thirty())

    def test_without_numpy(self):
        # None in sys.modules makes an import fail.
        child = script("""
import json, sys
sys.modules["numpy"] = None
import untwist
from tests import bits, valleys
result = untwist.minimize(valleys, bounds=[(-5, 5)] * 30, budget=20000)
assert type(result.x) is list and type(result.frame[0]) is list, result
print(json.dumps(bits(result)))
""")
        out, _ = child.communicate()
        self.assertEqual(tuple(json.loads(out)), thirty())

    def test_options(self):
        dim = 6
        point = [0.5 * i - 1 for i in range(dim)]
        frame = [[1.0 if k == i else 0.5 if k == (i + 1) % dim else 0.0 for k in range(dim)] for i in range(dim)]

        def parameters(**options):
            return [dict(options, name=f"x{i + 1}") for i in range(dim)]

        for given, options in [
            (dict(start=[-2, 3]), dict(start=[(-2, 3)] * dim)),
            (dict(bounds=[-5, 5], start=[-1, 1], seed=7), dict(bounds=[(-5, 5)] * dim, start=(-1, 1), seed=7)),
            (dict(bounds=[-5, 5], points=[point]), dict(bounds=[(-5, 5)] * dim, x0=point)),
            (dict(start=[-4.5, 5.5], points=[[0.5] * dim]), dict(x0=[0.5] * dim)),
            (dict(start=[-40, 0], points=[[-20] * dim]), dict(x0=[-20] * dim)),
            (dict(bounds=[-5, 5], strategy="cmaes", parallel=40), dict(bounds=[(-5, 5)] * dim, strategy="cmaes", parallel=40)),
            (dict(bounds=[-5, 5], strategy="cbo", seed=2**64 - 1), dict(bounds=[(-5, 5)] * dim, strategy="cbo", seed=2**64 - 1)),
            (dict(bounds=[-5, 5], target=-200.0, strategy="cmaes"), dict(bounds=[(-5, 5)] * dim, target=-200, strategy="cmaes")),
            (dict(bounds=[-5, 5], tolerance=0.1, strategy="cmaes"), dict(bounds=[(-5, 5)] * dim, tolerance=0.1, strategy="cmaes")),
            (dict(bounds=[-5, 5], noise=0.01), dict(bounds=[(-5, 5)] * dim, noise_level=0.01)),
            (dict(bounds=[-5, 5], frame=frame), dict(bounds=[(-5, 5)] * dim, frame=frame)),
            (dict(bounds=[-5, 5], points=[point, point[::-1]]), dict(bounds=[(-5, 5)] * dim, x0=[point, point[::-1]])),
            (dict(bounds=[-5, 5], limit=2.5), dict(fun=limited, bounds=[(-5, 5)] * dim)),
            (dict(parameters=parameters(min=1e-3, max=10, log=True)), dict(bounds=[(1e-3, 10)] * dim, scale="log")),
            (dict(parameters=parameters(min=1e-3, max=10, log=True)[:2] + parameters(min=-4, max=4)[2:5] + parameters(fixed=-0.5)[5:]),
             dict(bounds=[(1e-3, 10)] * 2 + [(-4, 4)] * 3 + [(-0.5, -0.5)], scale=["log"] * 2 + [None] * 4)),
        ] + [(dict(start=[-5, 5], strategy=s), dict(start=[(-5, 5)] * dim, strategy=s))
             for s in ("auto", "reparametrised", "transformed", "componentwise", "online", "cbo-isotropic")]:
            with self.subTest(**given):
                fun = options.pop("fun", valleys)
                self.assertEqual(bits(untwist.minimize(fun, budget=2000, **options)), reference(dim=dim, budget=2000, **given))

    def test_whoever_evaluates(self):
        def minimize(**options):
            return bits(untwist.minimize(valleys, [(-5, 5)] * 4, budget=1500, **options))

        self.assertEqual(minimize(), four())
        self.assertEqual(minimize(workers=1), four())
        self.assertEqual(minimize(names=list("abcd")), four())
        self.assertEqual(minimize(workers=3), four())
        self.assertEqual(minimize(workers=map), four())
        with multiprocessing.pool.ThreadPool(2) as pool:
            self.assertEqual(minimize(workers=pool.map), four())
        with multiprocessing.Pool(2) as pool:
            self.assertEqual(minimize(workers=pool.map), four())
            self.assertEqual(minimize(workers=pool.imap), four())
        with ThreadPoolExecutor(2) as executor:
            self.assertEqual(minimize(workers=executor.map), four())

    def test_vectorized(self):
        shapes = set()

        def columns(points):
            shapes.add((len(points), type(points)))
            return [valleys([row[j] for row in points]) for j in range(len(points[0]))]

        self.assertEqual(bits(untwist.minimize(columns, [(-5, 5)] * 4, budget=1500, vectorized=True)), four())
        self.assertEqual(shapes, {(4, list if numpy is None else numpy.ndarray)})

    def test_arguments(self):
        self.assertEqual(bits(untwist.minimize(lambda x, a, b: valleys(x), [(-5, 5)] * 4, None, (1, "two"), budget=1500)), four())
        for args in ([1, 2], "ab", 5):  # as with scipy, what is no tuple is one argument
            seen = []
            untwist.minimize(lambda x, a: seen.append(a) or valleys(x), [(-5, 5)] * 4, None, args, budget=5)
            self.assertEqual(seen, [args] * 5)


if __name__ == "__main__":
    unittest.main()
