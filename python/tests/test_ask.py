"""Searches that are asked and told: the same bits as minimize."""

import math
import os
import random
import re
import signal
import subprocess
import sys
import tempfile
import threading
import unittest

import untwist

from . import bits, bowl, clean, needs, script, valleys

BOX = [(-5, 5)] * 3


def play(search, f, luck):
    """Tells the values of a search out of order, in parts."""
    while not search.done:
        points = list(search.ask(luck.randint(1, 9)))
        luck.shuffle(points)
        part = luck.randint(0, len(points))
        search.tell(points[:part], [f(x) for x in points[:part]])
        late = points[part:] + list(search.ask(3))
        for x in late:
            search.tell(x, f(x))
    return search.result()


class Bits(clean.Clean):
    def test_all_strategies(self):
        text = subprocess.run([sys.executable, "-m", "untwist", "minimize", "--help"], stdout=subprocess.PIPE, check=True).stdout.decode()
        strategies = re.search(r"--strategy string +one of ([a-z, -]+)", text).group(1).strip().split(", ")
        self.assertGreaterEqual(len(strategies), 7)
        for strategy in strategies:
            options = dict(start=BOX, budget=1200, strategy=strategy, seed=3)
            alone = untwist.minimize(valleys, **options)
            batches = untwist.ask(**options)
            while not batches.done:
                points = batches.ask()
                batches.tell(points, [valleys(x) for x in points])
            told = play(untwist.ask(**options), valleys, random.Random(7))
            for other in (batches.result(), told):
                self.assertEqual(bits(other), bits(alone), strategy)
                self.assertEqual((other.message, other.success), (alone.message, alone.success))

    def test_as_minimize(self):
        options = dict(bounds={"k": (1e-3, 1), "depth": (-5, 5)}, budget=300, scale={"k": "log"}, x0={"k": 0.5, "depth": 1})
        alone = untwist.minimize(bowl, **options)
        told = play(untwist.ask(**options), bowl, random.Random(1))
        self.assertEqual(bits(told), bits(alone))
        self.assertEqual([p["name"] for p in told.parameters], ["k", "depth"])
        self.assertEqual(list(told.queries(frame=False).fun), list(alone.queries(frame=False).fun))

    RUN = """
import os, random, signal, sys, untwist
from tests import valleys
search = untwist.ask([(-5, 5)] * 3, 1200, journal=sys.argv[1])
luck, told = random.Random(int(sys.argv[2])), 0
while not search.done:
    points = list(search.ask())
    luck.shuffle(points)
    for x in points:
        search.tell([x], [valleys(x)])
        told += 1
        if told == int(sys.argv[2]):
            os.kill(os.getpid(), signal.SIGKILL)
print(told, search.result().resumed)
"""

    def test_killed_and_resumed(self):
        alone = bits(untwist.minimize(valleys, BOX, budget=1200))
        with tempfile.TemporaryDirectory() as folder:
            journal = os.path.join(folder, "run.journal")
            for told in ("90", "131", "45"):  # within batches
                child = script(self.RUN, journal, told)
                child.communicate()
                self.assertEqual(child.returncode, -signal.SIGKILL)
            out, _ = script(self.RUN, journal, "0").communicate()
            told, resumed = map(int, out.split())
            self.assertEqual(told + resumed, alone[2])
            self.assertGreater(resumed, 200)  # of 266: some may have been on their way when it was killed
            again = untwist.ask(BOX, 1200, journal=journal)
            self.assertTrue(again.done)
            self.assertEqual(bits(again.result()), alone)
            self.assertEqual(len(again.result().queries(frame=False).fun), alone[2])
            with self.assertRaisesRegex(untwist.Error, "is the journal of another run"):
                untwist.ask(BOX, 1200, journal=journal, seed=1)


