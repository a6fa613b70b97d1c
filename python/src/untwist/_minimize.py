"""minimize, probe and check."""

from __future__ import annotations

import math
from typing import Any, Callable, Dict, List, Optional, Sequence, Tuple, Union

from . import _arrays, _options, _progress
from ._evaluate import Mapped, Serial, Skipped, Vectorized
from ._result import Certificate, OptimizeResult, Profile, Structure, _Record
from ._run import Run
from ._workers import Pool, count

_STATUS = {"done": 0, "budget": 1, "time": 2, "target": 3, "tolerance": 4, "interrupt": 5, "failures": 6, "callback": 99}

_WHY = {
    "done": "The search is done.",
    "budget": "The budget is spent.",
    "time": "The time is spent.",
    "target": "The target was reached.",
    "tolerance": "The search gained less than the tolerance.",
    "interrupt": "The run was interrupted.",
    "failures": "The run has failed.",
    "callback": "The callback has stopped the run.",
}

Objective = Callable[..., Any]
Workers = Union[int, Callable[..., Any]]


def minimize(fun: Objective, bounds: Any = None, x0: Any = None, args: Tuple[Any, ...] = (), *, start: Any = None,
             budget: Optional[float] = None, time: Any = None, target: Optional[float] = None, seed: Optional[int] = 0,
             workers: Workers = 1, parallel: int = 1, vectorized: bool = False,
             callback: Optional[Callable[[OptimizeResult], Any]] = None, journal: Any = None, report: Any = None,
             names: Optional[Sequence[str]] = None, scale: Any = None, on_failure: str = "skip",
             strategy: Optional[str] = None, tolerance: Optional[float] = None, noise_level: Optional[float] = None,
             max_failures: Optional[float] = None, keep_going: bool = False, frame: Any = None,
             progress: Optional[bool] = None) -> OptimizeResult:
    """Searches for the minimum of fun(x, *args), globally.

    The same fun, options and seed give the same bits, here and in Go, for any workers.

    fun         takes a point (an array of floats, or a list where numpy is not installed)
                and returns a number. NaN, +inf, what is no number and an exception are failures.
    bounds      limits: a pair (low, high) for each coordinate, or scipy's Bounds. None is no
                limit. Nothing outside is ever asked; low == high fixes a coordinate.
    x0          a known point, or a list of them
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
    on_failure  "skip": an exception in fun is a failed point, and is counted; "raise": it ends
                the run and is raised, with the best so far as its attribute result
    strategy    auto (default), cmaes, cbo and others
    tolerance   stop a search that gains less than this
    noise_level the standard deviation of fun's noise, if it is known
    max_failures, keep_going
                the share of the last 1,000 evaluations that may fail (default 0.95), and
                whether to go on all the same
    frame       coordinates in which fun is known to separate: an array of rows, or the result
                of probe
    progress    a line about the run on standard error. Default: in a terminal or a notebook.

    Ctrl-C ends the run, and the best so far is returned; a second one does not wait for that. If fun fails too often, or a journal
    cannot be used, untwist.Error is raised, with the best so far as its attribute result.
    """
    flags = _options.flags(
        budget=budget, time=time, target=target, seed=_options.seed_of(seed), parallel=parallel, journal=journal, report=report,
        strategy=strategy, tolerance=tolerance, noise_level=noise_level, max_failures=max_failures, keep_going=keep_going)
    space = _options.Space(bounds, x0, start, names, scale)
    return searched(flags, space, fun, args, workers, vectorized, callback, on_failure, frame, progress, target)


def searched(flags: List[str], space: _options.Space, fun: Objective, args: Any, workers: Workers, vectorized: bool, callback: Any,
             on_failure: str, frame: Any, progress: Optional[bool], target: Optional[float]) -> OptimizeResult:
    """What the program finds with these flags."""
    args = _arguments(args)
    hello = _hello(space, fun, args)
    if frame is not None:
        hello["frame"], hello["blocks"] = _frame(frame)
    evaluator, failed = _evaluator(fun, args, workers, vectorized, on_failure)
    run = Run("minimize", flags, hello, space.points, evaluator, failed, callback, _progress.line(progress)).go()
    result = _result(run, target) if run.form else None
    run.judge(result)
    assert result is not None
    return result


