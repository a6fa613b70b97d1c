"""Functions that answer several numbers: outputs with limits, residuals, linear limits of the coordinates."""

from __future__ import annotations

import math
import re
from typing import Any, Callable, Dict, List, Optional, Sequence, Tuple

from . import _arrays


class Row(List[float]):
    """All numbers of an answer."""


class Numbers:
    """What an answer has: a value, or residuals whose squares are summed, and named outputs."""

    def __init__(self, said: Dict[str, Any]) -> None:
        self.residuals: int = said.get("residuals", 0)
        self.names: List[str] = [o["Name"] for o in said.get("outputs") or []]
        self.width = max(self.residuals, 1) + len(self.names)
        self.more = [f"residual{i + 1}" for i in range(self.residuals)] + self.names  # all but the value
        self.sign = -1 if said.get("maximize") else 1
        self.limited = any(len(o) > 1 for o in said.get("outputs") or [])

    def listed(self, answer: Any) -> List[Any]:
        """All that fun has returned, in order."""
        if not isinstance(answer, dict):
            if self.names:
                raise TypeError(f"fun returned {_arrays.short(answer)}, and has to return a dict of the value and the outputs {', '.join(self.names)}")
            answer = {"residuals": answer, "value": answer}
        front = "residuals" if self.residuals else "value"
        if self.residuals == 1 and _arrays.is_number(answer.get(front)):
            answer = dict(answer, residuals=[answer[front]])  # as with scipy, a number is a list of one
        for name in [front] + self.names:
            if name not in answer:
                raise ValueError(f"fun returned no {name}")
        found = (list(answer[front]) if self.residuals else [answer[front]]) + [answer[name] for name in self.names]
        if len(found) != self.width:
            raise ValueError(f"fun returned {len(found)} numbers, and has to return {self.width}")
        return found

    def row(self, answer: Any) -> Row:
        """The numbers of what fun has returned for a point."""
        return Row(v if type(v) is float else _arrays.number(v) for v in self.listed(answer))

    def worth(self, row: Sequence[float]) -> float:
        """The value of an answer: its first number, or the sum of the squares of its residuals."""
        return sum(v * v for v in row[: self.residuals]) if self.residuals else row[0]


class Several:
    """A function whose answers have several numbers, as one that returns a Row of them, or a list of Rows if it is
    vectorized: then each of its numbers is a list, an entry for each point."""

    def __init__(self, fun: Callable[..., Any], numbers: Numbers, vectorized: bool, known: Any) -> None:
        self.fun, self.numbers, self.vectorized = fun, numbers, vectorized
        self.width = numbers.width
        self.known: Optional[Tuple[Tuple[float, ...], Any]] = known  # an answer that was paid for before the run

    def __call__(self, x: Any, *args: Any) -> Any:
        if self.vectorized:
            columns = [c.tolist() if hasattr(c, "tolist") else list(c) for c in self.numbers.listed(self.fun(x, *args))]
            if any(len(c) != len(columns[0]) for c in columns):
                raise ValueError("vectorized: fun returned lists of different lengths")
            return [Row(map(_arrays.number, row)) for row in zip(*columns)]
        if self.known is not None and self.known[0] == tuple(map(float, x)):
            return self.numbers.row(self.known[1])
        return self.numbers.row(self.fun(x, *args))


def said(space: Any, outputs: Any = None, limits: Any = None, maximize: bool = False, residuals: Optional[int] = None) -> Dict[str, Any]:
    """The part of the first message that is about answers with several numbers, and about limits."""
    out: Dict[str, Any] = {}
    if outputs is not None:
        out["outputs"] = outputs_of(outputs)
    if limits is not None:
        out["limits"] = limits_of(limits, space)
    if maximize:
        out["maximize"] = True
    if residuals is not None:
        out["residuals"] = residuals
    return out


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
    if isinstance(limits, str) or not hasattr(limits, "__iter__"):
        limits = [limits]
    named = "parameters" in space.hello()
    names = [space.called(i) if named else f"x{i + 1}" for i in range(space.dim)]
    out: List[str] = []
    for limit in limits:
        if isinstance(limit, str):
            out.append(limit if named else re.sub(r"\bx\[(\d+)\]", lambda m: f"x{int(m.group(1)) + 1}", limit))
            continue
        if not hasattr(limit, "A"):
            curved = " What is not linear is returned by fun, as an output with limits." if hasattr(limit, "fun") else ""
            raise ValueError(f"limits: {_arrays.short(limit)}, must be a text such as 'x[0] + x[1] <= 5', or scipy's LinearConstraint.{curved}")
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
