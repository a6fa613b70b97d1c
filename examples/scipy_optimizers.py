#!/usr/bin/env python3
"""Global optimisers of scipy as methods of untwist compare:

    de=exec:./scipy_optimizers.py differential_evolution
    da=exec:./scipy_optimizers.py dual_annealing

They need bounds. A number after the name says how many times as wide as the start box these
are; without it, they are the start box. The search starts in the start box in any case.
"""
import json
import os
import sys

os.environ.setdefault("OMP_NUM_THREADS", "1")  # a grid has runs of its own at the same time
try:
    import numpy
    from scipy.optimize import differential_evolution, dual_annealing
    from scipy.stats import qmc
except ImportError:
    sys.exit("scipy cannot be imported: apt-get install python3-scipy, or pip install scipy")

BAD = 1e300  # the value of a point that failed; scipy cannot compute with infinities


class Done(Exception):
    """The input has ended: the budget is spent, or the target reached."""


def f(x):
    """Asks for the value of a point. scipy calls a function; untwist is asked."""
    print(json.dumps({"points": [x.tolist()]}), flush=True)
    line = sys.stdin.readline()
    if not line:
        raise Done
    value = json.loads(line)["values"][0]
    return BAD if value is None else value


def minimise(method, width, task):
    """One search after another, until the budget is spent. All settings that are not here are
    scipy's own, but for limits of iterations and calls that would end a search too soon."""
    lower, upper = numpy.array(task["lower"]), numpy.array(task["upper"])
    centre, reach = (lower + upper) / 2, (upper - lower) / 2
    bounds = list(zip(centre - width * reach, centre + width * reach))
    random = numpy.random.default_rng(task["seed"])
    while True:
        if method == "dual_annealing":
            dual_annealing(f, bounds, x0=random.uniform(lower, upper), seed=random,
                           maxiter=task["budget"], maxfun=2 * task["budget"])
        else:
            # The first population is as scipy draws it, but from the start box.
            cube = qmc.LatinHypercube(task["dim"], seed=random).random(max(5, 15 * task["dim"]))
            differential_evolution(f, bounds, init=lower + cube * (upper - lower), seed=random,
                                   maxiter=task["budget"])


methods = ["differential_evolution", "dual_annealing"]
if len(sys.argv) not in (2, 3) or sys.argv[1] not in methods:
    sys.exit("which method? Write one of " + ", ".join(methods) + " after " + sys.argv[0])
try:
    times = float(sys.argv[2]) if len(sys.argv) == 3 else 1
except ValueError:
    times = 0
if not times >= 1:
    sys.exit(f"{sys.argv[2]} after {sys.argv[1]}: how many times as wide as the start box? A number, at least 1")
try:
    minimise(sys.argv[1], times, json.loads(sys.stdin.readline()))
except Done:
    pass
