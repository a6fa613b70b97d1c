"""Functions that fail, and what is said about it."""

import decimal
import fractions
import math
import os
import pickle
import signal
import traceback
import unittest
from array import array

import untwist

from . import bowl

BOX = [(-5, 5)] * 3


class Trouble(Exception):
    pass


def half(x):
    """Fails on one side."""
    if x[0] > 1:
        raise Trouble(f"no value\nat {float(x[0])}")
    return bowl(x)


def dies(x):
    """Ends its process on one side."""
    if x[0] > 3:
        os._exit(3)
    if x[0] < -3:
        os.kill(os.getpid(), signal.SIGSEGV)
    return bowl(x)


class Odd(Exception):
    """An exception that cannot be pickled as it is."""

    def __init__(self, a, b):
        super().__init__("odd")
        self.a = a
        self.f = lambda: None


def odd(x):
    raise Odd(1, 2)


def local(x):
    class Local(Exception):
        pass

    raise Local("here")


def leaves(x, kind):
    raise kind(4) if x[0] > 1 else Trouble("a failure that is skipped")


def strange(x):
    """Ends its process by a signal that has no name."""
    if x[0] > 3:
        os.kill(os.getpid(), signal.SIGRTMIN + 6)
    return bowl(x)


class Skip(unittest.TestCase):
    def check(self, result, calls=None):
        self.assertGreater(result.failed, 0)
        self.assertEqual(result.failures["error"], result.failed)
        self.assertRegex(result.first_failure, r"^Trouble: no value at \d")
        self.assertTrue(result.success)
        self.assertLess(result.fun, 1e-6)

    def test_one_by_one(self):
        calls = []

        def f(x):
            calls.append(None)
            return half(x)

        result = untwist.minimize(f, BOX, budget=2000)
        self.check(result)
        self.assertEqual(result.nfev, len(calls))

    def test_elsewhere(self):
        alone = untwist.minimize(half, BOX, budget=2000)
        for workers in (2, map):
            with self.subTest(workers=workers):
                result = untwist.minimize(half, BOX, budget=2000, workers=workers)
                self.check(result)
                self.assertEqual((result.nfev, result.failed, result.fun), (alone.nfev, alone.failed, alone.fun))

    def test_vectorized(self):
        def columns(points):
            return [half([row[j] for row in points]) for j in range(len(points[0]))]

        alone = untwist.minimize(half, BOX, budget=2000)
        result = untwist.minimize(columns, BOX, budget=2000, vectorized=True)
        self.check(result)
        self.assertEqual((result.nfev, result.failed, result.fun), (alone.nfev, alone.failed, alone.fun))

    def test_not_a_number(self):
        for value, kind, words in [(math.nan, "nan", "NaN"), (math.inf, "nan", "Inf"), (None, "error", "fun returned None, which is not a number"),
                                   ("1", "error", "not a number"), ([1, 2], "error", "not a number"), ({"value": 1.0}, "error", "a dict is for outputs, which have to be named"), (1j, "error", "not a number")]:
            for workers in (1, map):
                with self.subTest(value=value, workers=workers):
                    result = untwist.minimize(lambda x: value if x[0] > 1 else bowl(x), BOX, budget=2000, workers=workers)
                    self.assertGreater(result.failed, 0)
                    self.assertEqual(result.failures[kind], result.failed)
                    self.assertIn(words, result.first_failure)

    def test_kinds_of_numbers(self):
        try:
            import numpy
            kinds = [numpy.float64, numpy.float32, lambda v: numpy.array(v), lambda v: numpy.array([v]), lambda v: numpy.array([[v]])]
        except ImportError:
            kinds = []
        for kind in kinds + [float, int, bool, lambda v: [v], decimal.Decimal, fractions.Fraction]:
            for workers in (1, map):
                with self.subTest(kind=kind, workers=workers):
                    result = untwist.minimize(lambda x: kind(bowl(x)), BOX, budget=100, workers=workers)
                    self.assertEqual(result.failed, 0)

    def test_values_that_are_masked(self):
        try:
            import numpy
        except ImportError:
            self.skipTest("numpy is not installed")
        for masked in (numpy.ma.masked, numpy.ma.array([-9.0], mask=[True])):
            for workers in (1, map):
                result = untwist.minimize(lambda x: masked if x[0] > 1 else bowl(x), BOX, budget=100, workers=workers)
                self.assertGreater(result.failed, 0)
                self.assertGreater(result.fun, 0)

        def columns(points):
            return numpy.ma.array(points[0] ** 2 - 9, mask=points[0] < 1)

        result = untwist.minimize(columns, BOX, budget=100, vectorized=True)
        self.assertGreater(result.failed, 0)
        self.assertGreaterEqual(result.fun, -8)

    def test_exceptions_without_words(self):
        class Mute(Exception):
            def __str__(self):
                raise RuntimeError

        def f(x):
            if x[0] > 1:
                raise Mute
            return bowl(x)

        for workers in (1, map):
            result = untwist.minimize(f, BOX, budget=100, workers=workers)
            self.assertEqual(result.first_failure, "Mute")

    def test_vectorized_in_place(self):
        # A function that changes its points and then fails is asked again for the points themselves.
        def columns(points):
            found = [half([row[j] for row in points]) if points[0][j] < 1 else None for j in range(len(points[0]))]
            for row in points:
                for j in range(len(row)):
                    row[j] = 0.0
            if None in found:
                raise Trouble("no value at 1")
            return found

        alone = untwist.minimize(half, BOX, budget=500)
        result = untwist.minimize(columns, BOX, budget=500, vectorized=True)
        self.assertEqual((result.fun, result.failed), (alone.fun, alone.failed))

    def test_vectorized_in_part(self):
        # Values that are no numbers, and failures within an iterator, are failures of these points.
        alone = untwist.minimize(half, BOX, budget=500)
        for f in (lambda points: [bowl(x) if x[0] <= 1 else None for x in zip(*points)], lambda points: map(half, zip(*points))):
            result = untwist.minimize(f, BOX, budget=500, vectorized=True)
            self.assertEqual((result.fun, result.failed), (alone.fun, alone.failed))

    def test_processes_that_end(self):
        result = untwist.minimize(dies, BOX, budget=300, workers=2, strategy="cmaes")
        self.assertGreater(result.failures["exit"], 0)
        self.assertGreater(result.failures["signal"], 0)
        self.assertEqual(result.failed, result.failures["exit"] + result.failures["signal"])
        self.assertRegex(result.first_failure, "the process ended with (exit status 3|signal SIGSEGV)")
        self.assertLess(result.fun, 1)

    def test_signal_without_a_name(self):
        result = untwist.minimize(strange, BOX, budget=100, workers=2, strategy="cmaes")
        self.assertEqual(result.first_failure, f"the process ended with signal {signal.SIGRTMIN + 6}")

    def test_map_that_makes_an_array(self):
        alone = untwist.minimize(half, BOX, budget=200)
        result = untwist.minimize(half, BOX, budget=200, workers=lambda f, points: array("d", [float(f(x)) for x in points]))
        self.assertEqual((result.fun, result.failed), (alone.fun, alone.failed))

    def test_all_fail(self):
        def f(x):
            raise Trouble("always")

        with self.assertRaisesRegex(untwist.Error, "the first 23 queries all failed; the first failure: Trouble: always") as caught:
            untwist.minimize(f, BOX, budget=1000)
        self.assertIsInstance(caught.exception.__cause__, Trouble)
        self.assertEqual(caught.exception.result.nfev, 23)
        self.assertEqual(caught.exception.result.fun, math.inf)
        self.assertFalse(caught.exception.result.success)
        result = untwist.minimize(lambda x: math.nan if x[0] < 4 else 1.0, BOX, budget=1000, keep_going=True)
        self.assertGreater(result.nfev, 100)

    def test_f_may_change_and_keep_its_point(self):
        kept = []

        def f(x):
            value = bowl(x)
            kept.append((x, list(map(float, x))))
            for i in range(len(x)):
                x[i] = 100.0
            return value

        untouched = untwist.minimize(bowl, BOX, budget=500)
        result = untwist.minimize(f, BOX, budget=500)
        self.assertEqual((list(result.x), result.fun), (list(untouched.x), untouched.fun))
        self.assertTrue(all(float(v) == 100 for x, _ in kept for v in x))


