"""minimize, probe and check."""

from __future__ import annotations

import os
import math
from typing import Any, Callable, Dict, List, Optional, Sequence, Tuple, Union

from . import _arrays, _options, _progress, _tables
from ._evaluate import Mapped, Serial, Skipped, Vectorized
from ._found import found
from ._kinds import Kinds
from ._places import helpful, places, with_ends
from ._result import OptimizeResult, _Record
from ._run import Run
from ._several import Numbers, Several, said
from ._workers import Pool, count

Objective = Callable[..., Any]
Workers = Union[int, Callable[..., Any]]


@places
def minimize(fun: Objective, bounds: Any = None, x0: Any = None, args: Tuple[Any, ...] = (), *, start: Any = None,
             budget: Optional[float] = None, time: Any = None, target: Optional[float] = None, seed: Optional[int] = 0,
             workers: Workers = 1, parallel: int = 1, vectorized: bool = False,
             callback: Optional[Callable[[OptimizeResult], Any]] = None, journal: Any = None, report: Any = None,
             names: Optional[Sequence[str]] = None, scale: Any = None, keywords: bool = False, data: Any = None, on_failure: str = "skip",
             strategy: Optional[str] = None, tolerance: Optional[float] = None, noise_level: Optional[float] = None,
             max_failures: Optional[float] = None, keep_going: bool = False, frame: Any = None,
             progress: Optional[bool] = None, outputs: Any = None, limits: Any = None, maximize: bool = False,
             integer: Any = None, step: Any = None, choices: Any = None, units: Any = None, value: Optional[str] = None,
             sensitivity: bool = False) -> OptimizeResult:
    """Searches for the minimum of fun(x, *args), globally.

    The same fun, options and seed give the same bits, here and in Go, for any workers.

    fun         takes a point (an array of floats, or a list where numpy is not installed)
                and returns a number. NaN, +inf, what is no number and an exception are failures.
    bounds      limits: a pair (low, high) for each coordinate, scipy's Bounds, or a dict or
                DataFrame of pairs by names. None is no limit. Nothing outside is ever asked;
                low == high fixes a coordinate.
    x0          a known point, or a list of them. scipy's order is understood too: minimize(fun,
                x0, bounds).
    args        more arguments of fun: a tuple, or one that is not
    start       where to look first: a pair for each coordinate, or one for all. It is no
                limit. Default: the bounds; where these have no end, x0 ± max(5, |x0|).
    budget      the most evaluations. Default 500 times the square of the dimension.
    time        the most time: seconds, or a text such as "2h"
    target      stop at this value
    seed        decides all randomness; None: any
    workers     how many processes evaluate fun (-1: as many as processors), or a map-like
                workers(func, iterable) such as pool.map. It never changes a result.
    parallel    how many evaluations at the same time cost no more than one. It belongs to the
                search: larger populations, fewer rounds.
    vectorized  fun takes an array of shape (N, S), S points at once, and returns S values
    callback    callback(intermediate_result) is called after each batch, with x, fun, nfev,
                budget, failed and stage. If it returns True or raises StopIteration, the run ends.
    journal     a file in which every value is kept before it is used. The same call again
                goes on where the run stood, whatever has ended it.
    report      a file for a page in HTML that shows people, with pictures, what was found. It is
                written when the run ends, however that is.
    names       names of the coordinates
    scale       "log" or "linear" for all coordinates, a list of these, or a dict by names
    keywords    fun is called with the coordinates by their names: fun(*args, k=1.0, depth=2.0)
    data        old evaluations, whose ten best points are known points: a DataFrame or a dict of
                columns, the file of one as CSV, with the names of the coordinates and value; or
                the journal of an earlier run
    on_failure  "skip": an exception in fun is a failed point, and is counted; "raise": it ends
                the run and is raised, with the best so far as its attribute result
    strategy    auto (default), cmaes, cbo and others
    tolerance   stop a search of which the last tenth of the evaluations gained less than this, in
                a local minimum too; the message says so
    noise_level the standard deviation of fun's noise, if it is known
    max_failures, keep_going
                the share of the last 1,000 evaluations that may fail (default 0.95), and
                whether to go on all the same
    frame       coordinates in which fun is known to separate: an array of rows, or the result
                of probe
    progress    a line about the run on standard error. Default: in a terminal or a notebook.
    outputs     numbers that fun returns besides the value, then as a dict {"value": 1.5, "stress": 20}: a
                dict of their names and limits, (low, high), with None where there is no limit, or a
                number that they have to be. The best point is the best of those that keep to them.
    limits      limits that are linear in the coordinates, which no evaluation violates: texts such as
                "x[0] + x[1] <= 5", or "k + depth = 2" with names, and scipy's LinearConstraint
    maximize    look for the greatest value
    integer     names or numbers of coordinates that are integers: fun gets ints there
    step        a dict of coordinates and their steps: low, low + step, … up to high
    choices     a dict of names and lists of words: {"material": ["copper", "steel"]}. They have no bounds,
                and come last, unless names say where. fun gets a word there. With integers or choices
                points are lists: those of fun, x of the result, and x0 may have words.
    units       units of the coordinates, a list or a dict by names, {"k": "m/s"}; with logarithmic scales,
                combinations whose units cancel are then called dimensionless groups
    value       what the value is, with its unit in brackets, "cost [EUR]", for the report
    sensitivity result.sensitivity says how much each coordinate matters, as it also does with a report

    Ctrl-C raises KeyboardInterrupt, which has the best so far as its attribute result; a second one
    does not wait for that. If fun fails too often, or a journal cannot be used, untwist.Error is
    raised, with the best so far as its attribute result.
    """
    flags = _options.flags(
        budget=budget, time=time, target=target, seed=_options.seed_of(seed), parallel=parallel, journal=journal, report=report,
        strategy=strategy, tolerance=tolerance, noise_level=noise_level, max_failures=max_failures, keep_going=keep_going,
        value=value, sensitivity=sensitivity)
    space = _options.Space(bounds, x0, start, names, scale, Kinds(integer, step, choices), units)
    fun = space.objective(fun, args, keywords, vectorized)
    several = said(space, outputs, limits, maximize)
    with _tables.earlier(data) as more:
        return searched("minimize", flags + more, space, fun, args, workers, vectorized, callback, on_failure, frame, progress, target, journal, several)


