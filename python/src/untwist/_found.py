"""What the program has found, as a result in scipy's names."""

from __future__ import annotations

import math
from typing import Any, Dict, List, Optional, Tuple

from . import _arrays
from ._program import from_0
from ._result import Certificate, OptimizeResult, Profile, Structure
from ._run import Run, log
from ._tables import Journal

_STATUS = {"done": 0, "budget": 1, "time": 2, "target": 3, "tolerance": 4, "interrupt": 5, "failures": 6, "closed": 98, "callback": 99}

_WHY = {
    "done": "The search is done.",
    "budget": "The budget is spent.",
    "time": "The time is spent.",
    "target": "The target was reached.",
    "tolerance": "The search gained less than the tolerance, and did not look elsewhere: it may be in a local minimum.",
    "interrupt": "The run was interrupted.",
    "failures": "The run has failed.",
    "closed": "The search was closed.",
    "callback": "The callback has stopped the run.",
}


def found(run: Run, target: Optional[float], journal: Optional[str]) -> OptimizeResult:
    """What the program has found, in scipy's names."""
    assert run.form is not None
    form, report = run.form, run.form["report"]
    by = {"error": "failures", "": report["stopped_by"]}.get(run.stopped, run.stopped)
    x = run.arrays["x"][0]
    fun = float(run.arrays["fun"][0][0])
    why = _WHY[by]
    learnt = report.get("learnt")
    if learnt:
        why = f"{why[:-1]}{';' if ':' in why else ':'} {from_0(learnt)}."
    success = by in ("done", "target", "tolerance") and fun < math.inf and (target is None or by == "target")
    if by == "tolerance":
        log.warning("the tolerance ended the run after %s of %s evaluations, maybe in a local minimum: without it the search goes on elsewhere",
                    f"{report['queries']:,}", f"{report['budget']:,}")
    structure, certificate = _structure(report["frame"], form, report["dim"])
    result = OptimizeResult(
        message=why, success=success, converged=by == "done" and fun < math.inf, status=_STATUS[by], stopped_by=by, fun=fun, x=run.kinds.outward(x) if len(x) else None,
        nfev=report["queries"], nit=report["rounds"], budget=report["budget"], seed=report["seed"], failed=report["failed_queries"])
    result.update(
        failures=report["failures"], first_failure=form["failed_reason"] or None, resumed=report["resumed_queries"],
        seconds=report["seconds"], strategy=report.get("strategy"), structure=structure, certificate=certificate,
        frame=run.arrays.get("frame"), profiles=_profiles(run), notes=form["notes"] or [])
    for key in ("noise", "value_mean", "value_error", "interactions", "parameters", "spectrum", "minimisers", "best_query", "target_query", "stages", "moves",
                "sensitivity", "outputs", "limits", "feasible", "violation", "stderr", "covariance", "correlations", "singular_values", "residuals", "jacobian"):
        if key in report:
            result[key] = report[key]
    if result.get("target_query") == 0:  # it was not reached
        result["target_query"] = None
    for limit in report.get("limits") or []:
        limit["limit"] = run.called(limit["limit"])
    if "curve" in report:
        curve = report["curve"] or []
        result["curve"] = tuple(_arrays.of([math.nan if s[key] is None else s[key] for s in curve]) for key in ("queries", "value"))
    result["warnings"] = form["warnings"] or []
    # Not among the entries: they are for plot and queries.
    result.__dict__["_drawing"] = run.drawing
    if run.kept is not None:
        run.kept.most, run.kept.kinds = report["queries"], run.kinds
        result.__dict__["_queries"] = run.kept
    elif journal is not None:
        result.__dict__["_queries"] = Journal(journal, run.dim, run.numbers, report["queries"], run.kinds)
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
