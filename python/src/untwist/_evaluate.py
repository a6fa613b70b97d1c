"""Ways to evaluate a batch of points: one by one, all at once, by processes, or by a map."""

from __future__ import annotations

import math
import time
from array import array
from typing import Any, Callable, Iterable, List, Optional, Tuple

from . import _arrays
from ._program import ERROR
from ._several import Row

# Answers are given to the program at least this often, in seconds: it writes them to the
# journal, and says if it wants no more.
OFTEN = 0.05


class Ended(Exception):
    """The program wants no more values of this batch."""


class Answers:
    """The values of a batch, given to the program as they come."""

    def __init__(self, talk: Any, n: int) -> None:
        self._talk = talk
        self._n, self._width = n, getattr(talk, "width", 1)  # how many numbers an answer has
        self.values = array("d", bytes(8 * n * self._width))
        self.sent = 0
        self.known = 0
        self._failures: List[Tuple[int, int, str]] = []
        self._last = time.monotonic()

    def value(self, v: Any) -> None:
        """The next value. It raises a TypeError if that is not a number."""
        if isinstance(v, Row):
            self.values[self.known * self._width : (self.known + 1) * self._width] = array("d", v)
        else:
            self.values[self.known] = v if type(v) is float else number(v)
        self.known += 1
        if time.monotonic() - self._last > OFTEN:
            self.give()

    def failure(self, why: str, kind: int = ERROR) -> None:
        """The next point has failed."""
        self.values[self.known * self._width : (self.known + 1) * self._width] = array("d", [math.nan] * self._width)
        self._failures.append((self.known - self.sent, kind, why))
        self.known += 1
        if time.monotonic() - self._last > OFTEN:
            self.give()

    def give(self, last: bool = False) -> None:
        """Gives the program what it does not have yet. It raises Ended if that wants no more,
        unless it is the last time."""
        now = time.monotonic()
        n = self.known - self.sent
        if n > 0:
            failures, self._failures = self._failures, []
            first, self.sent = self.sent, self.known
            self._talk.answer(first, self.values[first * self._width : self.known * self._width], (now - self._last) / n, failures)
        self._last = now
        if not last and self.known < self._n and self._talk.speaks():
            raise Ended


def number(v: Any) -> float:
    """A value as a float. It raises a TypeError if it is not a number."""
    if isinstance(v, Row):
        return v  # type: ignore[return-value]
    try:
        return _arrays.number(v[0] if isinstance(v, (list, tuple)) and len(v) == 1 else v)
    except TypeError:
        hint = "; a dict is for outputs, which have to be named: outputs=…" if isinstance(v, dict) else ""
        raise TypeError(f"fun returned {_arrays.short(v)}, which is not a number{hint}") from None


def reason(e: BaseException) -> str:
    """An exception in a line."""
    try:
        text = " ".join(str(e).split())
    except Exception:
        text = ""  # it has no words
    return f"{type(e).__name__}: {text}" if text else type(e).__name__


class Skipped:
    """What to do with exceptions of the user's function."""

    def __init__(self, skip: bool) -> None:
        self.skip = skip
        self.first: Optional[BaseException] = None

    def __call__(self, e: Exception) -> str:
        """The reason of a failed point, or the exception itself if it is not to be skipped."""
        if not self.skip:
            raise Raised(e)
        if self.first is None:
            self.first = e
        return reason(e)


class Raised(Exception):
    """The user's function has raised an exception that ends the run."""

    def __init__(self, error: BaseException) -> None:
        self.error = error


class Keywords:
    """A function of parameters with names, as a function of a point: fun(*args, k=1.0, depth=2.0)."""

    def __init__(self, fun: Callable[..., Any], names: List[str], vectorized: bool) -> None:
        self.fun, self.names, self.vectorized = fun, names, vectorized

    def __call__(self, x: Any, *args: Any) -> Any:
        values = x if self.vectorized else map(float, x)
        return self.fun(*args, **dict(zip(self.names, values)))