@helpful
def least_squares(fun: Objective, x0: Any = None, bounds: Any = None, args: Tuple[Any, ...] = (), *, start: Any = None,
                  budget: Optional[float] = None, time: Any = None, target: Optional[float] = None, seed: Optional[int] = 0, workers: Workers = 1,
                  vectorized: bool = False, journal: Any = None, report: Any = None, names: Optional[Sequence[str]] = None, scale: Any = None, keywords: bool = False, on_failure: str = "skip",
                  outputs: Any = None, limits: Any = None, progress: Optional[bool] = None,
                  integer: Any = None, step: Any = None, choices: Any = None, units: Any = None, value: Optional[str] = None,
                  sensitivity: bool = False) -> OptimizeResult:
    """Fits: searches for the least sum of squares of what fun(x, *args) returns, a list of residuals.

    Arguments are those of minimize; bounds may also be scipy's (lows, highs). The result has scipy's
    fields x, cost (half the sum of squares), fun (the residuals), jac, grad, nfev, status, message and
    success, and besides stderr (the standard errors of x), cov (its covariance), correlations,
    singular_values and sum_of_squares. target is a sum of squares. The number of residuals is learnt by one evaluation
    at x0, or in the middle of the bounds. With vectorized, fun returns S values of each residual.
    """
    space = _options.Space(_scipys(bounds, x0), x0, start, names, scale, Kinds(integer, step, choices), units)
    flags = _options.flags(budget=budget, time=time, target=target, seed=_options.seed_of(seed), journal=journal, report=report, value=value,
                           sensitivity=sensitivity)
    fun = space.objective(fun, args, keywords, vectorized)
    first = space.points[0] if space.points else space.middle()
    answer = fun(_arrays.of([[v] for v in first] if vectorized else first), *_options.tuple_of(args))
    residuals = answer["residuals"] if isinstance(answer, dict) else answer
    several = said(space, outputs, limits, residuals=1 if _arrays.is_number(residuals) else len(residuals))
    known = None if vectorized else (tuple(first), answer)
    result = searched("minimize", flags, space, fun, args, workers, vectorized, None, on_failure, None, progress, target, journal, several, known)
    return fitted(result)


