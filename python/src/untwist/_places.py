"""Where to look, in scipy's order of arguments too."""

from __future__ import annotations

import difflib
import functools
import inspect
from typing import Any, Callable, List, Tuple, TypeVar, cast

from . import _arrays, _tables

Function = TypeVar("Function", bound=Callable[..., Any])


def places(function: Function) -> Function:
    """Has function(fun, bounds, x0, …) understand function(fun, x0, bounds) and function(fun, x0, bounds=…)."""

    arguments = list(inspect.signature(function).parameters.values())
    open_ended = any(a.kind is inspect.Parameter.VAR_KEYWORD for a in arguments)

    @functools.wraps(function)
    def understands(fun: Any, *given: Any, **named: Any) -> Any:
        if not open_ended:
            known_names(function.__name__, [a.name for a in arguments], named)
        if given and "bounds" in named and "x0" not in named:  # scipy's order, in which args come next
            named.update(zip(("x0", "args"), given))
            given = given[2:]
        elif len(given) >= 2 and _swapped(given[0], given[1]):
            given = (given[1], given[0]) + given[2:]
        elif given and _is_point(given[0]) and len(given[0]) != 2:
            raise ValueError(f"bounds: {_arrays.short(given[0])} is a point, and the second argument is bounds, a list of pairs (low, high); "
                             "write x0=… for a point")
        return function(fun, *given, **named)

    return cast(Function, understands)


# What scipy and others call things that have another name here.
_ELSEWHERE = {"method": "strategy", "tol": "tolerance", "ftol": "tolerance", "maxfev": "budget", "maxfun": "budget", "max_nfev": "budget", "maxiter": "budget",
              "max_evals": "budget", "n_calls": "budget", "n_trials": "budget", "timeout": "time", "rng": "seed", "random_state": "seed", "n_jobs": "workers",
              "constraints": "limits", "integrality": "integer", "disp": "progress", "verbose": "progress"}


def helpful(function: Function) -> Function:
    """Has a function say which argument may be meant by one that it does not have."""
    arguments = list(inspect.signature(function).parameters)

    @functools.wraps(function)
    def understands(*given: Any, **named: Any) -> Any:
        known_names(function.__name__, arguments, named)
        return function(*given, **named)

    return cast(Function, understands)


def known_names(function: str, arguments: List[str], named: Any) -> None:
    """Raises a TypeError for an argument that is unknown, and says which may be meant."""
    for name in named:
        if name in arguments:
            continue
        near = [_ELSEWHERE[name]] if _ELSEWHERE.get(name) in arguments else difflib.get_close_matches(name, arguments, 1)
        hint = f"is {near[0]} meant?" if near else f"it has {', '.join(arguments[1:])}"
        if name == "options":
            hint = "what scipy has there are arguments here, such as budget=…"
        elif name in ("jac", "hess", "hessp"):
            hint = "derivatives are not used"
        raise TypeError(f"{function} has no argument {name}; {hint}")


def _is_point(thing: Any) -> bool:
    """Whether something is a list of numbers, and nothing else."""
    if isinstance(thing, (str, bytes, dict)) or not hasattr(thing, "__len__") or _tables.is_frame(thing):
        return False
    return len(thing) > 0 and all(_arrays.is_number(v) for v in thing)


def with_ends(thing: Any) -> List[Tuple[float, float]]:
    """The pairs in something, with infinite ends; none if it has others."""
    try:
        found = _arrays.pairs(thing, None, "bounds")
    except ValueError:
        return []
    inf = float("inf")
    return [(-inf if low is None else low, inf if high is None else high) for low, high in found]


def _swapped(bounds: Any, x0: Any) -> bool:
    """Whether bounds is a point and x0 its limits. Two numbers are also one pair for all
    coordinates, and two pairs are also two points of two coordinates: then the numbers decide."""
    if x0 is None or not _is_point(bounds):
        return False
    if hasattr(x0, "lb") and hasattr(x0, "ub") or isinstance(x0, dict) or _tables.is_frame(x0):
        return True
    x = [_arrays.number(v) for v in bounds]
    limits = [(x0[0], x0[1])] * len(x) if _is_point(x0) and len(x0) == 2 else with_ends(x0)
    if len(limits) != len(x):
        return False
    theirs = all(low <= v <= high for v, (low, high) in zip(x, limits))
    if len(x) != 2:
        return True
    ours = all(x[0] <= v <= x[1] for pair in limits for v in pair)
    if theirs and ours:
        raise ValueError("are these bounds and x0, or x0 and bounds? Name them: bounds=…, x0=…")
    return theirs
