"""What the user gives, as the program takes it: flags, and the first message."""

from __future__ import annotations

import datetime
import functools
import hashlib
import inspect
import math
import numbers
import os
import secrets
import types
from array import array
from typing import Any, Dict, List, Optional, Tuple

from . import _arrays, _tables
from ._arrays import Pair
from ._evaluate import Keywords
from ._kinds import Kinds, Worded

# Without bounds and without start, the search begins this far around x0, or as far as x0 is
# from 0 if that is more.
AROUND = 5.0
AROUND_TIMES = 100.0  # on a logarithmic scale


def known(points: List[List[float]]) -> bytes:
    """Known points as a message."""
    numbers = array("d")
    for p in points:
        numbers.extend(p)
    return numbers.tobytes()


class Space:
    """Where to search: the coordinates with their limits, and known points."""

    def __init__(self, bounds: Any, x0: Any, start: Any, names: Any, scale: Any, kinds: Optional[Kinds] = None, units: Any = None) -> None:
        self.kinds = Kinds(None, None, None) if kinds is None else kinds
        bounds = _with_choices(bounds, names, self.kinds)
        found, bounds = _tables.named(bounds)
        self.names = _names(names) or found
        if found is not None and self.names != found:
            raise ValueError(f"names: the bounds have names already, {_arrays.short(found)}")
        start = _tables.in_order(start, self.names, "start")
        if self.kinds:
            self.kinds.place(self.names, len(bounds) if hasattr(bounds, "__len__") else 0)
        self.points = known_points(_inward(_tables.in_order(x0, self.names, "x0"), self.kinds))
        named = None if self.names is None else len(self.names)
        dim: Optional[int] = len(self.points[0]) if self.points else None
        self.bounds: Optional[List[Pair]] = None
        if bounds is not None:
            self.bounds = _arrays.pairs(bounds, dim, "bounds", named)
            dim = len(self.bounds)
        self.start: Optional[List[Pair]] = None
        if start is not None:
            self.start = _arrays.pairs(start, dim, "start", named)
            dim = len(self.start)
        if dim is None or not (self.bounds or self.start or self.points):
            raise ValueError("where is the minimum to be looked for? Give bounds, a list of pairs (low, high) that are limits; "
                             "start, pairs that say where to look first; or x0, a known point")
        self.dim: int = dim
        if named is not None and named != dim:
            raise ValueError(f"names: {named} for {dim} coordinates")
        self.log = _scale(scale, dim, self.names)
        self.units = _units(units, dim, self.names)
        self.fixed = {i: low for i, (low, high) in enumerate(self.bounds or []) if low is not None and low == high}
        if self.start is None:
            self.start = self._first()

    def _first(self) -> Optional[List[Pair]]:
        """Where to look first, if it has to be told: around the known point, where there are no
        limits on both sides."""
        bounds = self.bounds or [(None, None)] * self.dim
        if all(low is not None and high is not None for low, high in bounds):
            return None
        if not self.points:
            raise ValueError("bounds: they have no end on some side, so it is not known where to look; give start, pairs (low, high) "
                             "that say where to look first, or x0, a known point")
        out: List[Pair] = []
        for i, (low, high) in enumerate(bounds):
            if low is None or high is None:
                x = self.points[0][i]
                reach = max(AROUND, abs(x))
                below, above = (x / AROUND_TIMES, x * AROUND_TIMES) if self.log[i] else (x - reach, x + reach)
                if low is not None and x < low or high is not None and x > high:
                    raise ValueError(f"x0: it lies outside the bounds; {self.called(i)} is {x!r}")
                if self.log[i] and x <= 0:
                    raise ValueError(f"x0: {self.called(i)} is {x!r}, must be above 0 on a logarithmic scale")
                if not (math.isfinite(above) and below < x < above):
                    raise ValueError(f"x0: it is not known where to look around {self.called(i)} = {x!r}; give start, pairs (low, high) "
                                     "that say so")
                low = below if low is None else max(low, below)
                high = above if high is None else min(high, above)
            out.append((low, high))
        return out

    def middle(self) -> List[float]:
        """The middle of where to look first."""
        out = []
        for i, (low, high) in enumerate(self.start or self.bounds or []):
            assert low is not None and high is not None
            out.append(math.sqrt(low * high) if self.log[i] else (low + high) / 2)
        return out

    def called(self, i: int) -> str:
        """What a coordinate is called."""
        return self.names[i] if self.names else f"x[{i}]"

    def objective(self, fun: Any, args: Any, keywords: bool, vectorized: bool) -> Any:
        """fun as a function of a point. What it could not be called with is refused."""
        if not callable(fun):
            raise TypeError(f"fun is a {type(fun).__name__}, must be a function")
        if keywords and self.names is None:
            raise ValueError("keywords: the parameters have no names; give bounds as a dict, or names")
        if self.kinds and vectorized:
            raise ValueError("vectorized: a function of integers, steps or choices is called for each point")
        _callable(fun, len(tuple_of(args)), self.names, keywords)
        if keywords:
            fun = Keywords(fun, self.names or [], vectorized or bool(self.kinds))
        return Worded(fun, self.kinds) if self.kinds else fun

    def hello(self) -> Dict[str, Any]:
        """The part of the first message that is about coordinates."""
        out: Dict[str, Any] = {"dim": self.dim}
        if self.names is None and not any(self.log) and not any(self.units) and not self.fixed and not self.kinds:
            out["bounds"], out["start"] = self.bounds, self.start
            return out
        parameters = []
        for i in range(self.dim):
            p: Dict[str, Any] = {"name": self.called(i), **({"unit": self.units[i]} if self.units[i] else {})}
            if i in self.kinds.integer:
                p["integer"] = True
            if i in self.kinds.step:
                p["step"] = self.kinds.step[i]
            if i in self.kinds.choices:
                p["choices"] = self.kinds.choices[i]
            elif i in self.fixed:
                p["fixed"] = self.fixed[i]
            else:
                low, high = self.bounds[i] if self.bounds else (None, None)
                p["min"], p["max"], p["log"] = low, high, self.log[i]
                if self.start is not None:
                    p["low"], p["high"] = self.start[i]
            parameters.append(p)
        out["parameters"] = parameters
        return out


