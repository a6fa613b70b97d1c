#!/usr/bin/env python3
"""Global optimisers of scipy as methods of untwist compare:

    de=exec:./scipy_optimizers.py differential_evolution
    da=exec:./scipy_optimizers.py dual_annealing
"""
import json
import math
import os
import sys

os.environ.setdefault("OMP_NUM_THREADS", "1")  # a grid has runs of its own at the same time
try:
    from scipy.optimize import differential_evolution, dual_annealing
except ImportError:
    sys.exit("scipy cannot be imported: apt-get install python3-scipy, or pip install scipy")

BAD = 1e300  # the value of a point that failed; scipy cannot compute with infinities


class Done(Exception):
    """The input has ended: the budget is spent, or the target reached."""


def values(points):
    """Asks for the values of points. scipy calls a function; untwist is asked."""
    print(json.dumps({"points": points}), flush=True)
    line = sys.stdin.readline()
    if not line:
        raise Done
    told = [BAD if v is None else v for v in json.loads(line)["values"]]
    return told + [BAD] * (len(points) - len(told))  # the last ones may be missing


def f(x):
    return values([[float(v) for v in x]])[0]


def generation(x):
    """Differential evolution asks for a whole population at once: d rows, n columns."""
    return values(x.T.tolist())


def minimise(method, task):
    bounds = list(zip(task["lower"], task["upper"]))
    if method == "dual_annealing":
        dual_annealing(f, bounds, seed=task["seed"], maxiter=task["budget"], maxfun=task["budget"])
        return
    generations = math.ceil(task["budget"] / (15 * task["dim"]))
    differential_evolution(generation, bounds, seed=task["seed"], maxiter=generations, popsize=15,
                           tol=0, atol=0, polish=False, vectorized=True, updating="deferred")


methods = ["differential_evolution", "dual_annealing"]
if len(sys.argv) != 2 or sys.argv[1] not in methods:
    sys.exit("which method? Write one of " + ", ".join(methods) + " after " + sys.argv[0])
try:
    minimise(sys.argv[1], json.loads(sys.stdin.readline()))
except Done:
    pass
