"""Processes that evaluate the user's function."""

from __future__ import annotations

import multiprocessing
import os
import pickle
import signal
import struct
import threading
import time
import traceback
from array import array
from collections import deque
from multiprocessing import connection, resource_tracker
from multiprocessing.reduction import ForkingPickler
from typing import Any, Callable, Deque, Dict, List, Optional, Tuple

from . import _arrays, _program
from ._evaluate import Ended, Raised, Skipped, number, reason

_COUNT = struct.Struct("<II")

# A process gets points for about so many seconds of work at a time.
_AHEAD = 0.02


class RemoteTraceback(Exception):
    """The traceback of an exception in another process, as text."""

    def __init__(self, text: str) -> None:
        self.text = text

    def __str__(self) -> str:
        return f'\n"""\n{self.text}"""'


def work(pipe: Any, life: Any, function: bytes, skip: bool) -> None:
    """What a process does: reads points, writes values, until the pipe ends."""
    # Ctrl-C is for the parent, and for programs that fun starts. Until here it was blocked.
    signal.signal(signal.SIGINT, lambda number, frame: None)
    signal.pthread_sigmask(signal.SIG_UNBLOCK, [signal.SIGINT])
    signal.signal(signal.SIGTERM, signal.SIG_DFL)  # by which the parent ends us: no handler of the user's
    threading.Thread(target=_watch, args=(life,), daemon=True).start()
    try:
        fun, args = pickle.loads(function)
    except BaseException as e:
        pipe.send(reason(e))
        return
    try:
        pipe.send(None)
        while True:
            text = bytearray(pipe.recv_bytes())
            pipe.send(_values(text, fun, args, skip))
    except (EOFError, OSError):
        pass  # the parent is gone, or is done


def _watch(life: Any) -> None:
    """Ends this process with its parent, however that ends, and whatever fun does."""
    try:
        life.recv_bytes()
    except (EOFError, OSError):
        pass
    os._exit(1)


def _values(text: bytearray, fun: Callable[..., Any], args: Tuple[Any, ...], skip: bool) -> Any:
    """The seconds, the values as bytes, the failures and the exception that ended it."""
    n, dim = _COUNT.unpack_from(text)
    width = getattr(fun, "width", 1)
    values = array("d", bytes(8 * n * width))
    failures: List[Tuple[int, int, str]] = []
    began = time.monotonic()
    for i, x in enumerate(_arrays.rows(text[_COUNT.size :], n, dim)):
        try:
            v = number(fun(x, *args))
            values[i * width : (i + 1) * width] = array("d", v if width > 1 else [v])  # type: ignore[arg-type]
        except BaseException as e:
            if not skip or not isinstance(e, Exception):  # as where fun is called without processes
                return time.monotonic() - began, values[: i * width].tobytes(), failures, _packed(e)
            values[i * width : (i + 1) * width] = array("d", [float("nan")] * width)
            failures.append((i, _program.ERROR, reason(e)))
    return time.monotonic() - began, values.tobytes(), failures, None


def _packed(e: BaseException) -> Tuple[Optional[bytes], str]:
    """An exception as bytes, if it can be pickled and read back, and its traceback."""
    text = traceback.format_exc()
    # The second way is for those whose arguments are not those of their __init__.
    for thing in (e, _Parts(e)):
        try:
            packed = pickle.dumps(thing)
            if isinstance(pickle.loads(packed), type(e)):
                return packed, text
        except Exception:
            pass
    return None, text


class _Parts:
    """An exception in parts: it is read back without a call of its __init__, and without
    attributes that cannot be pickled."""

    def __init__(self, e: BaseException) -> None:
        self.kind, self.args, self.attributes = type(e), e.args, {}
        for name, value in e.__dict__.items():
            try:
                pickle.loads(pickle.dumps(value))
                self.attributes[name] = value
            except Exception:
                pass

    def __reduce__(self) -> Any:
        return _whole, (self.kind, self.args, self.attributes)