def _with_choices(bounds: Any, names: Any, kinds: Kinds) -> Any:
    """Bounds with the coordinates of choices, which come last if the bounds do not have them, and take none."""
    if not kinds.words:
        return bounds
    found, pairs = _tables.named(bounds)
    pairs = list(pairs or [])
    if found is None:
        found = [f"x[{i}]" for i in range(len(pairs))] if names is None else [n for n in _names(names) or [] if n not in kinds.words]
        if len(found) != len(pairs):
            raise ValueError(f"bounds: {len(pairs)} pairs for {len(found)} coordinates without choices")
    out: Dict[str, Any] = dict(zip(found, pairs))
    out.update({name: (0.0, len(words) - 1.0) for name, words in kinds.words.items()})
    return out if names is None else {n: out[n] for n in _names(names) or [] if n in out}


def _inward(x0: Any, kinds: Kinds) -> Any:
    """Known points with numbers for words."""
    if not kinds.choices or x0 is None:
        return x0
    x0 = list(x0)
    one = not x0 or isinstance(x0[0], str) or _arrays.is_number(x0[0])
    return kinds.inward(x0) if one else [kinds.inward(p) for p in x0]


def known_points(x0: Any) -> List[List[float]]:
    """Known points: one, or a list of them."""
    if x0 is None:
        return []
    try:
        given = list(x0)
    except TypeError:
        given = [x0]  # a number: one coordinate
    if not given:
        raise ValueError("x0 is empty; it is a point, or a list of points")
    if _arrays.is_number(given[0]):
        given = [given]
    out = [_arrays.numbers(p, "x0") for p in given]
    for p in out:
        if len(p) != len(out[0]):
            raise ValueError(f"x0: points of {len(out[0])} and of {len(p)} numbers")
    return out


