"""Several numbers from one evaluation: outputs, residuals, limits."""

import math
import os
import random
import signal
import tempfile
import unittest

import untwist

from . import bits, clean, needs, script
from .test_ask import play


def beam(x):
    return {"value": x[0] + 2 * x[1], "area": x[0] * x[1], "wide": x[0] - x[1]}


def line(x):
    return [x[0] + x[1] * i - y for i, y in enumerate([1.0, 3.0, 4.0])]


class Constraint:
    """What scipy's LinearConstraint has."""

    def __init__(self, A, lb, ub):
        self.A, self.lb, self.ub = A, lb, ub


def sides(x):
    """beam of many points at once."""
    return {"value": [a + 2 * b for a, b in zip(x[0], x[1])], "area": [a * b for a, b in zip(x[0], x[1])], "wide": [a - b for a, b in zip(x[0], x[1])]}


def lines(x):
    return [[a + b * i - y for a, b in zip(x[0], x[1])] for i, y in enumerate([1.0, 3.0, 4.0])]


BEAM = dict(bounds=[(0.1, 5)] * 2, budget=150, outputs={"area": (2, None), "wide": None}, limits=["x[0] - x[1] <= 3"], seed=2)
LINE = dict(x0=[0.0, 0.0], bounds=[(-10, 10)] * 2, budget=120, seed=2)


class AskAndTell(clean.Clean):
    """The same bits as minimize and least_squares, out of order, killed and resumed."""

    def test_outputs(self):
        alone = untwist.minimize(beam, **BEAM)
        told = play(untwist.ask(**BEAM), beam, random.Random(5))
        self.assertEqual(bits(told), bits(alone))
        self.assertEqual((told.outputs, told.limits, told.feasible), (alone.outputs, alone.limits, alone.feasible))
        self.assertEqual(list(told.queries(frame=False).outputs["area"]), list(alone.queries(frame=False).outputs["area"]))
        more = play(untwist.ask([(-1, 2)] * 2, 200, maximize=True), lambda x: 3 - x[0] ** 2 - x[1] ** 2, random.Random(5))
        self.assertEqual(bits(more), bits(untwist.minimize(lambda x: 3 - x[0] ** 2 - x[1] ** 2, [(-1, 2)] * 2, budget=200, maximize=True)))

    def test_residuals(self):
        alone = untwist.least_squares(line, **LINE)
        told = play(untwist.ask(residuals=3, **LINE), line, random.Random(5))
        for key in ("x", "fun", "stderr", "jac"):
            self.assertEqual(str(told[key]), str(alone[key]), key)
        self.assertEqual((told.cost, told.nfev), (alone.cost, alone.nfev))
        both = dict(LINE, outputs={"slope": {"max": 1, "within": 1e-9}})
        f = lambda x: {"residuals": line(x), "slope": x[1]}
        alone, told = untwist.least_squares(f, **both), play(untwist.ask(residuals=3, **both), f, random.Random(1))
        self.assertEqual([list(told.x), told.cost, told.nfev, told.outputs], [list(alone.x), alone.cost, alone.nfev, alone.outputs])
        self.assertTrue(alone.feasible and alone.outputs["slope"]["active"])

    def test_manners(self):
        search = untwist.ask(**BEAM)
        points = search.ask(4)
        with self.assertRaisesRegex(ValueError, r"^values\[0\]: no area"):
            search.tell(points[0], {"value": 1.0})
        with self.assertRaisesRegex(TypeError, r"^values\[0\]: 1.0, has to be a dict"):
            search.tell(points[0], 1.0)
        with self.assertRaisesRegex(TypeError, r"^values\[1\]: 'much' is not a number"):
            search.tell(points[:2], [beam(points[0]), dict(beam(points[1]), area="much")])
        search.tell(points, [math.nan, None, beam(points[2]), ValueError("mine")])
        self.assertEqual((search.result().nfev, len(search.out)), (4, 0))
        search.close()
        self.assertEqual(search.result().failed, 3)
        with self.assertRaisesRegex(ValueError, "residuals"):
            untwist.ask([(0, 1)], 100, residuals=0)

    RUN = """
import os, random, signal, sys, untwist
from tests import test_several as t
mine = dict(t.BEAM) if sys.argv[1] == "beam" else dict(t.LINE, residuals=3)
f = t.beam if sys.argv[1] == "beam" else t.line
search = untwist.ask(journal=sys.argv[2], **mine)
luck, told = random.Random(int(sys.argv[3])), 0
while not search.done:
    points = list(search.ask())
    luck.shuffle(points)
    for x in points:
        search.tell([x], [f(x)])
        told += 1
        if told == int(sys.argv[3]):
            os.kill(os.getpid(), signal.SIGKILL)
print(told, search.result().resumed)
"""

    def test_killed_and_resumed(self):
        for name, alone in (("beam", untwist.minimize(beam, **BEAM)), ("line", untwist.least_squares(line, **LINE))):
            with tempfile.TemporaryDirectory() as folder:
                journal = os.path.join(folder, "run.journal")
                for told in ("7", "11"):
                    child = script(self.RUN, name, journal, told)
                    child.communicate()
                    self.assertEqual(child.returncode, -signal.SIGKILL)
                out, _ = script(self.RUN, name, journal, "0").communicate()
                told, resumed = map(int, out.split())
                self.assertEqual(told + resumed, alone.nfev)
                self.assertGreater(resumed, 0)
                again = untwist.ask(journal=journal, **(BEAM if name == "beam" else dict(LINE, residuals=3))).result()
                self.assertEqual([list(again.x), again.nfev], [list(alone.x), alone.nfev])
                kept, was = again.queries(frame=False), alone.queries(frame=False)
                self.assertEqual([list(kept.fun), {k: list(v) for k, v in kept.outputs.items()}], [list(was.fun), {k: list(v) for k, v in was.outputs.items()}])

    def test_vectorized(self):
        self.assertEqual(bits(untwist.minimize(sides, vectorized=True, **BEAM)), bits(untwist.minimize(beam, **BEAM)))
        many, one = untwist.least_squares(lines, vectorized=True, **LINE), untwist.least_squares(line, **LINE)
        self.assertEqual([list(many.x), many.cost, many.nfev], [list(one.x), one.cost, one.nfev])
        with self.assertRaisesRegex(untwist.Error, "no area"):
            untwist.minimize(lambda x: {"value": x[0]}, vectorized=True, **BEAM)

    @needs("pandas")
    def test_table(self):
        table = untwist.minimize(beam, **BEAM).queries()
        self.assertEqual(list(table.columns), ["x[0]", "x[1]", "value", "area", "wide"])
        self.assertEqual(list(table["area"]), list(table["x[0]"] * table["x[1]"]))

    def test_check(self):
        said = str(untwist.check(beam, BEAM["bounds"], outputs=BEAM["outputs"]))
        self.assertIn("area", said)
        self.assertIn("usable", untwist.check(line, LINE["bounds"], residuals=3))


