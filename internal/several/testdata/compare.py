"""Compares Untwist on the twenty problems with SLSQP and COBYLA (scipy) and NLopt's augmented Lagrangian.

    python3 compare.py [--half first|held-out] [--seeds N] [--from S] [--problems i,j,…] [--out FILE.csv]

Each method has 50(d + 1) and 200(d + 1) evaluations; one evaluation has the value and all outputs. The others
begin again from points drawn in the bounds until their budget is spent. What counts is the best evaluation:
feasible ones, which exceed no limit by more than 1e-6 of max(1, |limit|), by their value, and the others behind
them by how much they exceed one. Values count as equal within 1e-6 of max(1, |value|), and those below the least
value that is published count as that: so much is gained by what limits may be exceeded by. For each problem, method and budget Mann and Whitney's test asks whether ours
is worse, and whether it is better; Holm's correction is over all of them, at a level of 5 %.
"""
import argparse
import concurrent.futures
import csv
import os
import warnings

os.environ["OMP_NUM_THREADS"] = "1"
import nlopt
import numpy as np
import scipy.optimize
import scipy.stats
import untwist
from twenty import INF, PROBLEMS

WITHIN = 1e-6
TIMES = (50, 200)
warnings.filterwarnings("ignore")


def within(limit):
    return WITHIN * max(1, abs(limit))


class Spent(Exception):
    pass


class Judge:
    """Counts evaluations, and keeps the best after each budget as (excess, value)."""

    def __init__(self, p, budgets):
        self.p, self.budgets, self.n, self.best, self.at = p, budgets, 0, (INF, INF), {}
        self.seen = {}

    def __call__(self, x):
        """The value and c ≤ 0, and equations = 0. The same point twice counts once."""
        x = np.clip(x, self.p.lo, self.p.hi)
        key = x.tobytes()
        if key not in self.seen:
            if self.n >= self.budgets[-1]:
                raise Spent
            self.n += 1
            value, outputs = self.p.f(x)
            numbers = list(outputs) + [row @ x for row, _, _ in self.p.rows]
            self.offer(value, numbers)
            self.seen = {key: (value, *self.split(numbers))} if len(self.seen) > 100 else {**self.seen, key: (value, *self.split(numbers))}
        return self.seen[key]

    def sides(self):
        return list(self.p.sides) + [(low, high) for _, low, high in self.p.rows]

    def split(self, numbers):
        over, equal = [], []
        for v, (low, high) in zip(numbers, self.sides()):
            if low == high:
                equal.append((v - low) / max(1, abs(low)))
                continue
            if high < INF:
                over.append((v - high) / max(1, abs(high)))
            if low > -INF:
                over.append((low - v) / max(1, abs(low)))
        return np.array(over), np.array(equal)

    def offer(self, value, numbers):
        over, equal = self.split(numbers)
        worst = max([0.0, *over, *abs(equal)]) / WITHIN
        rank = (0.0, value) if worst <= 1 else (worst, value)
        if np.isfinite(value) and rank < self.best:
            self.best = rank
        if self.n in self.budgets:
            self.at[self.n] = self.best

    def result(self):
        return {b: self.at.get(b, self.best) for b in self.budgets}


def slsqp(j, x):
    scipy.optimize.minimize(lambda x: j(x)[0], x, method="SLSQP", bounds=list(zip(j.p.lo, j.p.hi)), options=dict(ftol=1e-12, maxiter=1000),
                            constraints=[dict(type=t, fun=c) for t, c in constraints(j)])


def cobyla(j, x):
    """It knows no equations: each is two limits."""
    all = [lambda x: np.concatenate((x - j.p.lo, j.p.hi - x))]
    for kind, c in constraints(j):
        all.append(c if kind == "ineq" else lambda x, c=c: np.concatenate((c(x), -c(x))))
    scipy.optimize.minimize(lambda x: j(x)[0], x, method="COBYLA", options=dict(rhobeg=0.2 * float(min(j.p.hi - j.p.lo)), tol=1e-8, maxiter=10**6),
                            constraints=[dict(type="ineq", fun=c) for c in all])


def constraints(j):
    _, over, equal = j((j.p.lo + j.p.hi) / 2)
    out = [("ineq", lambda x: -j(x)[1])] if len(over) else []
    return out + ([("eq", lambda x: j(x)[2])] if len(equal) else [])


def auglag(j, x):
    d = j.p.dim
    o = nlopt.opt(nlopt.AUGLAG, d)
    local = nlopt.opt(nlopt.LN_BOBYQA, d)
    local.set_ftol_rel(1e-10)
    local.set_xtol_rel(1e-10)
    o.set_local_optimizer(local)
    o.set_lower_bounds(j.p.lo)
    o.set_upper_bounds(j.p.hi)
    o.set_min_objective(lambda x, g: float(j(x)[0]))
    _, over, equal = j(x)
    for k in range(len(over)):
        o.add_inequality_constraint(lambda x, g, k=k: float(j(x)[1][k]), WITHIN / 2)
    for k in range(len(equal)):
        o.add_equality_constraint(lambda x, g, k=k: float(j(x)[2][k]), WITHIN / 2)
    o.set_xtol_rel(1e-10)
    o.set_maxeval(j.budgets[-1])
    o.optimize(x)


RIVALS = {"slsqp": slsqp, "cobyla": cobyla, "auglag": auglag}


