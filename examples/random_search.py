#!/usr/bin/env python3
"""A random search as a method of untwist compare: random=exec:./random_search.py"""
import json
import random
import sys

task = json.loads(sys.stdin.readline())
random.seed(task["seed"])


def point():
    return [random.uniform(lo, hi) for lo, hi in zip(task["lower"], task["upper"])]


while True:
    print(json.dumps({"points": [point() for _ in range(20)]}), flush=True)
    if not sys.stdin.readline():  # the budget is spent, or the target reached
        break
