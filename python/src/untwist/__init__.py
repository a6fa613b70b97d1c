"""Untwist minimises black-box functions globally.

    >>> import untwist
    >>> result = untwist.minimize(f, bounds=[(-5, 5)] * 30, budget=20000)
    >>> result.x, result.fun

Many functions are a sum of one-dimensional functions in coordinates that nobody told you. Untwist
finds those coordinates from function values alone, and searches along them. minimize searches,
probe only looks for coordinates, and check tries a function first. ask is for a loop of your own. cbo is consensus-based
optimisation with all its variants, and returns where the particles went. least_squares fits residuals.
"""

from __future__ import annotations

from ._ask import Search, ask
from ._cbo import cbo
from ._minimize import CheckResult, Interactions, check, interactions, least_squares, minimize, probe
from ._result import Certificate, Error, OptimizeResult, Picture, Pictures, Profile, Structure
from ._scipy import scipy_method

__version__ = "0.1.0"

__all__ = [
    "Certificate", "CheckResult", "Error", "Interactions", "OptimizeResult", "Picture", "Pictures", "Profile", "Search", "Structure", "ask", "cbo", "check", "interactions", "least_squares", "minimize", "probe",
    "scipy_method",
]