def rival(p, name, seed):
    j = Judge(p, [t * (p.dim + 1) for t in TIMES])
    random = np.random.RandomState(seed)
    idle = 0
    while j.n < j.budgets[-1] and idle < 50:
        before = j.n
        try:
            RIVALS[name](j, random.uniform(p.lo, p.hi))
        except Spent:
            break
        except Exception:  # a search that gave up
            if j.n >= j.budgets[-1]:
                break
        idle = idle + 1 if j.n == before else 0
    return j.result()


def own(p, seed):
    """Untwist's result for each budget. It gets linear limits as such."""
    names = [f"c{k}" for k in range(len(p.sides))]
    outputs = {}
    for name, (low, high) in zip(names, p.sides):
        if low == high:
            outputs[name] = dict(equal=float(low), within=within(low))
        else:
            sides = dict(within=min(within(s) for s in (low, high) if abs(s) < INF))
            if high < INF:
                sides["max"] = float(high)
            if low > -INF:
                sides["min"] = float(low)
            outputs[name] = sides
    limits = [scipy.optimize.LinearConstraint([row], low, high) for row, low, high in p.rows]
    out = {}
    for t in TIMES:
        j = Judge(p, [t * (p.dim + 1)])

        def f(x):
            j.seen = {}
            value = float(j(x)[0])
            if not names:
                return value
            return dict(zip(["value"] + names, [value, *map(float, p.f(np.asarray(x))[1])]))

        untwist.minimize(f, list(zip(p.lo, p.hi)), budget=j.budgets[0], seed=seed, outputs=outputs or None, limits=limits or None, progress=False)
        out.update(j.result())
    return out


def one(job):
    i, method, seed = job
    p = PROBLEMS[i]
    found = own(p, seed) if method == "untwist" else rival(p, method, seed)
    return [(i, p.name, method, seed, t, *found[t * (p.dim + 1)]) for t in TIMES]


def rank(excess, value, others):
    """A number that has the order of outcomes, equal for those that count as equal."""
    if excess > 0:
        return 1e6 + np.log10(excess)
    return sum(v < value - 1e-6 * max(1, abs(value)) for e, v in others if e == 0)


def holm(ps):
    """Which hypotheses are rejected at 5 %."""
    order = np.argsort(ps)
    out = np.zeros(len(ps), bool)
    for k, i in enumerate(order):
        if ps[i] > 0.05 / (len(ps) - k):
            break
        out[i] = True
    return out


def main():
    a = argparse.ArgumentParser()
    a.add_argument("--half", choices=["first", "held-out"])
    a.add_argument("--problems")
    a.add_argument("--seeds", type=int, default=15)
    a.add_argument("--from", type=int, default=1, dest="first")
    a.add_argument("--procs", type=int, default=2)
    a.add_argument("--out")
    a = a.parse_args()
    which = [i for i in range(len(PROBLEMS)) if a.half is None or (i % 2 == 0) == (a.half == "first")]
    if a.problems:
        which = [int(i) for i in a.problems.split(",")]
    methods = ["untwist", *RIVALS]
    jobs = [(i, m, s) for i in which for m in methods for s in range(a.first, a.first + a.seeds)]
    with concurrent.futures.ProcessPoolExecutor(a.procs) as pool:
        rows = [r for part in pool.map(one, jobs) for r in part]
    if a.out:
        with open(a.out, "w", newline="") as file:
            out = csv.writer(file)
            out.writerow(["problem", "name", "method", "seed", "times", "excess", "value"])
            out.writerows(rows)
    report(which, methods, rows)


def report(which, methods, rows):
    tests = []
    for t in TIMES:
        print(f"\n{t}(d + 1) evaluations: feasible, median value of feasible ones\n")
        for i in which:
            of = {m: [(r[5], r[6]) for r in rows if r[0] == i and r[2] == m and r[4] == t] for m in methods}
            words = []
            for m in methods:
                good = [v for e, v in of[m] if e == 0]
                words.append(f"{len(good):2d} {np.median(good) if good else np.nan:12.6g}")
            print(f"{i:2d} {PROBLEMS[i].name:36s}", " | ".join(words))
            of = {m: [(e, max(v, PROBLEMS[i].least) if e == 0 else v) for e, v in of[m]] for m in methods}
            everything = [o for m in methods for o in of[m]]
            ranks = {m: [rank(e, v, everything) for e, v in of[m]] for m in methods}
            for m in methods[1:]:
                for side, words in (("greater", "worse"), ("less", "better")):
                    same = len(set(ranks["untwist"] + ranks[m])) == 1
                    q = 1.0 if same else scipy.stats.mannwhitneyu(ranks["untwist"], ranks[m], alternative=side).pvalue
                    tests.append((words, t, i, m, q))
    print("\ncolumns:", ", ".join(methods))
    for side in ("worse", "better"):
        some = [x for x in tests if x[0] == side]
        found = [x for x, r in zip(some, holm([x[4] for x in some])) if r]
        print(f"\n{side} in {len(found)} of {len(some)} comparisons" + (":" if side == "worse" else ""))
        for _, t, i, m, q in found if side == "worse" else []:
            print(f"  {t}(d+1) {PROBLEMS[i].name} than {m}: p = {q:.2g}")


if __name__ == "__main__":
    main()
