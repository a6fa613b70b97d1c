#!/usr/bin/env python3
import math, sys
for line in sys.stdin:  # a point is a line of numbers
    x = [float(word) for word in line.split()]
    y = [a + b / 2 - 1 for a, b in zip(x, x[1:] + x[:1])]  # coordinates that nobody knows
    print(sum(v * v + 10 - 10 * math.cos(2 * math.pi * v) for v in y), flush=True)
