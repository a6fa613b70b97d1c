"""Tables with names: bounds as a dict or a DataFrame, old evaluations, and queries of a run."""

from __future__ import annotations

import contextlib
import csv
import io
import math
import os
import tempfile
from array import array
from typing import Any, Dict, Iterator, List, Optional, Sequence, Tuple

from . import _arrays, _program

# What the two ends of a side are called in a DataFrame.
_ENDS = (("low", "high"), ("lower", "upper"), ("min", "max"), ("lb", "ub"))


def is_frame(thing: Any) -> bool:
    """Whether something is a DataFrame, of pandas or of one who does as that does."""
    return hasattr(thing, "columns") and hasattr(thing, "index") and hasattr(thing, "to_numpy")


def named(bounds: Any) -> Tuple[Optional[List[str]], Any]:
    """The names in bounds, None if there are none, and the pairs.

    A dict has a pair for each name. A DataFrame has a row for each, with columns low and high,
    or a column for each, with rows min and max, as describe() has."""
    if is_frame(bounds):
        ends = _ends(bounds.columns)
        if ends is None and _ends(bounds.index) is not None:
            bounds = bounds.T
            ends = _ends(bounds.columns)
        if ends is None:
            raise ValueError(f"bounds: a DataFrame needs two columns, low and high, with a row for each parameter; it has "
                             f"{_arrays.short(list(bounds.columns))}")
        low, high = (bounds[c].tolist() for c in ends)
        bounds = _indexed(bounds)
        bounds = dict(zip(bounds.index.tolist(), zip(low, high)))
        if len(bounds) != len(low):
            raise ValueError("bounds: two rows of the DataFrame have the same name")
    bounds = _by_name(bounds)
    if not isinstance(bounds, dict):
        return None, bounds
    if not bounds or not all(isinstance(n, str) for n in bounds):
        raise ValueError("bounds: the keys must be texts, the names of the parameters")
    return list(bounds), list(bounds.values())


def _by_name(given: Any) -> Any:
    """A Series whose entries have names as a dict; other things as they are."""
    named = hasattr(given, "to_dict") and hasattr(given, "index") and all(isinstance(n, str) for n in given.index)
    return given.to_dict() if named else given


def _indexed(table: Any) -> Any:
    """A DataFrame whose rows have names: those of its index, or of its only other column of texts."""
    if all(isinstance(n, str) for n in table.index):
        return table
    texts = [c for c in table.columns if all(isinstance(v, str) for v in table[c].tolist())]
    if len(texts) != 1:
        raise ValueError("bounds: the rows of the DataFrame have no names; make them its index, by set_index(\"name\")")
    return table.set_index(texts[0])


def _ends(labels: Any) -> Optional[Tuple[Any, Any]]:
    found = {str(label).lower(): label for label in labels}
    return next(((found[a], found[b]) for a, b in _ENDS if a in found and b in found), None)


def in_order(given: Any, names: Optional[List[str]], what: str) -> Any:
    """The values of a dict, or of a Series or the columns of a DataFrame with names, in the order of the names; other
    things as they are."""
    if is_frame(given):
        return _frame_in_order(given, names, what)
    if names is not None:
        given = _by_name(given)
    if not isinstance(given, dict):
        return given
    if names is None:
        raise ValueError(f"{what}: it has names, and the parameters have none; give bounds as a dict, or names")
    for name in list(given) + names:
        if name not in names or name not in given:
            raise ValueError(f"{what}: there is no {'value for the ' if name in names else ''}parameter {name!r}")
    return [given[n] for n in names]


def _frame_in_order(given: Any, names: Optional[List[str]], what: str) -> Any:
    """A DataFrame of points, a row each, or of pairs, as bounds have them."""
    if what == "start":
        found, pairs = named(given)
        return in_order(dict(zip(found or [], pairs)), names, what)
    columns = {c: given[c].tolist() for c in given.columns}
    if names is None or not all(isinstance(c, str) for c in columns):
        return given.to_numpy().tolist()
    return list(map(list, zip(*in_order(columns, names, what))))


@contextlib.contextmanager
def earlier(data: Any) -> Iterator[List[str]]:
    """The flags for old evaluations: the file of a journal or of CSV, or a table with a column for
    each parameter and one of values, which is written to a file for as long as this lasts."""
    if data is None:
        yield []
    elif isinstance(data, (str, bytes, os.PathLike)):
        yield ["--from=" + os.fsdecode(data)]
    else:
        columns = _columns(data)
        with tempfile.TemporaryDirectory(prefix="untwist-data-") as folder:
            path = os.path.join(folder, "data.csv")
            with open(path, "w", encoding="utf-8", newline="") as file:
                out = csv.writer(file)
                out.writerow(columns)
                out.writerows(zip(*columns.values()))
            yield ["--from=" + path]


