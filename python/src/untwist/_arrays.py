"""Numbers from and to bytes, with numpy where it is installed and with lists elsewhere."""

from __future__ import annotations

import math
from array import array
from typing import Any, List, Optional, Sequence, Tuple

try:
    import numpy
except ImportError:  # all of the package works without it
    numpy = None  # type: ignore[assignment]

Matrix = List[List[float]]


def rows(text: bytearray, n: int, dim: int) -> Any:
    """The n points in a text of float64: an array of shape (n, dim), or a list of lists.

    Points belong to whoever gets them, and may be changed.
    """
    if numpy is not None:
        return numpy.frombuffer(text, dtype="<f8").reshape(n, dim)
    flat = array("d")
    flat.frombytes(text)
    numbers = flat.tolist()
    return [numbers[i * dim : (i + 1) * dim] for i in range(n)]


def columns(text: bytearray, n: int, dim: int) -> Any:
    """The same points side by side: shape (dim, n), as scipy's differential_evolution has it."""
    points = rows(text, n, dim)
    if numpy is not None:
        return points.T
    return [list(column) for column in zip(*points)]


def matrix(text: bytes, n: int, columns: int) -> Any:
    """A matrix: an array of its own, or a list of lists."""
    if numpy is not None:
        return numpy.frombuffer(bytearray(text), dtype="<f8").reshape(n, columns)
    return rows(bytearray(text), n, columns)


def vector(text: bytes) -> Any:
    """A vector: an array of its own, or a list."""
    return matrix(text, 1, len(text) // 8)[0]


def of(numbers: List[Any]) -> Any:
    """An array of numbers, or of lists of them; or the list."""
    return numbers if numpy is None else numpy.array(numbers)


def number(v: Any) -> float:
    """A number as a float; an array of one number is one too. It raises a TypeError if it is
    something else: a text, a complex number, a value that is masked."""
    if isinstance(v, float):
        return float(v)
    given = v
    if hasattr(v, "item") and getattr(v, "size", 1) == 1:
        v = v.ravel().tolist()[0] if hasattr(v, "filled") else v.item()  # item does not see masks
    try:
        if isinstance(v, (str, bytes, bytearray)):
            raise TypeError
        return float(v)
    except (TypeError, ValueError):
        raise TypeError(f"{short(given)} is not a number") from None


def numbers(given: Any, what: str) -> List[float]:
    """A list of finite floats from whatever the user gave."""
    found: List[float] = []
    try:
        if not isinstance(given, (str, bytes)):
            found = [v if type(v) is float else number(v) for v in (given.tolist() if hasattr(given, "tolist") else given)]
    except (TypeError, OverflowError):
        pass
    if not found:
        raise ValueError(f"{what}: {short(given)} is not a list of numbers")
    if not all(map(math.isfinite, found)):
        raise ValueError(f"{what}: its numbers must be finite")
    return found


def short(thing: Any) -> str:
    text = " ".join(repr(thing).split())
    return text if len(text) <= 60 else text[:57] + "..."


def is_number(thing: Any) -> bool:
    """Whether something is one number, and no list of one."""
    if hasattr(thing, "__len__") and getattr(thing, "ndim", 1) > 0:
        return False
    try:
        number(thing)
    except (TypeError, OverflowError):
        return False
    return True


Pair = Tuple[Optional[float], Optional[float]]


def pairs(given: Any, dim: Optional[int], what: str, one_for: Optional[int] = None) -> List[Pair]:
    """Pairs (low, high) from a list of pairs, one pair for all, or scipy's Bounds.

    None, or -inf below and inf above, says that there is no end. one_for is for how many coordinates one pair
    is, where dim is not known.
    """
    if hasattr(given, "lb") and hasattr(given, "ub"):
        lower, upper = _spread(given.lb, given.ub, dim or one_for, what)
        given = list(zip(lower, upper))
    try:
        given = list(given)
    except TypeError:
        raise ValueError(f"{what}: {short(given)}, must be a list of pairs (low, high), one for each coordinate") from None
    if len(given) == 2 and all(v is None or is_number(v) for v in given):
        if dim is None:
            dim = one_for
        if dim is None:
            point = " (If it is a point, write x0=….)" if what == "bounds" else ""
            raise ValueError(f"{what}: one pair for all coordinates needs x0, or it is not known how many there are; "
                             f"write [{short(tuple(given))}] * dim.{point}")
        given = [tuple(given)] * dim
    out = []
    for i, pair in enumerate(given):
        try:
            low, high = (None, None) if pair is None else pair
            ends = _end(low, -math.inf), _end(high, math.inf)
        except (TypeError, ValueError, OverflowError):
            raise ValueError(f"{what}: entry {i} is {short(pair)}, must be a pair of numbers (low, high)") from None
        out.append(ends)
    if dim is not None and len(out) != dim:
        raise ValueError(f"{what}: {len(out)} pairs for {dim} coordinates")
    if not out:
        raise ValueError(f"{what}: there are no coordinates")
    return out


def _end(value: Any, none: float) -> Optional[float]:
    if value is None or number(value) == none:
        return None
    if not math.isfinite(number(value)):
        raise ValueError
    return number(value)


def _spread(lower: Any, upper: Any, dim: Optional[int], what: str) -> Tuple[Sequence[float], Sequence[float]]:
    lists = [[side] if is_number(side) else list(side) for side in (lower, upper)]
    n = max(len(lists[0]), len(lists[1]), dim or 1)
    for side in lists:
        if len(side) == 1:
            side *= n
    if len(lists[0]) != len(lists[1]):
        raise ValueError(f"{what}: lb has {len(lists[0])} numbers and ub has {len(lists[1])}")
    return lists[0], lists[1]
