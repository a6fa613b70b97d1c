"""What people expect who know scipy and pandas."""

import functools
import json
import math
import os
import subprocess
import sys
import tempfile
import unittest

import untwist

from . import REPOSITORY, bits, bowl, needs, valleys

try:
    import pandas
except ImportError:
    pandas = None
try:
    import numpy
    from scipy.optimize import Bounds
except ImportError:
    numpy = Bounds = None

BOX = [(-5, 5)] * 3


def rastrigin(x):
    return sum(float(v) ** 2 + 10 - 10 * math.cos(2 * math.pi * float(v)) for v in x)


def by_name(k, depth):
    return (math.log10(k) + 3) ** 2 + (depth - 2) ** 2


class Success(unittest.TestCase):
    def test_budget_and_time_are_no_success(self):
        for options, by in ((dict(budget=40), "budget"), (dict(budget=10**6, time=0.05, strategy="cbo"), "time")):
            r = untwist.minimize(valleys, BOX, **options)
            self.assertEqual((r.stopped_by, r.success, r.converged), (by, False, False))
        r = untwist.minimize(valleys, BOX, budget=3000)
        self.assertEqual((r.stopped_by, r.success, r.converged), ("done", True, True))
        r = untwist.minimize(valleys, BOX, budget=3000, target=-1e9)
        self.assertEqual((r.stopped_by, r.success, r.converged), ("done", False, True))
        self.assertIsNone(r.target_query)
        self.assertNotIn("target_query", untwist.probe(valleys, BOX))

    def test_tolerance_says_that_it_may_be_local(self):
        with self.assertLogs("untwist", "WARNING") as logged:
            r = untwist.minimize(rastrigin, [(-5, 6)] * 4, budget=20000, tolerance=1e-3, strategy="cmaes")
        self.assertGreater(r.fun, 0.9)
        self.assertEqual((r.stopped_by, r.converged), ("tolerance", False))
        self.assertIn("it may be in a local minimum", r.message)
        self.assertIn("maybe in a local minimum", logged.output[0])


class Order(unittest.TestCase):
    def test_scipys(self):
        x0 = [0.5, 0.25, 1.0]
        want = bits(untwist.minimize(bowl, bounds=BOX, x0=x0, budget=100))
        self.assertEqual(bits(untwist.minimize(bowl, BOX, x0, budget=100)), want)
        self.assertEqual(bits(untwist.minimize(bowl, x0, BOX, budget=100)), want)
        self.assertEqual(bits(untwist.minimize(bowl, x0, bounds=BOX, budget=100)), want)
        self.assertEqual(bits(untwist.minimize(bowl, x0, (-5, 5), budget=100)), want)
        self.assertAlmostEqual(untwist.minimize(lambda x, c: bowl(x) + c, x0, (7,), bounds=BOX, budget=1000).fun, 7)
        if Bounds is not None:
            self.assertEqual(bits(untwist.minimize(bowl, numpy.array(x0), Bounds([-5] * 3, [5] * 3), budget=100)), want)

    def test_two_numbers(self):
        ours = untwist.minimize(bowl, bounds=(-5, 5), x0=[[0, 1], [1, 2]], budget=50)
        self.assertEqual(bits(untwist.minimize(bowl, (-5, 5), [[0, 1], [1, 2]], budget=50)), bits(ours))
        theirs = untwist.minimize(bowl, bounds=[(0, 3), (-4, 4)], x0=(2, 1), budget=50)
        self.assertEqual(bits(untwist.minimize(bowl, (2, 1), [(0, 3), (-4, 4)], budget=50)), bits(theirs))
        with self.assertRaisesRegex(ValueError, "Name them: bounds=…, x0=…"):
            untwist.minimize(bowl, (1, 2), [(1, 2), (1, 2)], budget=50)

    def test_scipys_names(self):
        for call, words in ((lambda **k: untwist.minimize(bowl, BOX, **k), {"method": "is strategy meant", "bugdet": "is budget meant", "maxiter": "is budget meant",
                                                                            "options": "are arguments here", "jac": "derivatives are not used", "popsize": "it has bounds, x0",
                                                                            "rng": "is seed meant", "n_trials": "is budget meant", "max_evals": "is budget meant",
                                                                            "n_jobs": "is workers meant", "timeout": "is time meant"}),
                            (lambda **k: untwist.least_squares(bowl, [0, 0], **k), {"max_nfev": "is budget meant"}),
                            (lambda **k: untwist.ask(BOX, **k), {"fun": "it has budget"})):
            for name, hint in words.items():
                with self.assertRaisesRegex(TypeError, f"has no argument {name}; .*{hint}"):
                    call(**{name: 1})
        with self.assertRaisesRegex(ValueError, r"write x0=…"):  # two numbers may be a pair
            untwist.minimize(bowl, [1, 2])

    def test_refused(self):
        for place in ([0.0, 0.0, 0.0], (1.0,)):
            with self.assertRaisesRegex(ValueError, "is a point, and the second argument is bounds.*write x0=…"):
                untwist.minimize(bowl, place)
        self.assertEqual(list(untwist.minimize.__wrapped__.__kwdefaults__)[:2], ["start", "budget"])