def _names(names: Any) -> Optional[List[str]]:
    if names is None:
        return None
    found = [] if isinstance(names, str) or not hasattr(names, "__iter__") else list(names)
    if not found or not all(isinstance(n, str) for n in found):
        raise ValueError("names must be a list of texts, one for each coordinate")
    return found


def _scale(scale: Any, dim: int, names: Optional[List[str]]) -> List[bool]:
    """Which coordinates are searched on a logarithmic scale."""
    if scale is None:
        return [False] * dim
    if isinstance(scale, str):
        scale = [scale] * dim
    elif isinstance(scale, dict):
        unknown = set(scale) - set(names or [])
        if unknown:
            raise ValueError(f"scale: there is no coordinate named {sorted(unknown)[0]!r}")
        scale = [scale.get(n) for n in names or []]
    scale = list(scale) if hasattr(scale, "__iter__") else []
    if len(scale) != dim or not all(s is None or isinstance(s, str) and s in ("log", "linear") for s in scale):
        raise ValueError(f'scale must be "log" or "linear", or a list of {dim} of these (None is linear), or a dict by names')
    return [s == "log" for s in scale]


def _units(units: Any, dim: int, names: Optional[List[str]]) -> List[str]:
    """The units of the coordinates, "" where there is none."""
    if isinstance(units, dict):
        unknown = [n for n in units if n not in (names or [])]
        if unknown:
            raise ValueError(f"units: there is no coordinate named {unknown[0]!r}")
        units = [units.get(n) for n in names or []]
    units = [None] * dim if units is None else [] if isinstance(units, str) or not hasattr(units, "__iter__") else list(units)
    if len(units) != dim or not all(u is None or isinstance(u, str) for u in units):
        raise ValueError(f'units must be a list of {dim} texts (None where there is no unit), or a dict by names, {{"k": "m/s"}}')
    return [u or "" for u in units]


def whole(value: Any, what: str) -> int:
    """A whole number of at least 1, which may be written 2e4."""
    try:
        n = int(value)
        if n == value and n >= 1 and not isinstance(value, bool):
            return n
    except (TypeError, ValueError, OverflowError):
        pass
    raise ValueError(f"{what}: {_arrays.short(value)}, must be a whole number of at least 1")


def real(value: Any, what: str) -> str:
    """A finite number as a flag takes it."""
    if isinstance(value, bool) or not _arrays.is_number(value):
        raise ValueError(f"{what}: {_arrays.short(value)}, must be a number")
    v = _arrays.number(value)
    if not math.isfinite(v):
        raise ValueError(f"{what}: {v}, must be finite")
    return repr(v)


def seconds(time: Any) -> str:
    """A time as the program takes it: from seconds, a timedelta, or a text such as 2h."""
    if isinstance(time, datetime.timedelta):
        time = time.total_seconds()
    if isinstance(time, str):
        return time
    t = _arrays.number(time) if _arrays.is_number(time) and not isinstance(time, bool) else math.nan
    if not 1e-9 <= t < 1e9:
        raise ValueError(f'time: {_arrays.short(time)}, must be a number of seconds above 0, or a text such as "90s", "10m" or "2h"')
    return f"{t:.9f}s"


def seed_of(seed: Any) -> int:
    if seed is None:
        return secrets.randbits(63)
    if isinstance(seed, bool) or not isinstance(seed, numbers.Integral) or not 0 <= int(seed) < 2**64:
        raise ValueError(f"seed: {_arrays.short(seed)}, must be a whole number from 0 to 2**64-1, or None for any")
    return int(seed)


