#!/usr/bin/env python3
"""Water flows through a heated pipe. How badly does the model fit three measured numbers?

pipe.toml says how it is run. It reads points as lines of JSON, with the parameters by their
names. Three things were measured five times each: the Reynolds number of the flow, the Prandtl
number of the water, and how long the water stays in the pipe. The misfit is robust against
outliers: 2(sqrt(1 + r²) - 1) for a residual r, in units of the error of measurement.
"""
import json
import math
import sys

# Each with its relative error.
REYNOLDS = [41200, 42600, 41900, 43100, 41700], 0.02
PRANDTL = [5.4, 5.9, 5.5, 5.8, 5.6], 0.05
SECONDS = [7.1, 8.6, 7.8, 9.0, 7.4], 0.2


def misfit(model, measured):
    values, error = measured
    return sum(2 * (math.hypot(1, math.log(model / v) / error) - 1) for v in values)


for line in sys.stdin:
    point = json.loads(line)
    p = point["x"]
    value = (
        misfit(p["density"] * p["speed"] * p["diameter"] / p["viscosity"], REYNOLDS)
        + misfit(p["heat_capacity"] * p["viscosity"] / p["conductivity"], PRANDTL)
        + misfit(p["length"] / p["speed"], SECONDS)
    )
    print(json.dumps({"id": point["id"], "value": value}), flush=True)
