#!/usr/bin/env python3
"""Untwist as a sampler of Optuna (Debian: python3-optuna): python3 examples/optuna_sampler.py

The sampler asks Untwist for a point for each trial, and tells it the value after the trial. Points
of a batch may be evaluated by several jobs at the same time, in any order. A trial for which no point
is free, and parameters that are no floats, are sampled at random.
"""
import math
import sys
import threading

import optuna
import untwist
from optuna.distributions import FloatDistribution
from optuna.samplers import BaseSampler, RandomSampler
from optuna.study import StudyDirection
from optuna.trial import TrialState


class UntwistSampler(BaseSampler):
    """Samples the parameters of space, a dict of FloatDistribution, for at most budget trials.
    options are those of untwist.ask: journal, seed, parallel, …"""

    def __init__(self, space, budget, **options):
        self._space = space
        self._search = untwist.ask({name: (d.low, d.high) for name, d in space.items()}, budget,
                                   scale={name: "log" if d.log else "linear" for name, d in space.items()}, **options)
        self._points = {}  # by the number of a trial
        self._others = RandomSampler(options.get("seed"))
        self._lock = threading.Lock()

    def infer_relative_search_space(self, study, trial):
        return self._space

    def sample_relative(self, study, trial, search_space):
        with self._lock:
            points = self._search.ask(1)
            if len(points) == 0:  # all are being evaluated
                return {}
            self._points[trial.number] = points[0]
            return dict(zip(self._space, map(float, points[0])))

    def sample_independent(self, study, trial, name, distribution):
        return self._others.sample_independent(study, trial, name, distribution)

    def after_trial(self, study, trial, state, values):
        with self._lock:
            point = self._points.pop(trial.number, None)
            if point is not None:
                sign = -1 if study.direction == StudyDirection.MAXIMIZE else 1
                self._search.tell(point, sign * values[0] if state == TrialState.COMPLETE else None)
            if self._search.done:
                study.stop()

    def result(self):
        """What Untwist has learnt."""
        return self._search.result()


def objective(trial):
    x = [trial.suggest_float(f"x{i}", -5, 5) for i in range(4)]
    y = [a + b / 2 - 1 for a, b in zip(x, x[1:] + x[:1])]  # coordinates that nobody knows
    return sum(v * v + 10 - 10 * math.cos(2 * math.pi * v) for v in y)


if __name__ == "__main__":
    optuna.logging.set_verbosity(optuna.logging.WARNING)
    sampler = UntwistSampler({f"x{i}": FloatDistribution(-5, 5) for i in range(4)}, 2500)
    study = optuna.create_study(sampler=sampler)
    study.optimize(objective, n_trials=2500, n_jobs=int(sys.argv[1]) if len(sys.argv) > 1 else 1)
    print(f"best {study.best_value:.6f} after {len(study.trials)} trials: {sampler.result().structure.verdict}")