class Names(unittest.TestCase):
    BOUNDS = {"k": (1e-6, 1.0), "depth": (0, 5)}

    def test_a_dict(self):
        r = untwist.minimize(by_name, self.BOUNDS, {"depth": 1, "k": 0.1}, scale={"k": "log"}, keywords=True, budget=1000)
        self.assertEqual([p["name"] for p in r.parameters], ["k", "depth"])
        self.assertLess(r.fun, 1e-9)
        same = untwist.minimize(lambda x: by_name(*map(float, x)), [(1e-6, 1.0), (0, 5)], [0.1, 1], names=["k", "depth"], scale=["log", None],
                                budget=1000)
        self.assertEqual(bits(r), bits(same))

    def test_no_limits(self):
        r = untwist.minimize(bowl, {"k": (0, None), "depth": None}, {"k": 1, "depth": 2}, budget=300)
        self.assertLess(r.fun, 1e-9)

    def test_keywords_everywhere(self):
        for options in (dict(workers=2), dict(workers=map)):
            self.assertLess(untwist.minimize(by_name, self.BOUNDS, keywords=True, budget=300, **options).fun, 30)
        self.assertTrue(untwist.check(by_name, self.BOUNDS, keywords=True).usable)
        self.assertEqual(untwist.probe(by_name, self.BOUNDS, keywords=True, budget=300).failed, 0)
        self.assertEqual(untwist.cbo(by_name, self.BOUNDS, keywords=True, budget=100).failed, 0)
        r = untwist.minimize(lambda c, k, depth: by_name(k, depth) + c, self.BOUNDS, args=(7,), keywords=True, budget=1000, scale={"k": "log"})
        self.assertAlmostEqual(r.fun, 7)
        if numpy is not None:
            r = untwist.minimize(lambda k, depth: (numpy.log10(k) + 3) ** 2 + (depth - 2) ** 2, self.BOUNDS, keywords=True, vectorized=True,
                                 scale={"k": "log"}, budget=1000)
            self.assertLess(r.fun, 1e-9)

    def test_refused(self):
        for arguments, words in (
                (dict(bounds=BOX, keywords=True), "keywords: the parameters have no names"),
                (dict(bounds=BOX, x0={"a": 1}), "x0: it has names, and the parameters have none"),
                (dict(bounds=self.BOUNDS, x0={"k": 1}), "x0: there is no value for the parameter 'depth'"),
                (dict(bounds=self.BOUNDS, start={"k": (0, 1), "depth": (0, 1), "d": (0, 1)}), "start: there is no parameter 'd'"),
                (dict(bounds=self.BOUNDS, names=["depth", "k"]), "names: the bounds have names already"),
                (dict(bounds={1: (0, 1)}), "bounds: the keys must be texts")):
            with self.assertRaisesRegex(ValueError, words):
                untwist.minimize(bowl, budget=50, **arguments)

    def test_what_cannot_be_called(self):
        """Said before the first evaluation, with what would help."""
        for call, words in (
                (lambda: untwist.minimize(by_name, self.BOUNDS), r"cannot be called as fun\(x\): .*'depth'; with keywords=True it is called with"),
                (lambda: untwist.minimize(by_name, BOX), r"cannot be called as fun\(x\): [^;]*$"),
                (lambda: untwist.minimize(by_name, BOX, args=(1, 2)), r"cannot be called as fun\(x, …, …\): too many"),
                (lambda: untwist.minimize(bowl, self.BOUNDS, keywords=True), r"cannot be called as fun\(k=…, depth=…\): .*'x'"),
                (lambda: untwist.probe(by_name, self.BOUNDS), "keywords=True"), (lambda: untwist.check(by_name, self.BOUNDS), "keywords=True"),
                (lambda: untwist.least_squares(by_name, bounds=self.BOUNDS), "keywords=True")):
            with self.assertRaisesRegex(TypeError, words):
                call()

        @functools.wraps(by_name)
        def adapted(x):
            return by_name(*x)

        self.assertEqual(untwist.minimize(adapted, self.BOUNDS, budget=30).failed, 0)  # what it wraps has another signature
        self.assertEqual(untwist.minimize(math.dist, [(-5, 5)] * 2, args=((1, 2),), budget=30).failed, 0)

    def test_failures_name_the_parameters(self):
        def f(k, depth):
            raise ArithmeticError("no solution")

        with self.assertRaisesRegex(untwist.Error, r"no solution, at k = [-0-9.e]+ m/s, depth = [0-9.]+$"):
            untwist.minimize(f, self.BOUNDS, keywords=True, units={"k": "m/s"}, budget=100)
        with self.assertRaisesRegex(untwist.Error, r"no solution, at x = \[.*\]$"):
            untwist.minimize(lambda x: f(*x), [(-5, 5)] * 2, budget=100)

    def test_units_and_the_value(self):
        def flow(speed, time, length):
            return (math.log(speed * time / length) - 1) ** 2 + math.sin(math.log(speed)) ** 2 + 0.1 * math.log(length) ** 4

        bounds = {"speed": (0.1, 10), "time": (0.1, 10), "length": (0.1, 10)}
        with tempfile.TemporaryDirectory() as folder:
            page = os.path.join(folder, "flow.html")
            r = untwist.minimize(flow, bounds, keywords=True, scale="log", units={"speed": "m/s", "time": "s", "length": "m"}, value="cost [EUR]",
                                 budget=3000, report=page)
            with open(page, encoding="utf-8") as file:
                text = file.read()
        self.assertEqual([p["unit"] for p in r.parameters], ["m/s", "s", "m"])
        self.assertIn("EUR", text)
        self.assertIn("1 combination is a dimensionless group", text)
        for units, words in (({"q": "m"}, "no coordinate named 'q'"), (["m"], "a list of 3 texts"), ("m", "a list of 3 texts")):
            with self.assertRaisesRegex(ValueError, words):
                untwist.minimize(flow, bounds, keywords=True, units=units)
        with self.assertRaisesRegex(ValueError, r"value: 7, must be a text such as 'cost \[EUR\]'"):
            untwist.minimize(flow, bounds, keywords=True, value=7)

    def test_sensitivity(self):
        r = untwist.minimize(valleys, BOX, budget=2000, sensitivity=True)
        totals = [p["total"] for p in r.sensitivity["parameters"]]
        self.assertEqual(len(totals), 3)
        self.assertTrue(all(0.1 < t < 0.9 for t in totals), totals)
        self.assertNotIn("sensitivity", untwist.minimize(valleys, BOX, budget=50))

    def test_messages_count_from_0(self):
        for arguments, words in (
                (dict(bounds=BOX, x0=[[0, 0, 0], [0, 9, 0]]), r"^x0: point 1 lies outside the bounds; x\[1\]: 9 is not within -5:5$"),
                (dict(bounds=[(-5, 5), (5, -5)]), r"^bounds: x\[1\]: 5:-5"),
                (dict(bounds={"k": (-5, 5), "d": (5, -5)}), "parameter d: min is 5"),
                (dict(x0=[1, -2], scale="log"), r"x0: x\[1\] is -2.0"),
                (dict(x0=[1, -2], names=["k", "d"], scale="log"), "x0: d is -2.0"),
                (dict(bounds=BOX, names=["a", "b", ""]), "parameter 2 has no name"),
                (dict(bounds=[(-5, 5)] * 2, start=[(0, 1), (7, 9)]), r"start: .*x\[1\]: 7:9 is not within")):
            with self.assertRaisesRegex(ValueError, words):
                untwist.minimize(bowl, budget=50, **arguments)
        for arguments, words in ((dict(limits="x[0] + x[7] <= 1"), r"\"x\[0\] \+ x\[7\] <= 1\": there is no parameter x\[7\]"),
                                 (dict(limits="x[0] + x[1] <= 1", x0=[4, 4, 4]), r"violates the limit x\[0\] \+ x\[1\] <= 1"),
                                 (dict(limits="x2 + x4 <= 1", names=["x1", "x2", "x3"]), "there is no parameter x4")):
            with self.assertRaisesRegex(ValueError, words):
                untwist.minimize(bowl, BOX, budget=50, **arguments)
        self.assertEqual(untwist.minimize(bowl, BOX, budget=50, limits="x[0] - x[2] <= 1").limits[0]["limit"], "x[0] - x[2] <= 1")
        r = untwist.minimize(lambda x: (float(x[0]) ** 2 - 1) ** 2 + float(x[1]) ** 2 + 0.1 * float(x[0]), [(-2, 2.1)] * 2, budget=2000)
        self.assertIn("well of component 0 is", r.message)
        r = untwist.minimize(bowl, [(1, 5), (2, 2)], scale=["log", None], budget=300)
        self.assertEqual([p["name"] for p in r.parameters], ["x[0]", "x[1]"])

    @needs("pandas")
    def test_frames(self):
        want = bits(untwist.minimize(by_name, self.BOUNDS, keywords=True, budget=200))
        table = pandas.DataFrame({"high": [1.0, 5.0], "low": [1e-6, 0]}, index=["k", "depth"])
        self.assertEqual(bits(untwist.minimize(by_name, table, keywords=True, budget=200)), want)
        wide = pandas.DataFrame({"k": [1e-6, 1.0], "depth": [0.0, 5.0]}, index=["min", "max"])
        self.assertEqual(bits(untwist.minimize(by_name, wide, keywords=True, budget=200)), want)
        self.assertEqual(bits(untwist.minimize(by_name, pandas.Series(self.BOUNDS), keywords=True, budget=200)), want)
        with self.assertRaisesRegex(ValueError, "needs two columns, low and high"):
            untwist.minimize(by_name, pandas.DataFrame({"a": [1]}), keywords=True)
        column = pandas.DataFrame({"name": ["k", "depth"], "high": [1.0, 5.0], "low": [1e-6, 0]})
        self.assertEqual(bits(untwist.minimize(by_name, column, keywords=True, budget=200)), want)
        with self.assertRaisesRegex(ValueError, "have no names; make them its index, by set_index"):
            untwist.minimize(by_name, column[["low", "high"]], keywords=True)

    @needs("pandas")
    def test_points_with_names(self):
        """Not by their order: a Series has its own."""
        def first(bounds, **options):
            search = untwist.ask(bounds, 50, **options)
            found = [float(v) for v in search.ask(1)[0]]
            search.close()
            return found

        series = pandas.Series({"depth": 3.0, "k": 0.5})
        self.assertEqual(first(self.BOUNDS, x0=series), [0.5, 3.0])
        self.assertEqual(first([(0, 5)] * 2, x0=series), [3.0, 0.5])  # without names there is only the order
        for x0 in (series.to_frame().T, pandas.DataFrame({"depth": [3.0, 4.0], "k": [0.5, 0.25]})):
            self.assertEqual(first(self.BOUNDS, x0=x0), [0.5, 3.0])
        start = pandas.DataFrame({"low": [4.0, 0.125], "high": [4.5, 0.25]}, index=["depth", "k"])
        found = first(self.BOUNDS, start=start)
        self.assertTrue(0.125 <= found[0] <= 0.25 and 4 <= found[1] <= 4.5, found)
        self.assertEqual(untwist.minimize(by_name, series, self.BOUNDS, keywords=True, budget=30).queries(frame=False).x[0].tolist(), [0.5, 3.0])
        with self.assertRaisesRegex(ValueError, "x0: there is no parameter 'd'"):
            first(self.BOUNDS, x0=pandas.Series({"d": 3.0, "k": 0.5}))


