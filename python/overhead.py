#!/usr/bin/env python3
"""Measures what a query costs beyond fun itself, at d = 100: python/overhead.py

The first lines are for batches of 1,000 known points, with nothing but the way there and back.
The last lines are whole runs with everything that the search computes.
"""

import random
import time

import numpy

import untwist

DIM, POINTS = 100, 20000


def fun(x):
    return float(x @ x)


def columns(points):
    return numpy.einsum("ij,ij->j", points, points)


def timed(function):
    """The function, the times at which it was called first and has returned last, and its own time."""
    clock = {"first": None, "last": 0.0, "own": 0.0}

    def timed(x):
        began = time.perf_counter()
        value = function(x)
        clock["last"] = time.perf_counter()
        clock["own"] += clock["last"] - began
        if clock["first"] is None:
            clock["first"] = began
        return value

    return timed, clock


def main():
    draw = random.Random(1)
    known = [[draw.uniform(-5, 5) for _ in range(DIM)] for _ in range(POINTS)]
    bounds = [(-5, 5)] * DIM
    for name, function, options in (("one by one", fun, {}), ("vectorized", columns, {"vectorized": True})):
        f, clock = timed(function)
        result = untwist.minimize(f, bounds, known, budget=POINTS, strategy="cmaes", **options)
        took = clock["last"] - clock["first"] - clock["own"]
        print(f"{name}, in batches of 1,024: {1e6 * took / result.nfev:.1f} µs a query beyond fun")
    for strategy in ("auto", "cbo"):
        f, clock = timed(fun)
        began = time.perf_counter()
        result = untwist.minimize(f, bounds, budget=20000, strategy=strategy)
        took = time.perf_counter() - began - clock["own"]
        each = 1e6 * took / result.nfev
        print(f"a whole run of {strategy}, {result.nfev:,} queries in {result.nit:,} batches: {each:.1f} µs a query beyond fun")


if __name__ == "__main__":
    main()