def _whole(kind: Any, args: Tuple[Any, ...], attributes: Dict[str, Any]) -> BaseException:
    e: BaseException = kind.__new__(kind)
    e.args = args
    e.__dict__.update(attributes)
    return e


def _unpacked(error: Tuple[Optional[bytes], str]) -> BaseException:
    packed, text = error
    e: BaseException
    if packed is None:
        lines = text.strip().splitlines()
        e = RuntimeError(f"fun raised an exception in a process of workers: {lines[-1] if lines else ''}")
    else:
        e = pickle.loads(packed)
    e.__cause__ = RemoteTraceback(text)
    return e


def packed_function(fun: Callable[..., Any], args: Tuple[Any, ...]) -> bytes:
    """The function as processes get it. It raises a ValueError if that is not possible."""
    try:
        return bytes(ForkingPickler.dumps((fun, args)))
    except Exception as e:
        raise ValueError(
            f"workers: fun (or args) cannot be pickled, so that other processes do not get it: {reason(e)}. Define fun "
            "by def at the top level of a module (no lambda, no function within a function), or give "
            "workers=1, vectorized=True, or a map such as workers=multiprocessing.pool.ThreadPool(4).map") from e


class Worker:
    """One process, and our end of its pipe."""

    def __init__(self, context: Any, function: bytes, skip: bool) -> None:
        self.pipe, other = context.Pipe()
        watched, self.life = context.Pipe(duplex=False)  # nothing is ever written to it
        _program.register(self)
        self.process = context.Process(target=work, args=(other, watched, function, skip), daemon=True, name="untwist")
        if context.get_start_method() != "fork":
            resource_tracker.ensure_running()  # which unblocks signals
        mask = signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGINT])  # which the process inherits
        try:
            self.process.start()
        except BaseException:
            self.let_go()
            raise
        finally:
            signal.pthread_sigmask(signal.SIG_SETMASK, mask)
            other.close()
            watched.close()
        self.task: Optional[Tuple[int, int]] = None

    def fileno(self) -> int:
        return int(self.pipe.fileno())

    def let_go(self) -> None:
        self.pipe.close()
        self.life.close()

    def close(self) -> Optional[int]:
        """Ends the process and returns its exit code."""
        self.let_go()
        if self.process.exitcode is None:
            self.process.terminate()
            self.process.join(1)
        if self.process.exitcode is None:
            self.process.kill()
        self.process.join()
        code = self.process.exitcode
        self.process.close()
        return code


