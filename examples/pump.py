#!/usr/bin/env python3
"""A simulator: reads the values of its parameters, prints how bad the result is.

A pump draws water through a filter. Given are the permeability k (m/s), the depth d (m), the
slope p and the number of wells n. The cost is smallest at k = 2e-4, d = 1.5, p = 0.3.
"""
import argparse
import math
import sys

arguments = argparse.ArgumentParser()
for name in ("k", "d", "p", "n"):
    arguments.add_argument("--" + name, type=float, required=True)
a = arguments.parse_args()

if a.d > 4.9:  # some points cannot be simulated
    sys.exit("the pump runs dry")

u = math.log(a.k / 2e-4) + a.d - 1.5
v = math.log(a.k / 2e-4) - (a.d - 1.5)
print("cost:", repr(u**2 + 3 * v**2 + a.n * (a.p - 0.3) ** 2))