class Results(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.result = untwist.minimize(valleys, BOX, budget=2000)

    def test_json(self):
        form = json.loads(self.result.to_json(indent=1))
        self.assertEqual(form["x"], [float(v) for v in self.result.x])
        self.assertEqual(form["structure"]["verdict"], "separable")
        self.assertEqual(len(form["frame"]), 3)
        self.assertEqual(len(form["curve"]), 2)
        self.assertIsNone(json.loads(untwist.OptimizeResult(fun=math.inf).to_json())["fun"])
        self.assertIs(json.loads(untwist.check(valleys, BOX).to_json())["usable"], True)
        self.assertEqual(json.loads(self.result.structure.to_json())["verdict"], "separable")

    def test_limits_without_names(self):
        with tempfile.TemporaryDirectory() as folder:
            page = os.path.join(folder, "run.html")
            r = untwist.minimize(lambda x: float(x[0]) + (float(x[1]) - 1) ** 2, [(-1, 2)] * 2, budget=500, report=page)
            with open(page, encoding="utf-8") as file:
                text = file.read()
        self.assertEqual([(p["name"], p["at"]) for p in r.parameters], [("x[0]", "min"), ("x[1]", "")])
        self.assertIn("x[0]", text)
        self.assertNotIn("x1", text)

    def test_no_private_keys(self):
        self.assertEqual([k for k in self.result if k.startswith("_")], [])

    def test_curve(self):
        queries, best = self.result.curve
        self.assertEqual((len(queries), int(queries[-1]), float(best[-1])), (len(best), self.result.nfev, self.result.fun))
        if numpy is not None:
            self.assertIsInstance(best, numpy.ndarray)

    def test_queries(self):
        seen = []

        def f(x):
            seen.append([float(v) for v in x])
            if len(seen) == 7:
                raise ValueError
            v = valleys(x)
            x[0] = 99  # it is the function's own
            return v

        with tempfile.TemporaryDirectory() as folder:
            for options in (dict(), dict(journal=os.path.join(folder, "run.journal"))):
                seen.clear()
                r = untwist.minimize(f, BOX, budget=300, **options)
                table = r.queries(frame=False)
                self.assertEqual([[float(v) for v in x] for x in table.x], seen)
                self.assertTrue(math.isnan(table.fun[6]))
                self.assertEqual(min(v for v in map(float, table.fun) if v == v), r.fun)
                self.assertEqual(len(table.fun), r.nfev)
        with self.assertRaisesRegex(ValueError, "not the result of a run"):
            untwist.OptimizeResult().queries()

    @needs("pandas")
    def test_queries_with_names(self):
        r = untwist.minimize(by_name, Names.BOUNDS, keywords=True, budget=50)
        table = r.queries()
        self.assertEqual(list(table.columns), ["k", "depth", "value"])
        self.assertEqual(len(table), 50)
        self.assertEqual(table.value.min(), r.fun)
        self.assertEqual(list(self.result.queries().columns), ["x[0]", "x[1]", "x[2]", "value"])


class Data(unittest.TestCase):
    OLD = {"day": ["mon", "tue", "wed", "thu"], "depth": [2.5, 2.0, 9.0, 1.0], "k": [1e-3, 2e-3, 1e-3, 0.5], "value": [0.25, 0.1, -5.0, math.nan]}

    def test_old_evaluations_are_known_points(self):
        want = untwist.minimize(by_name, Names.BOUNDS, [[2e-3, 2.0], [1e-3, 2.5]], keywords=True, budget=100)
        tables = [self.OLD] + ([] if pandas is None else [pandas.DataFrame(self.OLD)])
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "old.csv")
            with open(path, "w") as file:
                file.write("day,depth,k,value\nmon,2.5,1e-3,0.25\ntue,2.0,2e-3,0.1\nwed,9,1e-3,-5\nthu,1,0.5,\n")
            for data in tables + [path]:
                r = untwist.minimize(by_name, Names.BOUNDS, keywords=True, budget=100, data=data)
                self.assertEqual(bits(r), bits(want))
        search = untwist.ask(Names.BOUNDS, 100, data=self.OLD)
        self.assertEqual([float(v) for v in search.ask(1)[0]], [2e-3, 2.0])
        search.close()

    def test_of_an_earlier_run(self):
        first = untwist.minimize(valleys, BOX, budget=200)
        table = first.queries(frame=False)
        columns = dict({f"x[{i}]": [x[i] for x in table.x] for i in range(3)}, value=table.fun)
        seen = []
        untwist.minimize(lambda x: seen.append([float(v) for v in x]) or valleys(x), BOX, budget=100, data=columns)
        self.assertEqual(seen[0], [float(v) for v in first.x])

    def test_refused(self):
        for data, words in (({"k": [1.0], "value": [2.0]}, "^data: it has no parameter depth"), ({"k": [1], "depth": []}, "different lengths"),
                            (7, "data: 7, must be the path"), ({"k": [1], "depth": [1], "a": [1], "b": [1]}, "^data: which column has the values")):
            with self.assertRaisesRegex(ValueError, words):
                untwist.minimize(by_name, Names.BOUNDS, keywords=True, budget=50, data=data)


class Optuna(unittest.TestCase):
    @needs("optuna")
    def test_sampler(self):
        for jobs in ("1", "3"):
            out = subprocess.run([sys.executable, os.path.join(REPOSITORY, "examples", "optuna_sampler.py"), jobs], stdout=subprocess.PIPE, check=True)
            self.assertRegex(out.stdout.decode(), r"^best 0\.000000 after \d+ trials: separable\n$")


if __name__ == "__main__":
    unittest.main()