class Raise(unittest.TestCase):
    def test_own_exception(self):
        for workers in (1, 2, map):
            with self.subTest(workers=workers):
                error = None
                try:  # assertRaises takes the traceback away
                    untwist.minimize(half, BOX, budget=2000, x0=[0, 0, 0], on_failure="raise", workers=workers)
                except Trouble as e:
                    error, text = e, traceback.format_exc()
                self.assertIsNotNone(error)
                self.assertIn("no value", str(error))
                self.assertIn('raise Trouble(f"no value', text)
                self.assertIsInstance(error.result, untwist.OptimizeResult)
                self.assertFalse(error.result.success)
                self.assertEqual(error.result.stopped_by, "failures")
                if workers == 1:  # the known point came first
                    self.assertGreaterEqual(error.result.nfev, 1)
                    self.assertLessEqual(error.result.fun, bowl([0, 0, 0]))

    def test_vectorized(self):
        def columns(points):
            raise Trouble("all of them")

        with self.assertRaisesRegex(Trouble, "all of them"):
            untwist.minimize(columns, BOX, vectorized=True, on_failure="raise", budget=100)

    def test_unpicklable_exception(self):
        with self.assertRaisesRegex(Odd, "odd") as caught:
            untwist.minimize(odd, BOX, workers=2, on_failure="raise", budget=100)
        self.assertEqual(caught.exception.a, 1)
        self.assertIn("raise Odd(1, 2)", str(caught.exception.__cause__))
        with self.assertRaisesRegex(RuntimeError, "Local: here"):
            untwist.minimize(local, BOX, workers=2, on_failure="raise", budget=100)

    def test_process_that_ends(self):
        with self.assertRaisesRegex(RuntimeError, "the process ended with"):
            untwist.minimize(dies, BOX, workers=2, on_failure="raise", budget=300, strategy="cmaes")

    def test_not_for_us(self):
        # What is no Exception ends the run, whoever evaluates.
        for workers in (1, 2, map):
            for kind in (SystemExit, GeneratorExit):
                with self.subTest(workers=workers, kind=kind):
                    with self.assertRaises(kind) as caught:
                        untwist.minimize(leaves, BOX, None, (kind,), budget=100, workers=workers)
                    self.assertEqual(caught.exception.args, (4,))
                    self.assertEqual(caught.exception.result.stopped_by, "failures")
            with self.assertRaises(KeyboardInterrupt) as caught:
                untwist.minimize(leaves, BOX, None, (KeyboardInterrupt,), budget=100, workers=workers)
            result = caught.exception.result
            self.assertEqual(result.stopped_by, "interrupt")