def fitted(result: OptimizeResult) -> OptimizeResult:
    """The result of a fit in the names of scipy's least_squares."""
    result["sum_of_squares"] = result.fun
    result["cost"] = result.fun / 2
    for name, key in (("jac", "jacobian"), ("cov", "covariance"), ("correlations", "correlations"), ("stderr", "stderr"), ("singular_values", "singular_values"), ("fun", "residuals")):
        found_ = result.pop(key, None)
        result[name] = None if found_ is None else _arrays.of([[_finite(v) for v in row] if isinstance(row, list) else _finite(row) for row in found_])
    if result.jac is not None and result["fun"] is not None:
        columns = len(result.jac[0])
        result["grad"] = _arrays.of([sum(row[j] * r for row, r in zip(result.jac, result["fun"])) for j in range(columns)])
    return result


def _finite(v: Optional[float]) -> float:
    return math.inf if v is None else v


def _scipys(bounds: Any, x0: Any) -> Any:
    """Bounds as pairs, also from scipy's two lists (lows, highs). In two dimensions two pairs are also two
    lists: then x0 decides, if it lies within one of them only."""
    if not isinstance(bounds, tuple) or len(bounds) != 2 or x0 is None or isinstance(x0, dict) or _arrays.is_number(x0):
        return bounds
    point = list(x0)
    if not point or not _arrays.is_number(point[0]) or len(point) == 2 and all(map(_arrays.is_number, bounds)):
        return bounds
    theirs = list(zip(*([side] * len(point) if _arrays.is_number(side) else list(side) for side in bounds)))
    if len(point) != 2 or any(map(_arrays.is_number, bounds)):
        return theirs

    def within(pairs: Any) -> bool:
        limits = with_ends(pairs)
        return len(limits) == 2 and all(low <= v <= high for v, (low, high) in zip(point, limits))
    ours = [tuple(side) for side in bounds]
    if theirs == ours or within(theirs) == within(ours):
        if theirs != ours and within(ours):
            raise ValueError("bounds: are these two pairs, or scipy's lows and highs? Write a list of pairs, [(low, high), …], or scipy's Bounds")
        return ours
    return theirs if within(theirs) else ours


def searched(command: str, flags: List[str], space: _options.Space, fun: Objective, args: Any, workers: Workers, vectorized: bool, callback: Any,
             on_failure: str, frame: Any, progress: Optional[bool], target: Optional[float], journal: Any,
             several: Optional[Dict[str, Any]] = None, known: Any = None) -> OptimizeResult:
    """What the program finds with these flags."""
    args = _options.tuple_of(args)
    hello = dict(space.hello(), function=_options.function_name(fun), arguments=_options.arguments(fun, args), **several or {})
    fun = _numbers(fun, hello, vectorized, known)
    if frame is not None:
        hello["frame"], hello["blocks"] = frame_of(frame)
    evaluator, failed = _evaluator(fun, args, workers, vectorized, on_failure)
    points = space.points if command == "minimize" else []
    run = Run(command, flags, hello, points, evaluator, failed, callback, _progress.line(progress))
    run.kinds = space.kinds
    run.go()
    result = found(run, target, None if journal is None else os.fsdecode(journal)) if run.form else None
    run.judge(result)
    assert result is not None
    return result


