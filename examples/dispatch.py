#!/usr/bin/python3
"""Forty generators with valve points: the cost of the powers in a line. dispatch40.csv has the coefficients."""
import csv, math, os, sys

with open(os.path.join(os.path.dirname(os.path.abspath(__file__)), "dispatch40.csv")) as file:
    units = [{k: float(v) for k, v in row.items()} for row in csv.DictReader(line for line in file if not line.startswith("#"))]

for line in sys.stdin:
    powers = [float(word) for word in line.split()]
    print(repr(sum(u["a"] * p * p + u["b"] * p + u["c"] + abs(u["e"] * math.sin(u["f"] * (u["pmin"] - p))) for u, p in zip(units, powers))), flush=True)