def _columns(data: Any) -> Dict[str, List[Any]]:
    if is_frame(data):
        data = {c: data[c].tolist() for c in data.columns}
    if not isinstance(data, dict) or not data or not all(isinstance(c, str) for c in data):
        raise ValueError(f"data: {_arrays.short(data)}, must be the path of a journal or of a CSV file, a DataFrame, or a dict of columns")
    columns = {name: list(column) for name, column in data.items()}
    if len({len(column) for column in columns.values()}) > 1:
        raise ValueError("data: its columns have different lengths")
    return columns


class Kept:
    """The queries of a run, as far as they are few enough to be kept in memory."""

    MOST = 1 << 24  # numbers: 128 MiB

    def __init__(self, dim: int, numbers: Any) -> None:
        self.dim, self.numbers = dim, numbers
        self.kinds: Any = None
        self._points: List[bytes] = []
        self._values: List["array[float]"] = []
        self._known: List[bytearray] = []
        self._numbers = 0
        self.most = 1 << 62  # how many of them counted: values may come when the run has ended

    def ask(self, points: bytes, n: int) -> None:
        """A batch that is asked for."""
        self._numbers += n * (self.dim + self.numbers.width)
        if self._numbers > self.MOST:
            self._points, self._values, self._known = [], [], []
        else:
            self._points.append(points)
            self._values.append(array("d", bytes(8 * n * self.numbers.width)))
            self._known.append(bytearray(n))

    def tell(self, first: int, values: "array[float]") -> None:
        """All numbers of points of the last batch, from its point first on."""
        width, n = self.numbers.width, len(values) // self.numbers.width
        if self._values:
            self._values[-1][first * width : (first + n) * width] = values
            self._known[-1][first : first + n] = b"\1" * n

    def table(self) -> Tuple[Any, Any]:
        """The points that are known, and all numbers of each, in the order in which they were asked for."""
        if self._numbers > self.MOST:
            raise ValueError(f"the run asked for more than {self.MOST:,} numbers, and these are not kept; give it a journal")
        points, values, size, width = bytearray(), bytearray(), 8 * self.dim, self.numbers.width
        for p, v, known in zip(self._points, self._values, self._known):
            if all(known):
                points += p
                values += v.tobytes()
                continue
            for i in range(len(known)):
                if known[i]:
                    points += p[size * i : size * (i + 1)]
                    values += v[i * width : (i + 1) * width].tobytes()
        n = min(len(values) // (8 * width), self.most)
        return _arrays.matrix(points[: size * n], n, self.dim), _arrays.matrix(values[: 8 * n * width], n, width)


class Journal:
    """The queries of a run that are in its journal."""

    def __init__(self, path: str, dim: int, numbers: Any, queries: int, kinds: Any) -> None:
        self.path, self.dim, self.numbers, self._queries, self.kinds = path, dim, numbers, queries, kinds

    def table(self) -> Tuple[Any, Any]:
        """The same as of Kept."""
        done = _program.run(["journal", "--csv", "--", self.path])
        if done.returncode != 0:
            raise ValueError(_program.in_python(done.stderr.decode("utf-8", "replace").strip()))
        names, *lines = csv.reader(io.StringIO(done.stdout.decode()))
        more = self.numbers.more
        at = ([] if self.numbers.residuals else [self.dim + 1]) + list(range(len(names) - len(more), len(names)))
        rows = sorted((int(row[0]), row) for row in lines if int(row[0]) <= self._queries)
        points, values = array("d"), array("d")
        for _, row in rows:
            points.extend(map(float, self.kinds.inward(row[1 : self.dim + 1])))
            values.extend(float(row[i] or "nan") for i in at)
        return _arrays.matrix(points.tobytes(), len(rows), self.dim), _arrays.matrix(values.tobytes(), len(rows), self.numbers.width)


def plain(thing: Any) -> Any:
    """Something as JSON has it: arrays are lists, and a number that is not finite is null."""
    if hasattr(thing, "tolist"):
        thing = thing.tolist()
    if isinstance(thing, dict):
        return {str(k): plain(v) for k, v in thing.items()}
    if isinstance(thing, (list, tuple)):
        return [plain(v) for v in thing]
    if isinstance(thing, float) and not math.isfinite(thing):
        return None
    return thing


def frame(points: Any, values: Any, names: Sequence[str], more: Dict[str, Any], kinds: Any) -> Any:
    """Points, values and other columns as a DataFrame; None where pandas is not installed."""
    try:
        import pandas  # type: ignore[import]
    except ImportError:
        return None
    columns = dict(zip(names, points.T))
    if kinds:
        for i, column in enumerate(zip(*map(kinds.outward, points))):
            columns[names[i]] = list(column)
    return pandas.DataFrame({**columns, "value_" if "value" in columns else "value": values, **more})
