"""Functions that answer several numbers: outputs with limits, residuals, linear limits of the coordinates."""

from __future__ import annotations

import math
import re
from typing import Any, Callable, Dict, List, Optional, Tuple

from . import _arrays


class Row(List[float]):
    """All numbers of an answer."""


class Several:
    """A function whose answers have several numbers, as one that returns a Row of them."""

    def __init__(self, fun: Callable[..., Any], residuals: int, names: List[str]) -> None:
        self.fun, self.residuals, self.names = fun, residuals, names
        self.width = max(residuals, 1) + len(names)
        self.known: Optional[Tuple[Tuple[float, ...], Any]] = None  # an answer that was paid for before the run

    def __call__(self, x: Any, *args: Any) -> Row:
        if self.known is not None and self.known[0] == tuple(map(float, x)):
            answer = self.known[1]
        else:
            answer = self.fun(x, *args)
        return self.row(answer)

    def row(self, answer: Any) -> Row:
        """The numbers of what fun has returned."""
        if not isinstance(answer, dict):
            if self.names:
                raise TypeError(f"fun returned {_arrays.short(answer)}, and has to return a dict of the value and the outputs {', '.join(self.names)}")
            front = list(answer) if self.residuals else [answer]
            return self.checked(front)
        key = "residuals" if self.residuals else "value"
        for name in [key] + self.names:
            if name not in answer:
                raise KeyError(f"fun returned no {name}")
        front = list(answer[key]) if self.residuals else [answer[key]]
        return self.checked(front + [answer[name] for name in self.names])

    def checked(self, numbers: List[Any]) -> Row:
        if len(numbers) != self.width:
            raise ValueError(f"fun returned {len(numbers)} numbers, and {self.width} at first")
        return Row(v if type(v) is float else _arrays.number(v) for v in numbers)


def outputs_of(outputs: Any) -> List[Dict[str, Any]]:
    """Outputs as the program takes them: names, or a dict of names with limits: (low, high), or one number that
    they have to be, or None, or a dict of min, max, equal, within and unit."""
    if outputs is None:
        return []
    if not isinstance(outputs, dict):
        outputs = dict.fromkeys(outputs)
    out = []
    for name, limits in outputs.items():
        o: Dict[str, Any] = {"Name": str(name)}
        if limits is None:
            pass
        elif _arrays.is_number(limits):
            o["Equal"] = _arrays.number(limits)
        elif isinstance(limits, dict):
            for key, v in limits.items():
                if key not in ("min", "max", "equal", "within", "unit"):
                    raise ValueError(f"outputs: {name}: {key!r} is none of min, max, equal, within and unit")
                o[key.capitalize()] = v if key == "unit" else _arrays.number(v)
        else:
            pair = list(limits)
            if len(pair) != 2:
                raise ValueError(f"outputs: {name}: {_arrays.short(limits)}, must be a pair (low, high), a number or None")
            for key, v in zip(("Min", "Max"), pair):
                if v is not None and math.isfinite(_arrays.number(v)):
                    o[key] = _arrays.number(v)
        out.append(o)
    return out


def limits_of(limits: Any, space: Any) -> List[str]:
    """Linear limits as texts: those that are texts already, and scipy's LinearConstraint."""
    if limits is None:
        return []
    if isinstance(limits, str) or hasattr(limits, "A"):
        limits = [limits]
    named = "parameters" in space.hello()
    names = [space.called(i) if named else f"x{i + 1}" for i in range(space.dim)]
    out: List[str] = []
    for limit in limits:
        if isinstance(limit, str):
            out.append(limit if named else re.sub(r"\bx\[(\d+)\]", lambda m: f"x{int(m.group(1)) + 1}", limit))
            continue
        if not hasattr(limit, "A"):
            raise ValueError(f"limits: {_arrays.short(limit)}, must be a text such as 'x[0] + x[1] <= 5', or scipy's LinearConstraint")
        rows = limit.A.toarray().tolist() if hasattr(limit.A, "toarray") else [list(map(float, r)) for r in _rows(limit.A)]
        lows, highs = _sides(limit.lb, len(rows)), _sides(limit.ub, len(rows))
        for row, low, high in zip(rows, lows, highs):
            if len(row) != space.dim:
                raise ValueError(f"limits: a row of {len(row)} coefficients, and there are {space.dim} coordinates")
            text = " + ".join(f"{v!r}*{name}" for v, name in zip(row, names) if v).replace("+ -", "- ")
            if low == high:
                out.append(f"{text} = {high!r}")
                continue
            if low > -math.inf:
                out.append(f"{text} >= {low!r}")
            if high < math.inf:
                out.append(f"{text} <= {high!r}")
    return out


def _rows(a: Any) -> List[Any]:
    a = a.tolist() if hasattr(a, "tolist") else list(a)
    return [a] if a and _arrays.is_number(a[0]) else a


def _sides(side: Any, n: int) -> List[float]:
    side = side.tolist() if hasattr(side, "tolist") else side
    return [float(side)] * n if _arrays.is_number(side) else [float(v) for v in side]