@places
def probe(fun: Objective, bounds: Any = None, x0: Any = None, args: Tuple[Any, ...] = (), *, start: Any = None,
          budget: Optional[float] = None, time: Any = None, seed: Optional[int] = 0, workers: Workers = 1, parallel: int = 1,
          vectorized: bool = False, callback: Optional[Callable[[OptimizeResult], Any]] = None, journal: Any = None, report: Any = None,
          names: Optional[Sequence[str]] = None, scale: Any = None, keywords: bool = False, on_failure: str = "skip",
          noise_level: Optional[float] = None, max_failures: Optional[float] = None, keep_going: bool = False,
          progress: Optional[bool] = None) -> OptimizeResult:
    """Finds the coordinates in which fun separates, and certifies them. It does not search.

    Arguments are those of minimize. x0 only says where to look, if nothing else does. The result
    has frame, structure, certificate and spectrum; x is the best point on the way. It can be
    given to minimize as its frame.
    """
    space = _options.Space(bounds, x0, start, names, scale)
    flags = _options.flags(
        budget=budget, time=time, seed=_options.seed_of(seed), parallel=parallel, journal=journal, report=report, noise_level=noise_level,
        max_failures=max_failures, keep_going=keep_going)
    fun = space.objective(fun, args, keywords, vectorized)
    return searched("probe", flags, space, fun, args, workers, vectorized, callback, on_failure, None, progress, None, journal)


class Interactions(_Record):
    """Which coordinates of fun interact: how fun changes along one depends on where the other is.

    kind     "dense" (all of a sample interact), "alone" (none do), "blocks", "band", "sparse" or
             "undecided"
    groups   lists of the names of coordinates that interact, directly or by others of the list
    alone    those that interact with no other
    unseen   those on which fun depends too little to tell
    band     how far apart those that interact are at most, in the order given; 0 if it is no band
    edges    how many pairs interact; of blocks, how many may
    margin   the weakest effect that counts, in units of the largest that rounding or noise may
             have; None if no two interact
    queries  what it cost
    """

    kind: str
    groups: List[List[str]]
    alone: List[str]
    unseen: List[str]
    band: int
    edges: int
    margin: Optional[float]
    queries: int


@places
def interactions(fun: Objective, bounds: Any = None, x0: Any = None, args: Tuple[Any, ...] = (), *, start: Any = None,
                 budget: Optional[float] = None, time: Any = None, seed: Optional[int] = 0, workers: Workers = 1, parallel: int = 1,
                 vectorized: bool = False, callback: Optional[Callable[[OptimizeResult], Any]] = None, journal: Any = None, report: Any = None,
                 names: Optional[Sequence[str]] = None, scale: Any = None, keywords: bool = False, on_failure: str = "skip",
                 noise_level: Optional[float] = None, max_failures: Optional[float] = None, keep_going: bool = False,
                 progress: Optional[bool] = None) -> Interactions:
    """Finds which coordinates of fun interact, with few evaluations. It does not search.

    Arguments are those of probe. Coordinates without names are x[0], x[1], …
    """
    space = _options.Space(bounds, x0, start, names, scale)
    flags = _options.flags(
        budget=budget, time=time, seed=_options.seed_of(seed), parallel=parallel, journal=journal, report=report, noise_level=noise_level,
        max_failures=max_failures, keep_going=keep_going)
    fun = space.objective(fun, args, keywords, vectorized)
    result = searched("probe", flags + ["--interactions"], space, fun, args, workers, vectorized, callback, on_failure, None, progress, None, journal)
    graph = Interactions(result["interactions"])
    if space.names is None:  # as Python counts
        def counted(names: List[str]) -> List[str]:
            return [f"x[{int(name[1:]) - 1}]" for name in names]
        graph.update(groups=[counted(g) for g in graph.groups], alone=counted(graph.alone), unseen=counted(graph.unseen))
    return graph


