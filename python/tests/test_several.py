"""Several numbers from one evaluation: outputs, residuals, limits."""

import math
import unittest

import untwist


def beam(x):
    return {"value": x[0] + 2 * x[1], "area": x[0] * x[1], "wide": x[0] - x[1]}


def line(x):
    return [x[0] + x[1] * i - y for i, y in enumerate([1.0, 3.0, 4.0])]


class Constraint:
    """What scipy's LinearConstraint has."""

    def __init__(self, A, lb, ub):
        self.A, self.lb, self.ub = A, lb, ub


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
        self.assertAlmostEqual(r.jac[2][1], 2, places=5)
        self.assertAlmostEqual(r.grad[0], 0, places=5)
        again = untwist.least_squares(line, [0, 0], [(-10, 10)] * 2, budget=200, workers=2)
        self.assertEqual(list(r.x), list(again.x))
        middle = untwist.least_squares(line, bounds=[(-10, 10)] * 2, budget=200)
        self.assertAlmostEqual(middle.sum_of_squares, 1 / 6)


if __name__ == "__main__":
    unittest.main()
