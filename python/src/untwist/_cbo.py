"""cbo: consensus-based optimisation, and where its particles went."""

from __future__ import annotations

import csv
import os
import tempfile
from typing import Any, Callable, Dict, List, Optional, Sequence, Tuple

from . import _arrays, _options
from ._minimize import Objective, Workers, searched
from ._places import places
from ._result import OptimizeResult


@places
def cbo(fun: Objective, bounds: Any = None, x0: Any = None, args: Tuple[Any, ...] = (), *, start: Any = None,
        budget: Optional[float] = None, time: Any = None, target: Optional[float] = None, seed: Optional[int] = 0,
        workers: Workers = 1, vectorized: bool = False, callback: Optional[Callable[[OptimizeResult], Any]] = None,
        names: Optional[Sequence[str]] = None, keywords: bool = False, on_failure: str = "skip", frame: Any = None, progress: Optional[bool] = None,
        strategy: str = "cbo", particles: Optional[int] = None, sigma: Optional[float] = None, tau: Optional[float] = None,
        alpha: Optional[float] = None, share: Optional[float] = None, every: int = 1, **variants: Any) -> OptimizeResult:
    """Minimises fun(x, *args) by consensus-based optimisation, and returns the trajectories.

    particles, sigma, tau, alpha, share
                how many particles (default 50), the strength of the noise (7.1), the step (0.03), the
                exponent of the weights at the start (100), and what online learns from
    strategy    cbo, cbo-isotropic, reparametrised, transformed (with frame, or one that it
                finds) or online
    every       every so many steps are in the trajectories
    variants    the keys of --cbo (docs/cbo.md): noise="isotropic", ess=0.5, polarise=0.3,
                equalities=[[1, 1, 2]], …

    The others are those of minimize. The result has, besides what that of minimize has,

    steps         the numbers of the steps, from 0: S of them
    trajectories  where the particles were, shape (S, particles, dim)
    energies      their values, shape (S, particles)
    consensus     shape (S, dim)
    spread, effective, alpha
                  shape (S,): the root mean square distance from the consensus, the effective
                  sample size, and α
    minimisers    with polarise: a list of dicts with point, value and particles

    These are arrays, or lists of lists where numpy is not installed.
    """
    space = _options.Space(bounds, x0, start, names, None)
    fun = space.objective(fun, args, keywords, vectorized)
    flags = _options.flags(
        budget=budget, time=time, target=target, seed=_options.seed_of(seed), strategy=strategy, particles=particles, sigma=sigma, tau=tau,
        alpha=alpha, share=share)
    flags += [f"--cbo={key}={_word(value)}" for key, value in variants.items() if value is not None]
    with tempfile.TemporaryDirectory() as folder:
        file = os.path.join(folder, "trace.csv")
        flags += [f"--trace={file}", f"--trace-every={_options.whole(every, 'every')}"]
        result = searched("minimize", flags, space, fun, args, workers, vectorized, callback, on_failure, frame, progress, target, None)
        result.update(_read(file, os.path.join(folder, "trace-steps.csv")))
    return result


def _word(value: Any) -> str:
    """A value of a key; equalities may be rows of numbers."""
    if isinstance(value, (str, int, float)):
        return str(value)
    try:
        return ";".join(" ".join(repr(float(number)) for number in row) for row in value)
    except (TypeError, ValueError):
        return str(value)


def _read(particles: str, steps: str) -> Dict[str, Any]:
    """The two files of a trace as arrays."""
    rows = _numbers(particles)
    count = sum(1 for row in rows if row[0] == rows[0][0])
    blocks = [rows[k : k + count] for k in range(0, len(rows), max(count, 1))]
    table = _numbers(steps)
    return {
        "steps": [int(row[0]) for row in table],
        "trajectories": _arrays.of([[row[2:-1] for row in block] for block in blocks]),
        "energies": _arrays.of([[row[-1] for row in block] for block in blocks]),
        "consensus": _arrays.of([row[2:-4] for row in table]),
        "spread": _arrays.of([row[-4] for row in table]),
        "effective": _arrays.of([row[-3] for row in table]),
        "alpha": _arrays.of([row[-2] for row in table]),
    }


def _numbers(file: str) -> List[List[float]]:
    with open(file, newline="") as lines:
        return [[float(word) for word in row] for row in list(csv.reader(lines))[1:]]

