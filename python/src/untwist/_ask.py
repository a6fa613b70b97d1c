"""ask: a search for people with a loop of their own."""

from __future__ import annotations

import json
import math
import os
import re
import threading
import weakref
from array import array
from typing import Any, Dict, List, Optional, Sequence, Tuple

from . import _arrays, _evaluate, _options, _tables
from ._found import found
from ._kinds import Kinds
from ._minimize import fitted, frame_of
from ._places import helpful
from ._program import ERROR, Gone, Program
from ._result import OptimizeResult
from ._run import _U32, Run
from ._several import Row, said


@helpful
def ask(bounds: Any = None, budget: Optional[float] = None, x0: Any = None, *, start: Any = None, time: Any = None,
        target: Optional[float] = None, seed: Optional[int] = 0, parallel: int = 1, journal: Any = None, report: Any = None,
        names: Optional[Sequence[str]] = None, scale: Any = None, data: Any = None, strategy: Optional[str] = None,
        tolerance: Optional[float] = None, noise_level: Optional[float] = None, max_failures: Optional[float] = None,
        keep_going: bool = False, frame: Any = None, outputs: Any = None, limits: Any = None, maximize: bool = False,
        residuals: Optional[int] = None, integer: Any = None, step: Any = None, choices: Any = None, units: Any = None,
        value: Optional[str] = None, sensitivity: bool = False) -> "Search":
    """Begins a search that asks for points, and is told their values::

        search = untwist.ask(bounds, budget=20000)
        while not search.done:
            points = search.ask()
            search.tell(points, [f(x) for x in points])
        result = search.result()

    The arguments are those of minimize. With the same ones it asks for the same points, and comes
    to the same result, to the bit. With journal every value that is told is on disk before it is
    used, and the same call goes on where the search stood.

    With outputs the values that are told are dicts, {"value": 1.5, "stress": 20}. With residuals, how
    many there are, they are lists of them, or dicts with the key residuals, and the search is that of
    least_squares.
    """
    space = _options.Space(bounds, x0, start, names, scale, Kinds(integer, step, choices), units)
    flags = _options.flags(
        budget=budget, time=time, target=target, seed=_options.seed_of(seed), parallel=parallel, journal=journal, report=report,
        strategy=strategy, tolerance=tolerance, noise_level=noise_level, max_failures=max_failures, keep_going=keep_going,
        value=value, sensitivity=sensitivity)
    if residuals is not None:
        residuals = _options.whole(residuals, "residuals")
    hello = dict(space.hello(), function="ask", arguments="", **said(space, outputs, limits, maximize, residuals))
    if frame is not None:
        hello["frame"], hello["blocks"] = frame_of(frame)
    with _tables.earlier(data) as more:
        talk = _Talk("minimize", flags + more, hello, space.points)
        talk.kinds, talk.names = space.kinds, space.names
        talk.told = (0, int(budget or 500 * space.dim**2), 0, talk.numbers.sign * math.inf, "")
        return Search(talk, target, None if journal is None else os.fsdecode(journal))


class _Nobody:
    """Evaluates nothing."""

    def close(self) -> None:
        pass


class _Talk(Run):
    """A run whose batches are evaluated elsewhere."""

    def __init__(self, command: str, flags: List[str], hello: Dict[str, Any], points: List[List[float]]) -> None:
        super().__init__(command, flags, hello, points, _Nobody(), _evaluate.Skipped(True), None, None)
        self._hello["progress"] = True
        self._batch: Optional[bytearray] = None
        self.names: Optional[List[str]] = None
        self.told: Tuple[int, int, int, float, str] = (0, 0, 0, math.inf, "")  # queries, budget, failed, best value, stage
        self.closed = False

    def begin(self) -> None:
        self._program = Program(self._words, json.dumps(self._hello, allow_nan=False).encode(), self._known)

    def further(self) -> Optional[bytearray]:
        """The points of the next batch; None: the run has ended, and so has the program."""
        self._batch = None
        try:
            while self.form is None:
                kind, text = self._program.read()
                self._hear(kind, text)
                if self._batch is not None and not self.stopped:
                    return self._batch
            self.end(True)
        except Gone:
            self.end(True)
        except BaseException:  # an interrupt within a message: what follows would not be understood
            self.end(False)
            raise
        return None

    def _evaluate(self, text: bytearray) -> None:
        self._batch = text[4:]
        if self.kept is not None:
            self.kept.ask(bytes(self._batch), _U32.unpack_from(text)[0])

    def note(self, queries: int, budget: int, failed: int, best: float, stage: str) -> None:
        self.told = (queries, budget, failed, best, stage)

    @property
    def best(self) -> Any:
        return self._best

    def stop(self) -> None:
        self._stop("closed")

    def end(self, ended: bool) -> None:
        if not self.closed:
            self.closed = True
            self._close(ended)