class Manners(clean.Clean):
    def test_parts(self):
        search = untwist.ask(BOX, 300, [[0, 0, 0], [1, 1, 1], [1, 1, 1], [2, 2, 2]], strategy="cmaes")
        first = search.ask(3)
        self.assertEqual([[float(v) for v in x] for x in first], [[0, 0, 0], [1, 1, 1], [1, 1, 1]])
        with self.assertRaisesRegex(ValueError, r"points\[1\] is none of those that are out"):
            search.tell([first[0], [2, 2, 2]], [1, 2])
        search.tell([first[2], first[0]], [9.0, None])
        self.assertEqual([[float(v) for v in x] for x in search.out], [[1, 1, 1]])
        so_far = search.result()
        self.assertEqual((so_far.fun, list(so_far.x), so_far.nfev, so_far.success), (9.0, [1, 1, 1], 2, False))
        search.tell(first[1], 9)
        with self.assertRaisesRegex(ValueError, "its value was told before"):
            search.tell(first[1], 9)
        with self.assertRaisesRegex(ValueError, "1 values for 2 points"):
            search.tell(first[:2], [1])
        with self.assertRaisesRegex(TypeError, "'much' is not a number"):
            search.tell(search.ask(1), ["much"])
        search.tell([[2, 2, 2]], [ZeroDivisionError("mine")])
        search.close()
        self.assertTrue(search.done)
        self.assertEqual(len(search.ask()), 0)
        search.tell([[7, 7, 7]], [1])  # too late
        result = search.result()
        self.assertEqual((result.stopped_by, result.success, result.nfev, result.failed), ("closed", False, 4, 2))
        self.assertEqual(result.first_failure, "no value")

    def test_before_the_first_value(self):
        with untwist.ask(BOX, 300) as search:
            self.assertEqual(search.result().budget, 300)
            search.tell(search.ask(2), [1, 2])
            self.assertEqual(repr(search), "<untwist.Search: 2 of 300 evaluations>")
        self.assertEqual(repr(search), "<untwist.Search: 2 of 300 evaluations, done>")
        with untwist.ask(BOX) as search:
            self.assertEqual(search.result().budget, 4500)

    def test_points_with_names(self):
        names = ["k", "depth"]
        with untwist.ask({"k": (0, 1), "depth": (0, 5)}, 300) as search:
            a, b, c = (dict(zip(names, map(float, x))) for x in search.ask(3))
            search.tell([{"depth": b["depth"], "k": b["k"]}, a], [2.0, 1.0])
            search.tell(c, 3.0)
            self.assertEqual((len(search.out), search.result().nfev, search.result().fun, dict(zip(names, map(float, search.result().x)))), (0, 3, 1.0, a))
            search.ask(1)
            with self.assertRaisesRegex(ValueError, "points: there is no value for the parameter 'depth'"):
                search.tell([{"k": 1}], [2.0])

    @needs("pandas")
    def test_tables_of_points(self):
        import pandas
        with untwist.ask({"k": (0, 1), "depth": (0, 5)}, 300) as search:
            table = pandas.DataFrame(search.ask(3), columns=["k", "depth"])
            search.tell(table[["depth", "k"]], pandas.Series([3.0, 1.0, 2.0]))
            self.assertEqual(search.result().fun, 1.0)
            self.assertEqual([float(v) for v in search.result().x], table.iloc[1].tolist())
            search.tell(pandas.DataFrame(search.ask(1), columns=["k", "depth"]).iloc[0], 0.5)
            self.assertEqual(search.result().fun, 0.5)

    def test_ends(self):
        with self.assertRaisesRegex(ValueError, "strategy"):
            untwist.ask(BOX, 300, strategy="luck")
        with untwist.ask(BOX, 1000) as search:
            points = search.ask()
            with self.assertRaisesRegex(untwist.Error, "failed"):
                while not search.done:
                    search.tell(points, [math.nan] * len(points))
                    points = search.ask()
        with self.assertRaises(untwist.Error):
            search.result()
        search = untwist.ask(BOX, 1000)
        search.ask()
        del search  # forgotten: tearDown sees that nothing is left

    def test_time(self):
        search = untwist.ask(BOX, 1000, time=0.2)
        search.ask()
        while not search.done:
            threading.Event().wait(0.01)
        search.close()

    def test_target(self):
        found = play(untwist.ask(BOX, 3000, target=1.0), bowl, random.Random(2))
        self.assertEqual((found.stopped_by, found.success, found.converged), ("target", True, False))


if __name__ == "__main__":
    unittest.main()
