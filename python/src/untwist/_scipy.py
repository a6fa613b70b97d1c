"""A method for scipy.optimize.minimize."""

from __future__ import annotations

import difflib
import inspect
import warnings
from typing import Any, Callable, Optional, Tuple

from . import _arrays
from ._minimize import minimize
from ._options import known_points
from ._result import OptimizeResult


def scipy_method(fun: Callable[..., Any], x0: Any, args: Tuple[Any, ...] = (), *, bounds: Any = None, constraints: Any = (),
                 callback: Optional[Callable[[Any], Any]] = None, jac: Any = None, hess: Any = None, hessp: Any = None,
                 tol: Optional[float] = None, maxfev: Optional[float] = None, maxiter: Any = None, disp: Any = None,
                 **options: Any) -> OptimizeResult:
    """The minimisation of untwist as a method of scipy::

        scipy.optimize.minimize(f, x0, method=untwist.scipy_method, bounds=bounds, options={"budget": 20000})

    options are those of untwist.minimize. maxfev is another name for budget, disp for progress,
    and tol for tolerance. jac, hess and hessp are not used, and constraints are refused.
    maxiter is not used, and a warning says so: the budget counts evaluations.
    """
    if constraints is not None and (not hasattr(constraints, "__len__") or len(constraints) > 0):
        raise ValueError("untwist takes bounds, and no other constraints")
    if maxiter is not None:
        warnings.warn("untwist does not use maxiter: give maxfev or budget, which count evaluations", RuntimeWarning, stacklevel=2)
    known = inspect.signature(minimize).parameters
    for name in options:
        if name not in known:
            near = difflib.get_close_matches(name, known, 1)
            raise TypeError(f"untwist has no option {name}{f' (is {near[0]} meant?)' if near else ''}; untwist.minimize has "
                            f"{', '.join(list(known)[4:])}")
    points = known_points(x0)
    if bounds is not None:
        bounds = _arrays.pairs(bounds, len(points[0]), "bounds")
        points = [[_within(v, low, high) for v, (low, high) in zip(p, bounds)] for p in points]
    options.setdefault("budget", maxfev)
    options.setdefault("tolerance", tol)
    if disp is not None:
        options.setdefault("progress", bool(disp))
    if callback is not None:
        options["callback"] = _callback(callback)
    return minimize(fun, bounds, points, args, **options)


def _within(v: float, low: Optional[float], high: Optional[float]) -> float:
    if low is not None and v < low:
        return low
    if high is not None and v > high:
        return high
    return v


def _callback(callback: Callable[..., Any]) -> Callable[[OptimizeResult], Any]:
    """A callback as scipy has it: callback(xk), or callback(intermediate_result)."""
    if hasattr(callback, "stop_iteration"):  # scipy from 1.11 on has wrapped it
        return callback
    try:
        names = list(inspect.signature(callback).parameters)
    except (TypeError, ValueError):
        names = []
    if names == ["intermediate_result"]:
        return lambda result: callback(intermediate_result=result)
    return lambda result: None if result.x is None else callback(result.x)
