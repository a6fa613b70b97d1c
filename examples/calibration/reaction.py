#!/usr/bin/env python3
"""The model of two reactions, A -> B -> C, and how badly it fits the measurements of B.

reaction.toml says how it is run. It reads points as lines of JSON, with the parameters by
their names, and answers each with the sum of squares of the residuals, in units of the error of
measurement. A1 and A2 are frequencies in 1/s, E1 and E2 energies of activation in kJ/mol.
"""
import csv
import json
import math
import sys

R = 8.314462618e-3  # the gas constant, in kJ/(mol K)
ERROR = 0.004  # of a measurement

with open("measured.csv") as file:
    measured = [(float(r["temperature_K"]), float(r["time_s"]), float(r["B"])) for r in csv.DictReader(file)]


def share(p, temperature, time):
    """The share of B, when all was A at the time 0."""
    k1 = p["A1"] * math.exp(-p["E1"] / (R * temperature))
    k2 = p["A2"] * math.exp(-p["E2"] / (R * temperature))
    if k1 == k2:
        return k1 * time * math.exp(-k1 * time)
    return k1 / (k2 - k1) * (math.exp(-k1 * time) - math.exp(-k2 * time))


for line in sys.stdin:
    point = json.loads(line)
    misfit = sum(((share(point["x"], temperature, time) - b) / ERROR) ** 2 for temperature, time, b in measured)
    print(json.dumps({"id": point["id"], "value": misfit}), flush=True)