class Search:
    """A search that asks for points, and is told their values.

    done    whether the search has ended: there is nothing more to ask
    out     the points that ask has returned and that are not told yet

    Its methods may be called by any thread. A Search that is not brought to its end should be
    closed, by close or by with; one that is forgotten is closed when it is garbage.
    """

    def __init__(self, talk: _Talk, target: Optional[float], journal: Optional[str]) -> None:
        self._talk, self._target, self._journal = talk, target, journal
        self._lock = threading.RLock()
        self._keys: List[bytes] = []  # the points of the batch, as bytes
        self._given = 0  # how many of them ask has returned
        self._at: Dict[bytes, List[int]] = {}  # where points are in the batch that are not told
        self._left = 0
        self._numbers = talk.numbers
        self._best: Tuple[float, Optional[bytes]] = (math.inf * self._numbers.sign, None)
        self._new = 0  # values that were told since the program has last said how many there are
        self._result: Optional[OptimizeResult] = None
        self._error: Optional[BaseException] = None
        talk.begin()
        self._finalizer = weakref.finalize(self, talk.end, False)
        self._further()

    @property
    def done(self) -> bool:
        """Whether the search has ended. If the time is spent, it ends within a batch."""
        with self._lock:
            if not self._talk.closed and self._talk.speaks():
                self._further()
            return self._talk.closed

    @property
    def out(self) -> Any:
        """The points that were asked for and not told."""
        with self._lock:
            return self._points([self._keys[i] for i in sorted(i for at in self._at.values() for i in at) if i < self._given])

    def ask(self, n: Optional[int] = None) -> Any:
        """Points whose values are wanted, at most n: an array of shape (k, dim), or a list of lists.
        No point is returned twice. If there are none, values of those that are out have to be told
        first, or the search is done."""
        most = None if n is None else _options.whole(n, "n")
        with self._lock:
            if self.done:
                return self._points([])
            first = self._given
            self._given = len(self._keys) if most is None else min(first + most, len(self._keys))
            return self._points(self._keys[first : self._given])

    def tell(self, points: Any, values: Any) -> None:
        """The values of points, in any order, some now and others later: a list of points and one
        of values, or one of each; where coordinates have names, points may be dicts or a DataFrame; with outputs a value is a dict, with residuals a list or a dict.
        NaN, +inf, None and an exception say that f failed there.
        When the search is done, values that come late are passed over."""
        points, values = _lists(points, values, self._talk.names)
        with self._lock:
            if self.done:
                return
            told = self._matched(points, values)
            self._pass_on(told)
            if self._left == 0 or self._talk.speaks():
                self._further()

    def result(self) -> OptimizeResult:
        """What was found. Before the end it is the best so far: x, fun, nfev, budget, failed and
        stage, with success False."""
        with self._lock:
            if self.done:
                if self._error is not None:
                    raise self._error
                assert self._result is not None
                return self._result
            queries, budget, failed, best, stage = self._talk.told
            x = self._talk.best
            if self._numbers.sign * self._best[0] < self._numbers.sign * best:
                best, x = self._best
            return OptimizeResult(message="The search goes on.", success=False, converged=False, fun=best,
                                  x=None if x is None else _arrays.vector(x), nfev=queries + self._new, budget=budget, failed=failed, stage=stage)

    def close(self) -> None:
        """Ends the search. Points that are out are forgotten; result still works."""
        with self._lock:
            if not self.done:
                self._talk.stop()
                self._further()

    def __repr__(self) -> str:
        queries = self._talk.told[0] + self._new if self._result is None else self._result.nfev
        return f"<untwist.Search: {queries:,} of {self._talk.told[1]:,} evaluations{', done' if self._talk.closed else ''}>"

    def __enter__(self) -> "Search":
        return self

    def __exit__(self, *_: Any) -> None:
        self.close()

    def _points(self, keys: List[bytes]) -> Any:
        points = _arrays.matrix(b"".join(keys), len(keys), self._talk.dim)
        return [self._talk.kinds.outward(x) for x in points] if self._talk.kinds else points

    def _further(self) -> None:
        """Waits for the next batch, or for the result."""
        self._keys, self._given, self._at, self._left, self._new = [], 0, {}, 0, 0
        try:
            batch = self._talk.further()
        except BaseException as e:  # an interrupt: nothing is left to go on with
            self._error = e
            raise
        if batch is None:
            self._finalizer.detach()
            self._conclude()
            return
        size = 8 * self._talk.dim
        self._keys = [bytes(batch[i : i + size]) for i in range(0, len(batch), size)]
        for i, key in enumerate(self._keys):
            self._at.setdefault(key, []).append(i)
        self._left = len(self._keys)

    def _conclude(self) -> None:
        """What came of it. What went wrong is raised now, and by result."""
        result = found(self._talk, self._target, self._journal) if self._talk.form else None
        try:
            self._talk.judge(result)
            self._result = fitted(result) if result is not None and self._numbers.residuals else result
        except BaseException as e:
            self._error = e
            raise

    def _matched(self, points: List[Any], values: List[Any]) -> List[Tuple[int, Row, Optional[str]]]:
        """Where in the batch the points are, with their numbers or why they failed."""
        if len(points) != len(values):
            raise ValueError(f"tell: {len(values)} values for {len(points)} points")
        used: Dict[bytes, int] = {}
        told: List[Tuple[int, Row, Optional[str]]] = []
        failed = Row([math.nan] * self._numbers.width)
        for k, (point, v) in enumerate(zip(points, values)):
            numbers = _arrays.numbers(self._talk.kinds.inward(point), f"points[{k}]")
            key = array("d", numbers).tobytes()
            at = [i for i in self._at.get(key, []) if i < self._given]
            i = used.get(key, 0)
            if i >= len(at):
                raise ValueError(f"points[{k}] is none of those that are out: it was not asked for, or its value was told before; "
                                 "give points as ask has returned them, with all digits")
            used[key] = i + 1
            if v is None or isinstance(v, BaseException):
                told.append((at[i], failed, "no value" if v is None else _evaluate.reason(v)))
            elif self._numbers.more and _arrays.is_number(v) and not math.isfinite(_arrays.number(v)):
                told.append((at[i], failed, None))
            else:
                told.append((at[i], self._row(v, k), None))
        return told

    def _row(self, value: Any, k: int) -> Row:
        """The numbers of a value that was told."""
        try:
            return self._numbers.row(value)
        except (TypeError, ValueError) as e:
            raise type(e)(f"values[{k}]: " + re.sub("^fun returned ", "", str(e)).replace("and has to return", "has to be")) from None

    def _pass_on(self, told: List[Tuple[int, Row, Optional[str]]]) -> None:
        """Gives values to the program, in messages of neighbours."""
        told = sorted(told, key=lambda t: t[0])
        begin = 0
        for end in range(1, len(told) + 1):
            if end < len(told) and told[end][0] == told[end - 1][0] + 1:
                continue
            part = told[begin:end]
            failures = [(k, ERROR, why) for k, (_, _, why) in enumerate(part) if why is not None]
            self._talk.answer(part[0][0], array("d", [v for _, row, _ in part for v in row]), 0.0, failures)
            begin = end
        for i, row, _ in told:
            at = self._at[self._keys[i]]
            at.remove(i)
            if not at:
                del self._at[self._keys[i]]
            v = self._numbers.worth(row)
            if not self._numbers.limited and self._numbers.sign * v < self._numbers.sign * self._best[0]:
                self._best = v, self._keys[i]  # which of limited ones are feasible, the program knows
        self._left -= len(told)
        self._new += len(told)


def _lists(points: Any, values: Any, names: Optional[List[str]]) -> Tuple[List[Any], List[Any]]:
    """Lists of points and of values, from these or from one of each."""
    points = _tables.in_order(points, names, "points")
    points = points.tolist() if hasattr(points, "tolist") else [_tables.in_order(p, names, "points") for p in points]
    if points and (_arrays.is_number(points[0]) or isinstance(points[0], str)):
        return [points], [values]
    if isinstance(values, (str, bytes)) or not hasattr(values, "__iter__"):
        raise TypeError(f"values: {_arrays.short(values)}, must be a list of numbers, one for each point")
    return points, values.tolist() if hasattr(values, "tolist") else list(values)
