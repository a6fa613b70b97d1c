#!/usr/bin/env python3
"""pycma's BIPOP-CMA-ES as a method of untwist compare: pycma=exec:./pycma_optimizer.py"""
import json
import os
import random
import sys

os.environ.setdefault("OMP_NUM_THREADS", "1")  # a grid has runs of its own at the same time
try:
    import cma
except ImportError:
    sys.exit("pycma cannot be imported: pip install cma")

BAD = 1e300  # the value of a point that failed

task = json.loads(sys.stdin.readline())
random.seed(task["seed"])
scale = [(hi - lo) / 2 for lo, hi in zip(task["lower"], task["upper"])]
centre = [(hi + lo) / 2 for lo, hi in zip(task["lower"], task["upper"])]


class Done(Exception):
    """The input has ended: the budget is spent, or the target reached."""


def values(points):
    """Asks for the values of points whose box is [-1, 1]^d."""
    print(json.dumps({"points": [[c + s * v for c, s, v in zip(centre, scale, x)] for x in points]}), flush=True)
    line = sys.stdin.readline()
    if not line:
        raise Done
    told = [BAD if v is None else v for v in json.loads(line)["values"]]
    return told + [BAD] * (len(points) - len(told))  # the last ones may be missing


def start():
    return [random.uniform(-1, 1) for _ in centre]


try:
    # As our own strategy cmaes: a start anywhere in the box, and steps of 0.6 of half its
    # width. No messages: they would go to standard output, where the points go.
    cma.fmin2(None, start, 0.6, parallel_objective=values, restarts=9, bipop=True,
              options={"seed": task["seed"] + 1, "maxfevals": task["budget"], "verbose": -9, "verb_log": 0})
except Done:
    pass
