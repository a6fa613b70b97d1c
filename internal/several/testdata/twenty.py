"""Twenty problems with limits, d = 5, 10 and 20: linear and nonlinear ones, active and inactive, equations.

A problem has bounds, f(x) → (value, outputs), limits of the outputs, and linear limits row·x ≤ right or
row·x = right. Those called HS are of W. Hock and K. Schittkowski, Test Examples for Nonlinear Programming Codes,
1981; G2 and G3 are of Z. Michalewicz and M. Schoenauer, "Evolutionary algorithms for constrained parameter
optimization problems", 1996. The first of each pair of problems (even index) may be looked at while the search is
changed; the others are held out, and are run once at the end.
"""
from dataclasses import dataclass, field
from typing import Callable

import numpy as np
from numpy import array, cos, log, prod, sin, sqrt

INF = float("inf")


@dataclass
class Problem:
    name: str
    lo: np.ndarray
    hi: np.ndarray
    f: Callable
    sides: list = field(default_factory=list)  # (low, high) of each output
    rows: list = field(default_factory=list)  # (coefficients, low, high) of each linear limit
    least: float = -INF  # with all limits kept to exactly, where that is published

    @property
    def dim(self):
        return len(self.lo)


def box(d, lo, hi):
    return dict(lo=np.full(d, float(lo)), hi=np.full(d, float(hi)))


def plain(f):
    """A function without outputs."""
    return lambda x: (f(x), [])


# Colville's first problem, HS86.
E86 = array([-15, -27, -36, -18, -12.])
C86 = array([[30, -20, -10, 32, -10], [-20, 39, -6, -31, 32], [-10, -6, 10, -6, -10], [32, -31, -6, 39, -20], [-10, 32, -10, -20, 30.]])
D86 = array([4, 8, 10, 6, 2.])
A86 = array([[-16, 2, 0, 1, 0], [0, -2, 0, .4, 2], [-3.5, 0, 2, 0, 0], [0, -2, 0, -4, -1], [0, -9, -2, 1, -2.8], [2, 0, -4, 0, 0],
             [-1, -1, -1, -1, -1], [-1, -2, -3, -2, -1], [1, 2, 3, 4, 5], [1, 1, 1, 1, 1.]])
B86 = array([-40, -2, -.25, -4, -4, -1, -40, -60, 5, 1.])


def hs83(x):
    a, b, c, d, e = x
    return 5.3578547 * c * c + 0.8356891 * a * e + 37.293239 * a - 40792.141, [
        85.334407 + 0.0056858 * b * e + 0.0006262 * a * d - 0.0022053 * c * e,
        80.51249 + 0.0071317 * b * e + 0.0029955 * a * b + 0.0021813 * c * c,
        9.300961 + 0.0047026 * c * e + 0.0012547 * a * c + 0.0019085 * c * d]


def hs77(x):
    a, b, c, d, e = x
    return (a - 1) ** 2 + (a - b) ** 2 + (c - 1) ** 2 + (d - 1) ** 4 + (e - 1) ** 6, [a * a * d + sin(d - e), b + c**4 * d * d]


def hs78(x):
    a, b, c, d, e = x
    return prod(x), [x @ x, b * c - 5 * d * e, a**3 + b**3]


def hs79(x):
    a, b, c, d, e = x
    return (a - 1) ** 2 + (a - b) ** 2 + (b - c) ** 2 + (c - d) ** 4 + (d - e) ** 4, [a + b * b + c**3, b - c * c + d, a * e]


def hs53(x):
    a, b, c, d, e = x
    return (a - b) ** 2 + (b + c - 2) ** 2 + (d - 1) ** 2 + (e - 1) ** 2


def cantilever(x):
    """A beam of five steps, with the deflection of its end (Svanberg, 1987)."""
    return 0.0624 * x.sum(), [array([61, 37, 19, 7, 1.]) @ x**-3.0]


def hs113(x):
    a, b, c, d, e, f, g, h, i, j = x
    value = (a * a + b * b + a * b - 14 * a - 16 * b + (c - 10) ** 2 + 4 * (d - 5) ** 2 + (e - 3) ** 2 + 2 * (f - 1) ** 2 + 5 * g * g
             + 7 * (h - 11) ** 2 + 2 * (i - 10) ** 2 + (j - 7) ** 2 + 45)
    return value, [3 * (a - 2) ** 2 + 4 * (b - 3) ** 2 + 2 * c * c - 7 * d, 5 * a * a + 8 * b + (c - 6) ** 2 - 2 * d,
                   0.5 * (a - 8) ** 2 + 2 * (b - 4) ** 2 + 3 * e * e - f, a * a + 2 * (b - 2) ** 2 - 2 * a * b + 14 * e - 6 * f,
                   -3 * a + 6 * b + 12 * (i - 8) ** 2 - 7 * j]


C112 = array([-6.089, -17.164, -34.054, -5.914, -24.721, -14.986, -24.1, -10.708, -26.662, -22.179])


def rosenbrock(x):
    return float(100 * ((x[1:] - x[:-1] ** 2) ** 2).sum() + ((1 - x[:-1]) ** 2).sum())


def styblinski(x):
    return float((x**4 - 16 * x * x + 5 * x).sum() / 2)


K10 = np.arange(1, 11)
RISK = np.diag(0.1 + 0.05 * K10) + 0.05 * np.outer(sin(K10), sin(K10)) + 0.05 * np.outer(cos(2 * K10), cos(2 * K10))
GAIN = 0.05 + 0.02 * K10 + 0.05 * sin(3 * K10)
K20 = np.arange(1, 21)


def keane(x):
    """G2, a bump with many wells."""
    i = np.arange(1, len(x) + 1)
    return -abs((cos(x) ** 4).sum() - 2 * prod(cos(x) ** 2)) / sqrt((i * x * x).sum() + 1e-300), [prod(x), x.sum()]