def flags(**given: Any) -> List[str]:
    """Flags of the program from options; None: left out."""
    out = ["--quiet"]
    for name, value in given.items():
        if value is None:
            continue
        flag = "--" + name.replace("_", "-")
        if name in ("budget", "parallel", "procs"):
            value = whole(value, name)
        elif name in ("target", "tolerance", "noise_level", "max_failures"):
            value = real(value, name)
        elif name == "time":
            value = seconds(value)
        elif name in ("journal", "report"):
            value = _path(value, name)
        elif name in ("keep_going", "sensitivity"):
            if value:
                out.append(flag)
            continue
        elif name in ("strategy", "value") and not isinstance(value, str):
            raise ValueError(f"{name}: {_arrays.short(value)}, must be a text such as {'cmaes' if name == 'strategy' else 'cost [EUR]'!r}")
        out.append(f"{flag}={value}")
    return out


def _path(value: Any, what: str) -> str:
    try:
        return os.fsdecode(value)
    except TypeError:
        raise TypeError(f"{what}: {_arrays.short(value)}, must be the path of a file") from None


def _callable(fun: Any, more: int, names: Optional[List[str]], keywords: bool) -> None:
    """Raises a TypeError if fun says itself that it cannot be called with a point and more arguments."""
    try:
        signature = inspect.signature(fun, follow_wrapped=False)
    except (TypeError, ValueError):
        return
    given: Dict[str, Any] = dict.fromkeys(names or []) if keywords else {}
    try:
        signature.bind(*[None] * (more if keywords else 1 + more), **given)
    except TypeError as e:
        call = ", ".join(([] if keywords else ["x"]) + ["…"] * more + [f"{n}=…" for n in given])
        hint = "; with keywords=True it is called with the coordinates by their names" if names and not keywords else ""
        raise TypeError(f"fun cannot be called as fun({call}): {e}{hint}") from None


def tuple_of(args: Any) -> Tuple[Any, ...]:
    """More arguments of fun. As with scipy, what is no tuple is one argument."""
    if args is None:
        return ()
    return args if isinstance(args, tuple) else (args,)


def function_name(fun: Any) -> str:
    """What a function is called, so that a journal of one is not taken for that of another.

    All lambdas have the same name, so what they compute is added: the same text in the same
    version of Python gives the same."""
    fun = _own(fun)
    while isinstance(fun, functools.partial):
        fun = fun.func
    name = getattr(fun, "__qualname__", None)
    if not isinstance(name, str):
        return type(fun).__qualname__
    if getattr(fun, "__name__", "") == "<lambda>":
        name += " " + hashlib.sha256(_code(fun.__code__).encode("utf-8", "replace")).hexdigest()[:16]
    return name


def _own(fun: Any) -> Any:
    """The user's function."""
    while isinstance(fun, (Keywords, Worded)):
        fun = fun.fun
    return fun


def _code(code: types.CodeType) -> str:
    """What a function computes, in words: instructions, constants and names, and no lines."""
    constants = [_code(c) if isinstance(c, types.CodeType) else repr(sorted(map(repr, c)) if isinstance(c, frozenset) else c)
                 for c in code.co_consts]
    return repr((code.co_code, code.co_names, code.co_varnames, code.co_freevars, constants))


def arguments(fun: Any, args: Tuple[Any, ...]) -> str:
    """The arguments in words, those of a partial too, if they are plain: numbers and texts."""
    all: List[Any] = [args]
    fun = _own(fun)
    while isinstance(fun, functools.partial):
        all.append([fun.args, fun.keywords])
        fun = fun.func
    text = repr(args if len(all) == 1 else all)
    return text if (args or len(all) > 1) and len(text) <= 1000 and _plain(all) else ""


def _plain(thing: Any) -> bool:
    if isinstance(thing, dict):
        return _plain(list(thing.values()))
    if isinstance(thing, (tuple, list)):
        return all(_plain(t) for t in thing)
    return thing is None or type(thing) in (bool, int, float, str)