def imap_unordered(f, points):
    """As the one of multiprocessing.Pool."""


class Misuse(unittest.TestCase):
    def test_messages(self):
        calls = []

        def f(x):
            calls.append(x)
            return 0.0

        for words, options in [
            ("where is the minimum", {}),
            ("bounds: entry 1 is", dict(bounds=[(0, 1), 2])),
            ("bounds: 2 pairs for 3 coordinates", dict(bounds=[(0, 1)] * 2, x0=[1, 2, 3])),
            ("bounds: they have no end", dict(bounds=[(0, None)])),
            ("bounds: one pair", dict(bounds=(0, 1))),
            ("bounds: 5, must be a list of pairs", dict(bounds=5)),
            ("bounds: entry 0 is (inf, 5)", dict(bounds=[(math.inf, 5)])),
            ("bounds: entry 0 is (-5, -inf)", dict(bounds=[(-5, -math.inf)])),
            ("bounds: entry 0 is ('0', '1')", dict(bounds=[("0", "1")])),
            ("bounds", dict(bounds=[(1, 0)])),
            ("point 0 lies outside the bounds; x[0]: 2", dict(bounds=[(0, 1)], x0=[2])),
            ("x0: it lies outside the bounds; x[0] is 20.0", dict(bounds=[(None, 5)], x0=[20])),
            ("x0: x[0] is -3.0, must be above 0", dict(x0=[-3], scale="log")),
            ("x0: its numbers", dict(x0=[math.nan])),
            ("x0: [] is not a list of numbers", dict(x0=[[]])),
            ("x0: '1' is not a list of numbers", dict(x0="12")),
            ("x0: [1j] is not a list of numbers", dict(x0=[[1j]])),
            ("x0: it is not known where to look around x[0] = 1e+308", dict(x0=[1e308])),
            ("x0: it is not known where to look around x[0] = 1e+307", dict(x0=[1e307], scale="log")),
            ("budget: 1.5", dict(bounds=BOX, budget=1.5)),
            ("budget: 0", dict(bounds=BOX, budget=0)),
            ("budget: False", dict(bounds=BOX, budget=False)),
            ("target: False", dict(bounds=BOX, target=False)),
            ("target: '1'", dict(bounds=BOX, target="1")),
            ("time: -1", dict(bounds=BOX, time=-1)),
            ('time: "soon", must be a time above 0', dict(bounds=BOX, time="soon")),
            ("target: nan", dict(bounds=BOX, target=math.nan)),
            ("seed: -1", dict(bounds=BOX, seed=-1)),
            ("workers: 0", dict(bounds=BOX, workers=0)),
            ("workers: 'two'", dict(bounds=BOX, workers="two")),
            ("workers: True", dict(bounds=BOX, workers=True)),
            ("workers: imap_unordered", dict(bounds=BOX, workers=imap_unordered)),
            ("workers: inf", dict(bounds=BOX, workers=math.inf)),
            ("vectorized and workers", dict(bounds=BOX, workers=2, vectorized=True)),
            ("on_failure: 'stop'", dict(bounds=BOX, on_failure="stop")),
            ("names: 2 for 3", dict(bounds=BOX, names=["a", "b"])),
            ("there are two parameters a", dict(bounds=BOX, names=["a", "a", "b"])),
            ("names must be", dict(bounds=BOX, names=3)),
            ("scale must be", dict(bounds=BOX, scale="logarithmic")),
            ("scale must be", dict(bounds=BOX, scale=True)),
            ("must be above 0 on a logarithmic scale", dict(bounds=BOX, scale="log")),
            ("strategy", dict(bounds=BOX, strategy="magic")),
            ("strategy: True", dict(bounds=BOX, strategy=True)),
            ("frame", dict(bounds=BOX, frame=[[1, 0]])),
            ("frame: 5, must be a list of rows", dict(bounds=BOX, frame=5)),
            ("frame: [] is not a list of numbers", dict(bounds=BOX, frame=[[]])),
            ("frame: its numbers must be finite", dict(bounds=BOX, frame=[[math.nan, 0, 0]])),
            ("frame: its rows have different lengths", dict(bounds=BOX, frame=[[1, 0, 0], [1, 0]])),
            ("frame: row 0 has length 0", dict(bounds=BOX, frame=[[0, 0, 0]])),
        ]:
            with self.subTest(words):
                with self.assertRaises(ValueError) as caught:
                    untwist.minimize(f, **options)
                self.assertIn(words, str(caught.exception))
                self.assertNotIn("--", str(caught.exception))
        with self.assertRaisesRegex(TypeError, "fun is a int"):
            untwist.minimize(1, BOX)
        with self.assertRaisesRegex(TypeError, "callback is a int"):
            untwist.minimize(f, BOX, callback=1)
        with self.assertRaisesRegex(TypeError, "journal: 5, must be the path of a file"):
            untwist.minimize(f, BOX, journal=5)
        self.assertEqual(calls, [])

    def test_unpicklable_function(self):
        calls = []
        for f in (lambda x: calls.append(x), untwist.OptimizeResult(__call__=1).get):
            with self.assertRaisesRegex(ValueError, "cannot be pickled.*Define fun"):
                untwist.minimize(lambda x: f(x), BOX, workers=2)
        self.assertEqual(calls, [])

    def test_wrong_shapes(self):
        for found in (1.0, [1.0, 2.0], None, "1234567", dict.fromkeys(range(7)), set(range(7))):
            with self.assertRaisesRegex(ValueError, "has to return S values"):
                untwist.minimize(lambda points: found, BOX, vectorized=True, budget=100)
        for short in (lambda f, xs: list(map(f, xs))[1:], lambda f, xs: list(map(f, xs)) * 2):
            with self.assertRaisesRegex(ValueError, "workers: the map has returned"):
                untwist.minimize(bowl, BOX, workers=short, budget=100)

    def test_errors_can_be_pickled(self):
        error = pickle.loads(pickle.dumps(untwist.Error("words")))
        self.assertEqual(str(error), "words")


if __name__ == "__main__":
    unittest.main()
