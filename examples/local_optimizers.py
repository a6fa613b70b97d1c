#!/usr/bin/env python3
"""Local optimisers of scipy and NLopt as methods of untwist compare, each from random points of the start
box again and again until the budget is spent:

    slsqp=exec:./local_optimizers.py slsqp

They take no bounds, as our own strategies without bounds do. Tolerances are as small as makes sense.
"""
import json
import os
import sys

os.environ.setdefault("OMP_NUM_THREADS", "1")  # a grid has runs of its own at the same time
try:
    import numpy
    from scipy.optimize import minimize
except ImportError:
    sys.exit("scipy cannot be imported: apt-get install python3-scipy, or pip install scipy")

BAD = 1e300  # the value of a point that failed

SCIPY = {
    "slsqp": dict(method="SLSQP", options=dict(ftol=1e-14, maxiter=10**6)),
    "l-bfgs-b": dict(method="L-BFGS-B", options=dict(ftol=1e-15, gtol=1e-10, maxiter=10**6, maxfun=10**9, maxcor=10)),
    "powell": dict(method="Powell", options=dict(ftol=1e-12, xtol=1e-9, maxiter=10**6)),
    "cobyla": dict(method="COBYLA", options=dict(tol=1e-9, maxiter=10**6)),
    "nelder-mead": dict(method="Nelder-Mead", options=dict(fatol=1e-12, xatol=1e-9, adaptive=True, maxiter=10**6, maxfev=10**9)),
}
NLOPT = {"bobyqa": "LN_BOBYQA", "newuoa": "LN_NEWUOA"}


class Done(Exception):
    """The input has ended: the budget is spent, or the target reached."""


over = False


def f(x):
    """Asks for the value of a point."""
    global over
    if over:
        raise Done
    if not numpy.all(numpy.isfinite(x)):
        return BAD
    print(json.dumps({"points": [[float(v) for v in x]]}), flush=True)
    line = sys.stdin.readline()
    values = json.loads(line)["values"] if line else []
    if not values:
        over = True
        raise Done
    return BAD if values[0] is None else values[0]


def once(method, x, width):
    """One search from x."""
    if method in SCIPY:
        how = dict(SCIPY[method])
        if method == "cobyla":
            how["options"] = dict(how["options"], rhobeg=0.2 * float(width.min()))
        minimize(f, x, **how)
        return
    import nlopt

    o = nlopt.opt(getattr(nlopt, NLOPT[method]), len(x))
    o.set_min_objective(lambda x, _: f(x))
    o.set_initial_step(0.2 * width)
    o.set_xtol_rel(1e-12)
    try:
        o.optimize(x)
    except (nlopt.RoundoffLimited, RuntimeError, ValueError):
        pass  # it leads no further


def main(method):
    task = json.loads(sys.stdin.readline())
    lower, upper = numpy.array(task["lower"]), numpy.array(task["upper"])
    random = numpy.random.default_rng(task["seed"])
    while not over:
        once(method, random.uniform(lower, upper), upper - lower)


if len(sys.argv) != 2 or sys.argv[1] not in [*SCIPY, *NLOPT]:
    sys.exit("which method? Write one of " + ", ".join([*SCIPY, *NLOPT]) + " after " + sys.argv[0])
try:
    main(sys.argv[1])
except Done:
    pass
