#!/usr/bin/env python3
"""A broadband mirror: forty layers of two glasses by turns, each with a thickness in nanometres, on a substrate.

Reads lines of forty thicknesses, prints the percentage of the light that passes, the mean over wavelengths from 400 to 700 nm
at normal incidence. (mirror.toml says how it is run.) Nothing absorbs, so that what does not pass is reflected.

A layer of refractive index n and thickness t changes the tangential fields (E, H) of a wave of length w by its characteristic matrix

    ( cos δ      i sin δ / n )
    ( i n sin δ      cos δ   ),    δ = 2π n t / w.

From the substrate, where (E, H) = (1, n_s), the matrices lead to the surface. There air, n = 1, has an incident wave and a reflected
one, whose ratio is r = (E − H) / (E + H); |r|² is reflected. (Born and Wolf, Principles of Optics, section 1.6.)
"""
import math
import sys

HIGH, LOW, SUBSTRATE = 2.35, 1.46, 1.52  # titanium dioxide, silicon dioxide, glass
WAVES = range(400, 701, 10)  # nm


def passing(thicknesses, wave):
    """The share of the light of this wavelength that passes."""
    e, h = 1, SUBSTRATE
    for k in reversed(range(len(thicknesses))):
        n = LOW if k % 2 else HIGH  # the outermost is of the high index
        delta = 2 * math.pi * n * thicknesses[k] / wave
        cos, sin = math.cos(delta), 1j * math.sin(delta)
        e, h = cos * e + sin / n * h, n * sin * e + cos * h
    return 1 - abs((e - h) / (e + h)) ** 2


def percentage(thicknesses):
    return 100 * sum(passing(thicknesses, wave) for wave in WAVES) / len(WAVES)


def check():
    """Two cases with formulas: no layer at all, and quarter waves at 550 nm."""
    bare = 1 - ((1 - SUBSTRATE) / (1 + SUBSTRATE)) ** 2
    assert abs(passing([0] * 40, 500) - bare) < 1e-12
    quarter = [550 / 4 / (LOW if k % 2 else HIGH) for k in range(40)]
    y = SUBSTRATE * (HIGH / LOW) ** 40
    assert abs(passing(quarter, 550) - (1 - ((1 - y) / (1 + y)) ** 2)) < 1e-12
    print(f"{percentage(quarter):.2f} % for quarter waves at 550 nm")


if __name__ == "__main__":
    if sys.argv[1:] == ["--check"]:
        check()
    else:
        for line in sys.stdin:
            print(percentage([float(word) for word in line.split()]), flush=True)