class SeveralTest(unittest.TestCase):
    def test_outputs(self):
        one = untwist.minimize(beam, bounds=[(0.1, 5)] * 2, budget=200, outputs={"area": (2, None), "wide": None})
        self.assertAlmostEqual(one.fun, 4, places=4)
        self.assertTrue(one.feasible)
        self.assertTrue(one.outputs["area"]["active"])
        self.assertAlmostEqual(one.outputs["area"]["multiplier"], 1, places=2)
        two = untwist.minimize(beam, bounds=[(0.1, 5)] * 2, budget=200, outputs={"area": (2, None), "wide": None}, workers=2)
        self.assertEqual([list(one.x), one.fun, one.nfev], [list(two.x), two.fun, two.nfev])

    def test_missing_output(self):
        with self.assertRaises(untwist.Error) as caught:
            untwist.minimize(lambda x: {"value": 1.0}, bounds=[(0, 1)] * 2, budget=60, outputs={"area": (2, None)})
        self.assertIn("no area", str(caught.exception))

    def test_limits(self):
        def f(x):
            self.assertLessEqual(x[0] + x[1], 1 + 1e-9)
            return (x[0] - 1) ** 2 + (x[1] - 2) ** 2

        a = untwist.minimize(f, bounds=[(-3, 3)] * 2, budget=150, limits=["x[0] + x[1] <= 1"])
        self.assertAlmostEqual(a.fun, 2, places=5)
        b = untwist.minimize(f, bounds=[(-3, 3)] * 2, budget=150, limits=Constraint([[1.0, 1.0]], -math.inf, 1.0))
        self.assertEqual([list(a.x), a.fun], [list(b.x), b.fun])

    def test_maximize(self):
        r = untwist.minimize(lambda x: 3 - x[0] ** 2 - x[1] ** 2, bounds=[(-1, 2)] * 2, budget=300, maximize=True)
        self.assertAlmostEqual(r.fun, 3, places=6)

    def test_least_squares(self):
        r = untwist.least_squares(line, [0, 0], [(-10, 10)] * 2, budget=200)
        self.assertAlmostEqual(r.sum_of_squares, 1 / 6)
        self.assertAlmostEqual(r.cost, 1 / 12)
        self.assertEqual(len(r.fun), 3)
        self.assertAlmostEqual(r.stderr[0], math.sqrt(5 / 36), places=5)
        self.assertAlmostEqual(r.cov[0][1], -3 / 36, places=5)
        self.assertAlmostEqual(r.correlations[0][1], -3 / math.sqrt(15), places=5)
        self.assertAlmostEqual(r.jac[2][1], 2, places=5)
        self.assertAlmostEqual(r.grad[0], 0, places=5)
        again = untwist.least_squares(line, [0, 0], [(-10, 10)] * 2, budget=200, workers=2)
        self.assertEqual(list(r.x), list(again.x))
        middle = untwist.least_squares(line, bounds=[(-10, 10)] * 2, budget=200)
        one = untwist.least_squares(lambda x: x[0] - 1, [3.0], budget=50)  # a number, as with scipy
        self.assertAlmostEqual(one.x[0], 1)
        self.assertEqual((len(one.fun), len(one.jac)), (1, 1))
        self.assertAlmostEqual(middle.sum_of_squares, 1 / 6)

    def test_scipys_bounds(self):
        want = list(untwist.least_squares(line, [0, 0], [(-10, 10)] * 2, budget=60).x)
        for bounds in (([-10, -10], [10, 10]), (-10, [10, 10]), ((-10, 10), (-10, 10)), (-10, 10)):  # two dimensions: two pairs look the same
            self.assertEqual(list(untwist.least_squares(line, [0, 0], bounds, budget=60).x), want, bounds)
        with self.assertRaisesRegex(ValueError, "two pairs, or scipy's lows and highs"):
            untwist.least_squares(line, [1, 15], ([0, 5], [10, 20]))
        three = lambda x: [x[0] - 1, x[1] - 2, x[2]]
        self.assertEqual([round(float(v), 6) for v in untwist.least_squares(three, [1, 1, 1], ([0, 0, 0], [9, 1.5, 9]), budget=60).x], [1, 1.5, 0])

    def test_limits_refused(self):
        class Curved:
            fun = None

        for limits, words in ((Curved(), "is returned by fun, as an output with limits"), (5, "limits: 5, must be a text")):
            with self.assertRaisesRegex(ValueError, words):
                untwist.minimize(beam, [(0, 5)] * 2, budget=50, limits=limits)


if __name__ == "__main__":
    unittest.main()
