#!/usr/bin/env python3
"""Reads points, a line of numbers each, and prints the value of each, a line each."""
import math
import sys

for line in sys.stdin:
    x = [float(word) for word in line.split()]
    print(sum(v * v + 10 - 10 * math.cos(2 * math.pi * v) for v in x), flush=True)