def probe(fun: Objective, bounds: Any = None, x0: Any = None, args: Tuple[Any, ...] = (), *, start: Any = None,
          budget: Optional[float] = None, time: Any = None, seed: Optional[int] = 0, workers: Workers = 1, parallel: int = 1,
          vectorized: bool = False, callback: Optional[Callable[[OptimizeResult], Any]] = None, journal: Any = None, report: Any = None,
          names: Optional[Sequence[str]] = None, scale: Any = None, on_failure: str = "skip",
          noise_level: Optional[float] = None, max_failures: Optional[float] = None, keep_going: bool = False,
          progress: Optional[bool] = None) -> OptimizeResult:
    """Finds the coordinates in which fun separates, and certifies them. It does not search.

    Arguments are those of minimize. x0 only says where to look, if nothing else does. The result
    has frame, structure, certificate and spectrum; x is the best point on the way. It can be
    given to minimize as its frame.
    """
    args = _arguments(args)
    space = _options.Space(bounds, x0, start, names, scale)
    hello = _hello(space, fun, args)
    flags = _options.flags(
        budget=budget, time=time, seed=_options.seed_of(seed), parallel=parallel, journal=journal, report=report, noise_level=noise_level,
        max_failures=max_failures, keep_going=keep_going)
    evaluator, failed = _evaluator(fun, args, workers, vectorized, on_failure)
    run = Run("probe", flags, hello, [], evaluator, failed, callback, _progress.line(progress)).go()
    result = _result(run, None) if run.form else None
    run.judge(result)
    assert result is not None
    return result


class CheckResult(_Record):
    """What check has found: usable, same_twice, failed, failures, first_failure, median_seconds,
    max_seconds, digits, raster, whole_run_seconds, warnings. str() says it in words."""

    def __str__(self) -> str:
        return "\n".join([self["words"].rstrip()] + ["warning: " + w for w in self["warnings"]])

    __repr__ = __str__


def check(fun: Objective, bounds: Any = None, x0: Any = None, args: Tuple[Any, ...] = (), *, start: Any = None,
          budget: Optional[float] = None, time: Any = None, seed: Optional[int] = 0, workers: Workers = 1,
          vectorized: bool = False, names: Optional[Sequence[str]] = None, scale: Any = None,
          on_failure: str = "skip") -> CheckResult:
    """Tries fun at 22 points before it is minimised.

    It says whether the same point gives the same value, how long an evaluation takes, how many
    failed and why, how many digits the values have, and how long a whole run would take.
    """
    args = _arguments(args)
    space = _options.Space(bounds, x0, start, names, scale)
    procs = None if callable(workers) else count(workers)
    flags = _options.flags(budget=budget, time=time, seed=_options.seed_of(seed), procs=procs)[1:]
    evaluator, failed = _evaluator(fun, args, workers, vectorized, on_failure)
    run = Run("check", flags, _hello(space, fun, args), space.points, evaluator, failed, None, None).go()
    if run.stopped == "interrupt":
        raise KeyboardInterrupt
    run.judge(None)
    assert run.form is not None
    found = CheckResult(run.form["report"])
    found["failed"] = found.pop("failed_queries")
    found["words"], found["warnings"] = run.form["words"], run.form["warnings"] or []
    return found


def _hello(space: _options.Space, fun: Objective, args: Tuple[Any, ...]) -> Dict[str, Any]:
    if not callable(fun):
        raise TypeError(f"fun is a {type(fun).__name__}, must be a function")
    return dict(space.hello(), function=_options.function_name(fun), arguments=_options.arguments(fun, args))


