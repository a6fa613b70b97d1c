#!/usr/bin/env python3
"""A simulator in Python that crashes now and then.

A controller (PID) moves a mass on a spring to its place, with a delay of half a second. Which
gains get it there soonest? With many gains the loop swings up, and the simulator raises an
exception. Such a point has failed: it is counted, and the search goes on.

Run it, once the package is installed (pip install ./python):

    python3 examples/crashes/tune.py

It prints:

    cost 1.5124 after 2000 simulations
      kp 1.208
      ki 0.660
      kd 1.233
    failed: 65, by kind: {'error': 65}
    the first: Unstable: runs away after 8.7 s
    the same call again: cost 1.5124, with 2000 values from the journal and 0 simulations

With the seeds 0 to 4 the cost is the same to four digits, and 43 to 85 points fail. The
parameters are coupled: CMA-ES alone (strategy="cmaes") does as well here.

Every value is in the journal before it is used. Press Ctrl-C, or kill it, and run it again: it
goes on where it stood. Remove tune.journal to begin anew, and whenever you change the simulator.
"""
import os

import untwist

simulations = 0


class Unstable(Exception):
    """The mass has run away."""


def simulate(gains):
    """How late the mass gets to its place: the integral of time times distance, over 20 s."""
    global simulations
    simulations += 1
    kp, ki, kd = gains
    step, place, speed, integral, before, cost = 0.05, 0.0, 0.0, 0.0, 1.0, 0.0
    delayed = [0.0] * 10  # the forces that are still on their way
    for i in range(400):
        error = 1 - place
        integral += error * step
        delayed.append(kp * error + ki * integral + kd * (error - before) / step)
        before = error
        speed += (delayed.pop(0) - 0.8 * speed - place) * step
        place += speed * step
        if abs(place) > 10:
            raise Unstable(f"runs away after {i * step:.1f} s")
        cost += i * step * abs(error) * step
    return cost


def tune():
    return untwist.minimize(
        simulate, bounds=[(0.01, 10)] * 3, names=["kp", "ki", "kd"], scale="log",
        x0=[0.1, 0.1, 0.1],  # slow, but safe
        budget=2000, journal="tune.journal")


os.chdir(os.path.dirname(os.path.abspath(__file__)))
result = tune()
print(f"cost {result.fun:.4f} after {result.nfev} simulations")
for p in result.parameters:
    print(f"  {p['name']} {p['value']:.3f}")
print(f"failed: {result.failed}, by kind: { {kind: n for kind, n in result.failures.items() if n} }")
print(f"the first: {result.first_failure}")

simulations = 0
again = tune()
print(f"the same call again: cost {again.fun:.4f}, "
      f"with {again.resumed} values from the journal and {simulations} simulations")