def trid(x):
    return float(((x - 1) ** 2).sum() - (x[1:] * x[:-1]).sum()), [x @ x]


def chain(y):
    """The heights of a hanging chain of 21 links between two poles, whose length is given: least energy."""
    ends = np.concatenate(([1.0], y, [1.5]))
    links = sqrt((1 / 21) ** 2 + np.diff(ends) ** 2)
    return float(((ends[1:] + ends[:-1]) / 2 * links).sum()), [links.sum()]



ONE10, ONE20 = np.ones(10), np.ones(20)
PROBLEMS = [
    Problem("HS86", **box(5, 0, 10), f=plain(lambda x: E86 @ x + x @ C86 @ x + D86 @ x**3), rows=[(a, b, INF) for a, b in zip(A86, B86)]),
    Problem("HS83", array([78, 33, 27, 27, 27.]), array([102, 45, 45, 45, 45.]), hs83, [(0, 92), (90, 110), (20, 25)]),
    Problem("HS77", **box(5, -5, 5), f=hs77, sides=[(2 * sqrt(2),) * 2, (8 + sqrt(2),) * 2]),
    Problem("HS78", **box(5, -3, 3), f=hs78, sides=[(10, 10), (0, 0), (-1, -1)]),
    Problem("HS79", **box(5, -4, 4), f=hs79, sides=[(2 + 3 * sqrt(2),) * 2, (2 * sqrt(2) - 2,) * 2, (2, 2)]),
    Problem("HS53", **box(5, -10, 10), f=plain(hs53),
            rows=[(array([1, 3, 0, 0, 0.]), 0, 0), (array([0, 0, 1, 1, -2.]), 0, 0), (array([0, 1, 0, 0, -1.]), 0, 0)]),
    Problem("cantilever", **box(5, 0.5, 20), f=cantilever, sides=[(-INF, 1)]),
    Problem("HS113", **box(10, -10, 12), f=hs113, sides=[(-INF, 120), (-INF, 40), (-INF, 30), (-INF, 0), (-INF, 0)],
            rows=[(array([4, 5, 0, 0, 0, 0, -3, 9, 0, 0.]), -INF, 105), (array([10, -8, 0, 0, 0, 0, -17, 2, 0, 0.]), -INF, 0),
                  (array([-8, 2, 0, 0, 0, 0, 0, 0, 5, -2.]), -INF, 12)]),
    Problem("HS112", **box(10, 1e-6, 2), f=plain(lambda x: float((x * (C112 + log(x / x.sum()))).sum())),
            rows=[(array([1, 2, 2, 0, 0, 1, 0, 0, 0, 1.]), 2, 2), (array([0, 0, 0, 1, 2, 1, 1, 0, 0, 0.]), 1, 1), (array([0, 0, 1, 0, 0, 0, 1, 1, 2, 1.]), 1, 1)]),
    Problem("G3", **box(10, 0, 1), f=lambda x: (-sqrt(10) ** 10 * prod(x), [x @ x]), sides=[(1, 1)]),
    Problem("rosenbrock, sum at most 5", **box(10, -2, 2), f=plain(rosenbrock), rows=[(ONE10, -INF, 5)]),
    Problem("rosenbrock, in a ball that is large", **box(10, -3, 3), f=lambda x: (rosenbrock(x), [x @ x, x[0] * x[9]]), sides=[(-INF, 20), (0.2, INF)]),
    Problem("styblinski-tang, sum -20", **box(10, -5, 5), f=plain(styblinski), rows=[(ONE10, -20, -20)]),
    Problem("portfolio", **box(10, 0, 1), f=plain(lambda x: float(x @ RISK @ x)), rows=[(ONE10, 1, 1), (GAIN, 0.2, INF)]),
    Problem("G2", **box(20, 0, 10), f=keane, sides=[(0.75, INF), (-INF, 150)]),
    Problem("shares", **box(20, 0.05, 5), f=plain(lambda x: float((K20 / x).sum())), rows=[(1 + sin(K20) / 2, -INF, 20)]),
    Problem("trid, in a ball", **box(20, -20, 20), f=trid, sides=[(-INF, 400)]),
    Problem("ellipsoid, outside of a ball", **box(20, -4, 4), f=lambda x: (float((10 ** (3 * (K20 - 1) / 19) * (x - 0.1) ** 2).sum()), [x @ x]), sides=[(4, INF)]),
    Problem("rosenbrock, on a sphere", **box(20, -2, 2), f=lambda x: (rosenbrock(x), [x @ x]), sides=[(10, 10)]),
    Problem("chain", **box(20, -2, 2), f=chain, sides=[(3, 3)]),
]
LEAST = {"HS86": -32.34867897, "HS83": -30665.53867, "HS77": 0.24150513, "HS78": -2.91970041, "HS79": 0.0787768209, "HS53": 4.0930232558,
         "cantilever": 1.3399563607, "HS113": 24.3062091, "G3": -1.0}
# Where x_k is in proportion to √(k/w_k), and on the sphere where (a_k + l)·x_k = a_k/10, by bisection for l.
LEAST["shares"] = sqrt(K20 * (1 + sin(K20) / 2)).sum() ** 2 / 20


def on_sphere(a, low, high):
    for _ in range(200):
        x = a / 10 / (a + (low + high) / 2)
        low, high = ((low + high) / 2, high) if x @ x > 4 else (low, (low + high) / 2)
    return float((a * (x - 0.1) ** 2).sum())


LEAST["ellipsoid, outside of a ball"] = on_sphere(10 ** (3 * (K20 - 1) / 19), -1, 0)
for p in PROBLEMS:
    p.least = LEAST.get(p.name, -INF)
