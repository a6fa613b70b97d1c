"""What results have, and everything around them."""

import copy
import io
import os
import pickle
import subprocess
import sys
import tempfile
import unittest
import xml.dom.minidom

import untwist
from untwist import _progress

from . import bowl, valleys

try:
    import numpy
except ImportError:
    numpy = None
try:
    import scipy.optimize as scipy_optimize
except ImportError:
    scipy_optimize = None

# Where these are said to be installed, they are.
if os.environ.get("UNTWIST_TEST_NUMPY") and (numpy is None or scipy_optimize is None):
    raise ImportError("numpy and scipy are needed by these tests")

BOX = [(-5, 5)] * 5


class Results(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.result = untwist.minimize(valleys, BOX, budget=5000)

    def test_names_of_scipy(self):
        r = self.result
        self.assertEqual((r.success, r.status), (True, 0))
        self.assertEqual(valleys(r.x), r.fun)
        self.assertLess(r.fun, -390)
        self.assertLessEqual(r.nfev, 5000)
        self.assertLess(r.nit, r.nfev)
        self.assertIn("separable", r.message)
        self.assertEqual(r["x"] is r.x, True)
        self.assertIn("fun", dir(r))
        self.assertIn("success: True", repr(r))
        with self.assertRaises(AttributeError):
            r.nothing

    def test_structure(self):
        r = self.result
        self.assertEqual(r.structure.verdict, "separable")
        self.assertEqual(r.structure.blocks, [[i] for i in range(5)])
        self.assertFalse(r.structure.along_axes)
        self.assertEqual(len(r.structure.coordinates), 5)
        for text, row in zip(r.structure.coordinates, r.frame):
            large = max(range(5), key=lambda i: abs(row[i]))
            self.assertIn(f"x[{large}]", text)
        self.assertLess(r.certificate.coupling, 1e-2)
        self.assertEqual((len(r.frame), len(r.frame[0])), (5, 5))
        if numpy is not None:
            self.assertIsInstance(r.frame, numpy.ndarray)
            self.assertEqual(r.frame.shape, (5, 5))
        for row in r.frame:  # one number of ±2/√5 and the next half of it
            big = sorted(abs(float(v)) for v in row)
            self.assertAlmostEqual(big[-1], 2 / 5**0.5, 4)
            self.assertAlmostEqual(big[-2], 1 / 5**0.5, 4)

    def test_no_structure(self):
        r = untwist.minimize(valleys, BOX, budget=100, strategy="cmaes")
        self.assertEqual((r.structure.verdict, r.frame, r.certificate, r.profiles), ("unknown", None, None, []))
        self.assertIn("convergence", r.plot())

    def test_profiles(self):
        with self.assertRaisesRegex(ValueError, "nothing to draw"):
            untwist.OptimizeResult(x=1).plot()
        self.assertEqual(sorted(p.component for p in self.result.profiles), list(range(5)))
        for p in self.result.profiles:
            self.assertEqual(len(p.y), len(p.value))
            self.assertEqual(list(p.y), sorted(p.y))
            self.assertGreater(len(p.wells), 0)
            self.assertIsInstance(p.wells[0][0], float)

    def test_pictures(self):
        pictures = self.result.plot()
        self.assertLessEqual({"convergence", "profiles", "couplings"}, set(pictures))
        self.assertIn("data:image/svg+xml;base64,", pictures._repr_html_())
        one = self.result.plot("convergence")
        xml.dom.minidom.parseString(one._repr_svg_())
        with self.assertRaisesRegex(ValueError, "there is no picture 'x'; there are convergence"):
            self.result.plot("x")
        with tempfile.TemporaryDirectory() as folder:
            pictures.save(folder)
            with self.assertRaisesRegex(ValueError, "ends with .svg"):
                pictures["convergence"].save(os.path.join(folder, "convergence.png"))
            self.assertEqual(sorted(os.listdir(folder)), sorted(n + ".svg" for n in pictures))

    def test_copies(self):
        for other in (pickle.loads(pickle.dumps(self.result)), copy.deepcopy(self.result)):
            self.assertIsInstance(other, untwist.OptimizeResult)
            self.assertEqual((other.fun, list(other.x)), (self.result.fun, list(self.result.x)))
            self.assertIn("convergence", other.plot())

    def test_probe(self):
        found = untwist.probe(valleys, BOX, budget=5000)
        self.assertEqual(found.structure.verdict, "separable")
        self.assertEqual(len(found.frame), 5)
        self.assertEqual(found.success, True)
        self.assertIn("spectrum", found.plot())
        known = untwist.minimize(valleys, BOX, budget=5000, frame=found)
        self.assertLess(known.fun, -390)
        self.assertEqual(untwist.minimize(valleys, BOX, budget=5000, frame=found.frame).fun, known.fun)
        self.assertEqual(untwist.probe(valleys, x0=[0] * 5, budget=50).stopped_by, "budget")

    def test_interactions(self):
        def f(x):
            return sum((x[i] * x[i + 1] - 1) ** 2 for i in range(0, 38, 2)) + x[38] ** 2

        found = untwist.interactions(f, [(-3, 3)] * 40)
        self.assertEqual(found.groups, [[f"x[{i}]", f"x[{i + 1}]"] for i in range(0, 38, 2)])
        self.assertEqual((found.alone, found.unseen, found.band, found.edges), (["x[38]"], ["x[39]"], 0, 19))
        self.assertGreater(found.margin, 1000)
        self.assertLess(found.queries, 800)
        named = untwist.interactions(f, [(-3, 3)] * 40, names=[f"p{i}" for i in range(40)])
        self.assertEqual((named.groups[0], named.unseen), (["p0", "p1"], ["p39"]))

    def test_check(self):
        found = untwist.check(valleys, BOX, budget=1000, workers=2)
        self.assertEqual((found.usable, found.same_twice, found.queries, found.failed, found.procs), (True, True, 22, 0, 2))
        self.assertIn("same twice  yes", str(found))
        self.assertGreater(found.median_seconds, 0)
        self.assertEqual(found.warnings, [])
        rounded = untwist.check(lambda x: float(f"{valleys(x):.3g}"), BOX)
        self.assertRegex(str(rounded), "warning: small differences")
        never = untwist.check(lambda x: None, BOX)
        self.assertFalse(never.usable)
        self.assertEqual(never.first_failure, "TypeError: fun returned None, which is not a number")

    def test_names_and_scales(self):
        def f(x):
            a, b, c = map(float, x)
            return (a - 1e-3) ** 2 * 1e6 + (b - 2) ** 2 + (c - 3) ** 2

        r = untwist.minimize(f, [(1e-6, 1), (0, 5), (3, 3)], budget=2000, names=["a", "b", "c"], scale={"a": "log"})
        self.assertEqual([p["name"] for p in r.parameters], ["a", "b", "c"])
        self.assertAlmostEqual(float(r.x[0]), 1e-3, 5)
        self.assertEqual(float(r.x[2]), 3.0)
        self.assertEqual(len(r.frame[0]), 2)

    def test_bounds(self):
        r = untwist.minimize(bowl, [(None, 5), (0.5, float("inf")), (-5, None)], [0, 1, 1], budget=2000)
        self.assertGreaterEqual(float(r.x[1]), 0.5)
        self.assertLess(r.fun, 0.0626)
        self.assertEqual(len(untwist.minimize(bowl, start=[(-1, 1)] * 2, budget=100).x), 2)
        self.assertEqual(len(untwist.minimize(bowl, (-1, 1), names=["a", "b"], budget=100).x), 2)
        self.assertEqual(len(untwist.minimize(bowl, x0=3.0, budget=100).x), 1)
        self.assertEqual(len(untwist.minimize(bowl, (-1, 1), names=(n for n in "ab"), budget=100).x), 2)
        if numpy is not None:
            self.assertEqual(len(untwist.minimize(bowl, x0=numpy.array(3.0), budget=100).x), 1)

    def test_default_budget(self):
        self.assertEqual(untwist.minimize(bowl, [(-1, 1)] * 2).budget, 2000)

    def test_seed(self):
        a, b = (untwist.minimize(valleys, BOX, budget=100, seed=None).seed for _ in range(2))
        self.assertNotEqual(a, b)


@unittest.skipIf(scipy_optimize is None, "scipy is not installed")
class Scipy(unittest.TestCase):
    def test_method(self):
        seen = []
        r = scipy_optimize.minimize(
            valleys, [0.5] * 5, method=untwist.scipy_method, bounds=BOX, options={"budget": 5000}, callback=lambda xk: seen.append(len(xk)))
        self.assertLess(r.fun, -390)
        self.assertTrue(r.success)
        self.assertEqual(set(seen), {5})

    def test_bounds_and_more(self):
        bounds = scipy_optimize.Bounds([-5] * 5, 5)
        r = scipy_optimize.minimize(valleys, [9.0] * 5, method=untwist.scipy_method, bounds=bounds, tol=1e-3, options={"maxfev": 3000, "disp": False})
        self.assertLessEqual(r.nfev, 3000)
        self.assertTrue(all(-5 <= v <= 5 for v in r.x))
        with self.assertWarnsRegex(RuntimeWarning, "does not use maxiter"):
            scipy_optimize.minimize(bowl, [0.5] * 3, method=untwist.scipy_method, options={"budget": 50, "maxiter": 5})
        r = scipy_optimize.minimize(lambda x, c: bowl(x) + c, [0.5] * 3, (7.0,), method=untwist.scipy_method, options={"budget": 1000})
        self.assertAlmostEqual(r.fun, 7.0)
        self.assertEqual(untwist.minimize(bowl, bounds, budget=100).nfev, 100)
        self.assertEqual(len(untwist.minimize(bowl, scipy_optimize.Bounds(-1, 1), names=["a", "b"], budget=100).x), 2)
        with self.assertRaisesRegex(ValueError, "no other constraints"):
            scipy_optimize.minimize(bowl, [0.5], method=untwist.scipy_method, constraints=[{"type": "eq", "fun": bowl}])
        with self.assertRaisesRegex(TypeError, r"no option buget \(is budget meant\?\); untwist.minimize has start, budget"):
            scipy_optimize.minimize(bowl, [0.5], method=untwist.scipy_method, options={"buget": 3})

    def test_jac_and_callback_that_stops(self):
        def stop(intermediate_result):
            raise StopIteration

        def stop_too(*, intermediate_result):
            raise StopIteration

        for callback in (stop, stop_too):
            r = scipy_optimize.minimize(lambda x: (bowl(x), 2 * x), [0.5] * 3, jac=True, method=untwist.scipy_method, callback=callback)
            self.assertEqual(r.stopped_by, "callback")


class Program(unittest.TestCase):
    def test_command(self):
        def run(*words):
            return subprocess.run([sys.executable, "-m", "untwist", *words], stdout=subprocess.PIPE, stderr=subprocess.PIPE)

        self.assertIn(b"rastrigin", run("problems").stdout)
        self.assertEqual(run("minimize", "--nonsense").returncode, 2)
        done = run("minimize", "--caller")
        self.assertEqual(done.returncode, 2)
        self.assertIn(b"--caller is for programs that start this one", done.stderr)

    def test_typed(self):
        self.assertTrue(os.path.exists(os.path.join(os.path.dirname(untwist.__file__), "py.typed")))
        for thing in (untwist.minimize, untwist.probe, untwist.check, untwist.scipy_method):
            self.assertTrue(thing.__doc__)
            self.assertIn("return", thing.__annotations__)


class Terminal(io.StringIO):
    def isatty(self):
        return True


class Line(unittest.TestCase):
    def setUp(self):
        self.now = 100.0

    def test_rewrites_itself(self):
        class Clock:
            monotonic = staticmethod(lambda: self.now)

        before, _progress.time = _progress.time, Clock
        self.addCleanup(setattr, _progress, "time", before)
        for stays, end in ((False, "\r"), (True, "\n")):
            self.now = 100.0
            out = io.StringIO()
            line = _progress.Line(out, stays)
            line.show("survey", 10, 2000, 1.5, 0)
            self.assertEqual(out.getvalue(), "")  # not before half a second
            self.now += 1
            line.show("survey", 1000, 2000, 1.5, 3)
            self.now += 0.5
            line.answered(499, 1)
            line.answered(1, 0)  # too soon to be written
            self.now += 0.5
            line.show("search", 2000, 2000, 0.5, 3)
            line.end()
            self.assertNotIn("\n", out.getvalue()[:-1])
            parts = out.getvalue().split("\r")
            self.assertEqual(parts[1], "survey  1,000 of 2,000 queries  best 1.5  3 failed  1,000/s")
            self.assertEqual(parts[2].rstrip(), "survey  1,499 of 2,000 queries  best 1.5  4 failed  999/s")
            self.assertEqual(parts[3].rstrip(), "search  2,000 of 2,000 queries  best 0.5  3 failed  1,000/s")
            self.assertTrue(out.getvalue().endswith(end))

    def test_where_somebody_looks(self):
        class Notebook(io.StringIO):
            __module__ = "ipykernel.iostream"

        for out, wanted, shown in ((Terminal(), None, True), (Terminal(), False, False), (io.StringIO(), None, False),
                                   (io.StringIO(), True, True), (Notebook(), None, True), (None, True, False)):
            sys.stderr, before = out, sys.stderr
            try:
                self.assertEqual(_progress.line(wanted) is not None, shown)
            finally:
                sys.stderr = before

    def test_in_a_run(self):
        out = io.StringIO()
        line = _progress.Line(out, True)
        line._shown = 0.0
        sys.stderr, before = out, sys.stderr
        real, _progress.Line = _progress.Line, lambda *_, **__: line
        try:
            untwist.minimize(bowl, BOX, budget=300, progress=True)
        finally:
            sys.stderr, _progress.Line = before, real
        self.assertRegex(out.getvalue(), r"\r.*300 queries  best")


if __name__ == "__main__":
    unittest.main()