def _arguments(args: Any) -> Tuple[Any, ...]:
    """More arguments of fun. As with scipy, what is no tuple is one argument."""
    if args is None:
        return ()
    return args if isinstance(args, tuple) else (args,)


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


def _frame(frame: Any) -> Tuple[List[List[float]], Optional[List[List[int]]]]:
    """The rows and the blocks of a frame."""
    blocks = None
    if isinstance(frame, OptimizeResult):
        if frame.frame is None:
            raise ValueError("frame: no coordinates were found there")
        frame, blocks = frame.frame, frame.structure.blocks
    if not hasattr(frame, "__iter__") or isinstance(frame, str) or not len(frame):
        raise ValueError(f"frame: {_arrays.short(frame)}, must be a list of rows, or the result of probe")
    return [_arrays.numbers(row, "frame") for row in (frame.tolist() if hasattr(frame, "tolist") else frame)], blocks


def _result(run: Run, target: Optional[float]) -> OptimizeResult:
    """What the program has found, in scipy's names."""
    assert run.form is not None
    form, report = run.form, run.form["report"]
    by = {"error": "failures", "": report["stopped_by"]}.get(run.stopped, run.stopped)
    x = run.arrays["x"][0]
    fun = float(run.arrays["fun"][0][0])
    why = _WHY[by]
    learnt = report.get("learnt")
    if learnt:
        why = f"{why[:-1]}: {learnt}."
    success = by in ("done", "budget", "time", "target", "tolerance") and fun < math.inf and (target is None or by == "target")
    structure, certificate = _structure(report["frame"], form, report["dim"])
    result = OptimizeResult(
        message=why, success=success, status=_STATUS[by], stopped_by=by, fun=fun, x=x if len(x) else None,
        nfev=report["queries"], nit=report["rounds"], budget=report["budget"], seed=report["seed"], failed=report["failed_queries"])
    result.update(
        failures=report["failures"], first_failure=form["failed_reason"] or None, resumed=report["resumed_queries"],
        seconds=report["seconds"], strategy=report.get("strategy"), structure=structure, certificate=certificate,
        frame=run.arrays.get("frame"), profiles=_profiles(run), notes=form["notes"] or [])
    for key in ("noise", "value_mean", "value_error", "parameters", "spectrum", "minimisers", "best_query", "target_query", "stages", "curve"):
        if key in report:
            result[key] = report[key]
    result["warnings"], result["_drawing"] = form["warnings"] or [], run.drawing
    return result


def _structure(frame: Optional[Dict[str, Any]], form: Dict[str, Any], dim: int) -> Tuple[Structure, Optional[Certificate]]:
    if frame is None:
        return Structure(verdict="unknown", components=0, dim=dim, coordinates=[], blocks=[], along_axes=False, residual=None,
                         quadratic=False, linear=-1, map=None, pairs=[], queries=0), None
    certificate = Certificate(
        coupling=frame["certificate"], alone=frame["certificate_alone"], beyond=frame["beyond"], rounding=frame["rounding"],
        splits=frame["splits"], verdict=frame["verdict"])
    pairs = [{"components": tuple(c - 1 for c in p["components"]), "coupling": p["coupling"]} for p in frame.get("pairs") or []]
    structure = Structure(
        verdict=frame["verdict"], components=frame["components"], dim=frame["dim"],
        coordinates=form["coordinates"] or [], blocks=frame["blocks"], along_axes=form["along_axes"],
        residual=frame["residual"], quadratic=frame["quadratic"], linear=frame["linear"], map=frame.get("map"), pairs=pairs,
        queries=frame["queries"])
    return structure, certificate


def _profiles(run: Run) -> List[Profile]:
    assert run.form is not None
    out = []
    for p in run.form["profiles"] or []:
        y, value = run.arrays[f"profile {p['component']}"]
        wells = run.arrays[f"wells {p['component']}"]
        out.append(Profile(component=p["component"], y=y, value=value, open=p["open"],
                           wells=[(float(a), float(b)) for a, b in zip(*wells)]))
    return out
