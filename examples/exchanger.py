#!/usr/bin/env python3
"""The yearly cost of a heat exchanger: tubes of a diameter D, length L and wall w (in m) in which water flows
with speed v (in m/s), their number, how often the water passes, the baffles around them, and the material.
It reads a line "D L w v tubes passes baffles material" for each point and prints the cost. The best that is
known costs 5,447.09, with 26 tubes of aluminium, 2 passes and 12 baffles."""
import math
import sys

# conductivity in W/(m K), density in kg/m³, price for each kg and year
MATERIALS = {"copper": (385, 8900, 9.0), "steel": (16, 7900, 4.0), "aluminium": (205, 2700, 6.5)}


def cost(D, L, w, v, tubes, passes, baffles, material):
    conductivity, density, price = MATERIALS[material]
    inner = D - 2 * w
    reynolds = v * inner / 1e-6
    nusselt = 0.023 * reynolds**0.8 * 6**0.4 if reynolds > 2300 else 4.36
    inside = nusselt * 0.6 / inner
    outside = 350 * (baffles / 6) ** 0.55 * (0.025 / D) ** 0.4 * (40 / tubes) ** 0.3
    transfer = 1 / (1 / inside + D * math.log(D / inner) / (2 * conductivity) + 1 / outside)
    area = tubes * math.pi * D * L
    flow = v * 1000 * math.pi * inner**2 / 4 * tubes / passes
    heat = flow * 4180 * (1 - math.exp(-transfer * area / (flow * 4180) * (1 - 0.25 / passes))) * 60 / 1e3
    friction = 0.316 / max(reynolds, 1) ** 0.25
    drop = 0.5 * 1000 * v * v * (friction * L * passes / inner + 2.5 * passes) / 1e3 + 0.6 * baffles**1.6
    mass = density * tubes * math.pi * (D * D - inner * inner) / 4 * L
    too_cold = max(0, 450 - heat)  # kW that are missing
    return price * mass + 25 * baffles + 120 * passes + 4 * tubes + 12 * drop + 900 * area**0.5 + 20 * too_cold


for line in sys.stdin:
    *numbers, tubes, passes, baffles, material = line.split()
    print(cost(*map(float, numbers), int(tubes), int(passes), int(baffles), material), flush=True)
