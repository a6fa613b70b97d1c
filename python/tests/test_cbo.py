"""Consensus-based optimisation, its variants and trajectories."""

import unittest

import untwist

from . import bowl

BOX = [(-5, 5)] * 3


def shape(a):
    out = []
    while hasattr(a, "__len__"):
        out.append(len(a))
        a = a[0]
    return tuple(out)


class Trajectories(unittest.TestCase):
    def test_they_are_where_the_function_was_asked(self):
        asked = []

        def f(x):
            asked.append([float(v) for v in x])
            return bowl(x)

        r = untwist.cbo(f, BOX, budget=200, particles=20, ess=0.5, truncate=0.3)
        self.assertEqual(r.strategy, "cbo")
        self.assertEqual(shape(r.trajectories), (10, 20, 3))
        self.assertEqual(shape(r.energies), (10, 20))
        self.assertEqual(shape(r.consensus), (10, 3))
        self.assertEqual(r.steps, list(range(10)))
        for k in range(10):
            for i in range(20):
                self.assertEqual([float(v) for v in r.trajectories[k][i]], asked[20 * k + i])
                self.assertEqual(float(r.energies[k][i]), bowl(asked[20 * k + i]))
            self.assertAlmostEqual(float(r.effective[k]), 10, delta=0.02)
            self.assertGreater(float(r.alpha[k]), 0)
            self.assertGreater(float(r.spread[k]), 0)

    def test_every(self):
        r = untwist.cbo(bowl, BOX, budget=200, particles=20, every=3)
        self.assertEqual(r.steps, [0, 3, 6, 9])
        self.assertEqual(shape(r.trajectories), (4, 20, 3))

    def test_a_budget_that_ends_in_the_first_step(self):
        r = untwist.cbo(bowl, BOX, budget=1, ess=None)
        self.assertEqual((r.nfev, r.steps, len(r.trajectories), len(r.energies)), (1, [], 0, 0))

    def test_equalities_are_rows(self):
        r = untwist.cbo(bowl, BOX, budget=200, equalities=[[1, 1, 0, 1], [0, 0, 1, 0.5]])
        for x in r.trajectories[-1]:
            self.assertAlmostEqual(float(x[0] + x[1]), 1)
            self.assertAlmostEqual(float(x[2]), 0.5)

    def test_several_minimisers(self):
        r = untwist.cbo(lambda x: (x[0] * x[0] - 1) ** 2, [(-2, 2)], budget=8000, particles=40, alpha=10, sigma=2, tau=0.1, polarise=0.2)
        near = {round(float(m["point"][0])) for m in r.minimisers}
        self.assertEqual(near, {-1, 1})

    def test_in_a_frame_and_online(self):
        for strategy in ("transformed", "online"):
            r = untwist.cbo(bowl, start=BOX, budget=3000, strategy=strategy, noise="isotropic")
            self.assertEqual(r.strategy, strategy)
            self.assertEqual(shape(r.trajectories)[1:], (50, 3))

    def test_unknown_variant(self):
        with self.assertRaisesRegex((ValueError, untwist.Error), "unknown key"):
            untwist.cbo(bowl, BOX, budget=200, luck=1)


if __name__ == "__main__":
    unittest.main()