class CheckResult(_Record):
    """What check has found: usable, same_twice, failed, failures, first_failure, median_seconds,
    max_seconds, digits, raster, whole_run_seconds, warnings. str() says it in words."""

    def __str__(self) -> str:
        return "\n".join([self["words"].rstrip()] + ["warning: " + w for w in self["warnings"]])

    __repr__ = __str__


@places
def check(fun: Objective, bounds: Any = None, x0: Any = None, args: Tuple[Any, ...] = (), *, start: Any = None,
          budget: Optional[float] = None, time: Any = None, seed: Optional[int] = 0, workers: Workers = 1,
          vectorized: bool = False, names: Optional[Sequence[str]] = None, scale: Any = None, keywords: bool = False,
          on_failure: str = "skip", outputs: Any = None, limits: Any = None, residuals: Optional[int] = None) -> CheckResult:
    """Tries fun at 22 points before it is minimised. residuals is how many it returns, for least_squares.

    It says whether the same point gives the same value, how long an evaluation takes, how many
    failed and why, how many digits the values have, and how long a whole run would take.
    """
    args = _options.tuple_of(args)
    space = _options.Space(bounds, x0, start, names, scale)
    fun = space.objective(fun, args, keywords, vectorized)
    procs = None if callable(workers) else count(workers)
    flags = _options.flags(budget=budget, time=time, seed=_options.seed_of(seed), procs=procs)[1:]
    hello = dict(space.hello(), function=_options.function_name(fun), arguments="", **said(space, outputs, limits, residuals=residuals))
    evaluator, failed = _evaluator(_numbers(fun, hello, vectorized), args, workers, vectorized, on_failure)
    run = Run("check", flags, hello, space.points, evaluator, failed, None, None).go()
    if run.stopped == "interrupt":
        raise KeyboardInterrupt
    run.judge(None)
    assert run.form is not None
    tried = CheckResult(run.form["report"])
    tried["failed"] = tried.pop("failed_queries")
    tried["words"], tried["warnings"] = run.form["words"], run.form["warnings"] or []
    return tried


def _numbers(fun: Objective, hello: Dict[str, Any], vectorized: bool, known: Any = None) -> Objective:
    """fun as one that answers all numbers that the first message speaks of."""
    numbers = Numbers(hello)
    return Several(fun, numbers, vectorized, known) if numbers.more else fun


def _evaluator(fun: Objective, args: Tuple[Any, ...], workers: Workers, vectorized: bool, on_failure: str) -> Tuple[Any, Skipped]:
    if on_failure not in ("skip", "raise"):
        raise ValueError(f'on_failure: {on_failure!r}, must be "skip" or "raise"')
    failed = Skipped(on_failure == "skip")
    if vectorized:
        if callable(workers) or count(workers) != 1:
            raise ValueError("vectorized and workers exclude each other: a vectorized function gets all points at once")
        return Vectorized(fun, args, failed), failed
    if callable(workers):
        return Mapped(workers, fun, args, failed), failed
    n = count(workers)
    if n == 1:
        return Serial(fun, args, failed), failed
    return Pool(n, fun, args, failed), failed


def frame_of(frame: Any) -> Tuple[List[List[float]], Optional[List[List[int]]]]:
    """The rows and the blocks of a frame."""
    blocks = None
    if isinstance(frame, OptimizeResult):
        if frame.frame is None:
            raise ValueError("frame: no coordinates were found there")
        frame, blocks = frame.frame, frame.structure.blocks
    if not hasattr(frame, "__iter__") or isinstance(frame, str) or not len(frame):
        raise ValueError(f"frame: {_arrays.short(frame)}, must be a list of rows, or the result of probe")
    return [_arrays.numbers(row, "frame") for row in (frame.tolist() if hasattr(frame, "tolist") else frame)], blocks