class Serial:
    """Evaluates points one by one, here."""

    def __init__(self, fun: Callable[..., Any], args: Tuple[Any, ...], failed: Skipped) -> None:
        self._fun, self._args, self._failed = fun, args, failed

    def evaluate(self, text: bytearray, n: int, dim: int, talk: Any) -> None:
        answers = Answers(talk, n)
        fun, args = self._fun, self._args
        try:
            for x in _arrays.rows(text, n, dim):
                try:
                    v = fun(x, *args)
                    answers.value(v)
                except (Ended, Raised):
                    raise
                except Exception as e:
                    answers.failure(self._failed(e))
        finally:
            answers.give(last=True)

    def close(self) -> None:
        pass


class Vectorized:
    """Evaluates all points of a batch by one call, with an array of shape (N, S)."""

    def __init__(self, fun: Callable[..., Any], args: Tuple[Any, ...], failed: Skipped) -> None:
        self._fun, self._args, self._failed = fun, args, failed

    def evaluate(self, text: bytearray, n: int, dim: int, talk: Any) -> None:
        answers = Answers(talk, n)
        try:
            self._part(text, n, dim, answers)
        finally:
            answers.give(last=True)

    def _part(self, text: bytearray, n: int, dim: int, answers: Answers) -> None:
        try:
            # A copy, since fun may change its points before it fails.
            found = self._list(self._fun(_arrays.columns(text[:], n, dim), *self._args), n)
        except Raised:
            raise
        except Exception as e:
            if n == 1:
                answers.failure(self._failed(e))
            elif self._failed.skip:  # which point it was is not known: halves
                half = n // 2
                self._part(text[: 8 * half * dim], half, dim, answers)
                self._part(text[8 * half * dim :], n - half, dim, answers)
            else:
                self._failed(e)
            return
        for v in found:
            try:
                answers.value(v)
            except Ended:
                raise
            except Exception as e:  # not a number
                answers.failure(self._failed(e))

    @staticmethod
    def _list(found: Any, n: int) -> List[Any]:
        if hasattr(found, "ravel"):
            found = found.ravel().tolist()
        elif _arrays.is_number(found):
            found = [found]
        listed = hasattr(found, "__iter__") and not isinstance(found, (str, bytes, dict, set, frozenset))
        values = list(found) if listed else []
        if len(values) != n:
            count = f"{len(values)} values" if listed else "no list of values"
            raise Raised(ValueError(f"vectorized: fun returned {count} for {n} points; it gets an array of shape (N, S) "
                                    "and has to return S values"))
        return values

    def close(self) -> None:
        pass


class Guarded:
    """The user's function for a map that runs elsewhere: exceptions become reasons there."""

    def __init__(self, fun: Callable[..., Any], args: Tuple[Any, ...], skip: bool) -> None:
        self.fun, self.args, self.skip = fun, args, skip

    def __call__(self, x: Any) -> Any:
        if not self.skip:
            return number(self.fun(x, *self.args))
        try:
            return number(self.fun(x, *self.args))
        except Exception as e:
            return Reason(reason(e))


class Reason:
    """Why a point failed. For a map that makes an array of what it gets, it is NaN."""

    def __init__(self, words: str) -> None:
        self.words = words

    def __float__(self) -> float:
        return math.nan


class Mapped:
    """Evaluates points by a map-like workers(func, iterable)."""

    def __init__(self, workers: Callable[..., Iterable[Any]], fun: Callable[..., Any], args: Tuple[Any, ...], failed: Skipped) -> None:
        if getattr(workers, "__name__", "") == "imap_unordered":
            raise ValueError("workers: imap_unordered gives values in any order, so that it is not known whose they are; give imap")
        self._map, self._failed = workers, failed
        self._guarded = Guarded(fun, args, failed.skip)

    def evaluate(self, text: bytearray, n: int, dim: int, talk: Any) -> None:
        answers = Answers(talk, n)
        try:
            try:
                for v in self._map(self._guarded, list(_arrays.rows(text, n, dim))):
                    if answers.known == n:
                        raise ValueError(f"workers: the map has returned more than {n} values for {n} points")
                    if isinstance(v, Reason):
                        answers.failure(v.words)
                    else:
                        answers.value(v)
            except (Ended, Raised):
                raise
            except Exception as e:  # of the map, or of a function whose exceptions are not skipped
                raise Raised(e)
            if answers.known < n:
                raise Raised(ValueError(f"workers: the map has returned {answers.known} values for {n} points"))
        finally:
            answers.give(last=True)

    def close(self) -> None:
        pass
