"""Integers, steps and choices."""

import os
import tempfile
import unittest

import untwist

from . import needs

BOUNDS = {"a": (-1, 1), "n": (1, 20), "t": (0.5, 3)}
KINDS = dict(integer=["n"], step={"t": 0.25}, choices={"material": ["copper", "steel", "aluminium"]}, budget=200)
PRICE = {"copper": 3, "steel": 1, "aluminium": 2}


def f(x):
    a, n, t, material = x
    assert isinstance(n, int) and t * 4 == int(t * 4), x
    return (a - 0.3) ** 2 + (n - 7) ** 2 + (t - 1.25) ** 2 + PRICE[material]


def by_name(a, n, t, material):
    return f([a, n, t, material])


class IntegersTest(unittest.TestCase):
    def test_same_by_every_door(self):
        one = untwist.minimize(f, BOUNDS, **KINDS)
        self.assertEqual(one.x[1:], [7, 1.25, "steel"])
        self.assertEqual(one.failed, 0)
        self.assertEqual(one.parameters[3]["value"], "steel")
        for other in (
            untwist.minimize(by_name, BOUNDS, keywords=True, **KINDS),
            untwist.minimize(f, BOUNDS, workers=2, **KINDS),
            untwist.minimize(f, [(-1, 1), (1, 20), (0.5, 3)], **dict(KINDS, integer=[1], step={2: 0.25})),
        ):
            self.assertEqual([one.x, one.fun, one.nfev], [other.x, other.fun, other.nfev])

    def test_ask(self):
        one, search = untwist.minimize(f, BOUNDS, **KINDS), untwist.ask(BOUNDS, **KINDS)
        while not search.done:
            points = search.ask()
            search.tell(points, [f(x) for x in points])
        self.assertEqual(one.x, search.result().x)

    def test_journal_and_known_point(self):
        with tempfile.TemporaryDirectory() as folder:
            first = untwist.minimize(f, BOUNDS, x0=[0, 3, 1, "copper"], journal=folder + "/run.journal", **KINDS)
            again = untwist.minimize(f, BOUNDS, x0={"a": 0, "n": 3, "t": 1, "material": "copper"}, journal=folder + "/run.journal", **KINDS)
            self.assertEqual([first.x, first.nfev], [again.x, again.resumed])

    def test_wrong(self):
        for kinds, words in (
            (dict(integer=["q"]), "integer: there is no coordinate 'q'"),
            (dict(step={"t": 0.3}), "step 0.3 does not divide the range"),
            (dict(choices={"m": ["a"]}), "fewer than two choices"),
            (dict(choices={"m": "ab"}), "must be a list of texts"),
            (dict(choices={"m": ["a", "b"]}, x0=[0, 1, 1, "c"]), "'c' is none of a, b"),
        ):
            with self.assertRaises(ValueError) as caught:
                untwist.minimize(f, BOUNDS, budget=20, **kinds)
            self.assertIn(words, str(caught.exception))

    @needs("pandas")
    def test_queries_have_words(self):
        bounds, choices = {"n": (0, 9)}, {"m": ["a", "b"]}
        f = lambda n, m: (n - 2) ** 2 + (m == "b")
        with tempfile.TemporaryDirectory() as folder:
            for options in (dict(), dict(journal=os.path.join(folder, "run.journal"))):
                r = untwist.minimize(f, bounds, choices=choices, integer=["n"], keywords=True, budget=50, **options)
                table = r.queries()
                self.assertEqual(set(table.m), {"a", "b"})
                self.assertTrue(all(v == f(n, m) and isinstance(n, int) for n, m, v in zip(table.n.tolist(), table.m, table.value)))
                self.assertEqual(r.x, [2, "a"])
        again = untwist.ask(bounds, 50, choices=choices, integer=["n"], data=table)
        self.assertEqual(list(again.ask(1)[0]), [2, "a"])
        again.close()

    def test_all_points_asked(self):
        """It is no tolerance that ends a run in which nothing is left to ask."""
        r = untwist.minimize(lambda x: (x[0] - 2) ** 2 + x[1], [(0, 4), (0, 3)], integer=[0, 1], budget=100)
        self.assertEqual((r.x, r.stopped_by, r.converged, r.success), ([2, 0], "done", True, True))
        self.assertLess(r.nfev, 30)
        self.assertIn("points that were asked before", r.message)


if __name__ == "__main__":
    unittest.main()
