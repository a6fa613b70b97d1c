#!/usr/bin/env python3
"""Four valves, each with a gain and an offset that have to fit each other.

pairs.toml says how it is run. Each valve is a Rosenbrock function of its own two parameters. The
program reads points as lines of eight numbers and prints a value for each.
"""
import sys

for line in sys.stdin:
    x = [float(word) for word in line.split()]
    print(repr(sum((1 - g) ** 2 + 100 * (o - g * g) ** 2 for g, o in zip(x[0::2], x[1::2]))), flush=True)