class Pool:
    """Evaluates points by processes. They are started when the first points come."""

    def __init__(self, n: int, fun: Callable[..., Any], args: Tuple[Any, ...], failed: Skipped) -> None:
        self._n, self._failed = n, failed
        self._function = packed_function(fun, args)
        self._context = multiprocessing.get_context()
        self._workers: List[Worker] = []
        self._seconds = 0.0  # of the points so far
        self._points = 0
        self._tried: Dict[int, int] = {}  # points of this batch that were tried again

    def close(self) -> None:
        workers, self._workers = self._workers, []
        for w in workers:
            w.close()

    def _start(self, talk: Any) -> None:
        """Starts processes until there are enough, and waits until each has the function."""
        new = []
        while len(self._workers) < self._n:
            with talk.undisturbed():
                self._workers.append(Worker(self._context, self._function, self._failed.skip))
            new.append(self._workers[-1])
        for w in new:
            try:
                problem = w.pipe.recv()
            except (EOFError, OSError):
                problem = "it ended at once"
            if problem is not None:
                raise Raised(RuntimeError(
                    f"workers: a process could not be given fun: {problem}. Define fun in a module that can be imported; where processes "
                    "are spawned, a script must call untwist below if __name__ == '__main__'"))

    def _size(self, n: int) -> int:
        """How many points a process gets at a time."""
        most = max(n // (2 * self._n), 1)
        if self._points == 0:
            return 1
        each = self._seconds / self._points
        return max(min(most, int(_AHEAD / max(each, 1e-9))), 1)

    def evaluate(self, text: bytearray, n: int, dim: int, talk: Any) -> None:
        self._tried = {}
        queue: Deque[Tuple[int, int]] = deque()
        at, left = 0, n
        view = memoryview(text)
        self._start(talk)
        while left > 0:
            for w in self._workers:
                if w.task is not None:
                    continue
                if not queue and at < n:
                    queue.append((at, min(at + self._size(n), n)))
                    at = queue[-1][1]
                if queue:
                    w.task = queue.popleft()
                    lo, hi = w.task
                    try:
                        w.pipe.send_bytes(_COUNT.pack(hi - lo, dim) + view[8 * dim * lo : 8 * dim * hi])
                    except OSError:
                        pass  # it has died: this is seen below
            busy: List[Any] = [w for w in self._workers if w.task is not None]
            for ready in connection.wait(busy + [talk.listens()]):
                if not isinstance(ready, Worker):
                    raise Ended
                left -= self._hear(ready, queue, talk)
            self._start(talk)

    def _hear(self, w: Worker, queue: Deque[Tuple[int, int]], talk: Any) -> int:
        """Passes on what a process has found, and returns how many points that were."""
        assert w.task is not None
        lo, hi = w.task
        w.task = None
        try:
            seconds, values, failures, error = w.pipe.recv()
        except (EOFError, OSError):
            return self._died(w, lo, hi, queue, talk)
        numbers = array("d")
        numbers.frombytes(values)
        if numbers:
            self._seconds += seconds
            points = len(numbers) // getattr(talk, "width", 1)
            self._points += points
            talk.answer(lo, numbers, seconds / points, failures)
        if error is not None:
            e = _unpacked(error)
            raise Raised(e) if isinstance(e, Exception) else e
        if failures and self._failed.first is None:
            self._failed.first = RuntimeError(failures[0][2])
        return hi - lo

    def _died(self, w: Worker, lo: int, hi: int, queue: Deque[Tuple[int, int]], talk: Any) -> int:
        """Finds out which point has killed a process: points are asked again one by one."""
        w.process.join()
        with talk.undisturbed():
            self._workers.remove(w)
            code = w.close() or 0
        if hi - lo > 1:
            queue.extendleft((i, i + 1) for i in reversed(range(lo, hi)))
            return 0
        how = f"exit status {code}" if code >= 0 else _program.signal_name(-code)
        if code in (-signal.SIGKILL, -signal.SIGTERM):  # the machine's fault, not the point's
            if self._tried.setdefault(lo, 0) > 0:
                raise Raised(RuntimeError(f"workers: a process was ended twice by {how} at the same point; is there too little memory?"))
            self._tried[lo] += 1
            queue.appendleft((lo, hi))
            return 0
        why = f"the process ended with {how}"
        if not self._failed.skip:
            raise Raised(RuntimeError(f"workers: {why} while it evaluated fun"))
        if self._failed.first is None:
            self._failed.first = RuntimeError(why)
        kind = _program.EXIT if code >= 0 else _program.SIGNAL
        talk.answer(lo, array("d", [float("nan")] * getattr(talk, "width", 1)), 0.0, [(0, kind, why)])
        return 1


def count(workers: Any) -> int:
    """The number of processes; -1: as many as there are processors."""
    try:
        n = int(workers)
        if n != workers or isinstance(workers, bool):
            raise ValueError
    except (TypeError, ValueError, OverflowError):
        raise ValueError(
            f"workers: {_arrays.short(workers)} is neither a number of processes nor a map-like workers(func, iterable)") from None
    if n == -1:
        return len(os.sched_getaffinity(0))
    if n < 1:
        raise ValueError(f"workers: {n}, must be at least 1, or -1 for as many as there are processors")
    return n
