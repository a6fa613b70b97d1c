"""A run: the program asks, the user's function answers, and a result comes of it."""

from __future__ import annotations

import contextlib
import json
import logging
import re
import select
import signal
import struct
import threading
from array import array
from typing import Any, Callable, Dict, Iterator, List, Optional, Tuple

from . import _arrays
from ._evaluate import Ended, Raised
from ._kinds import Kinds
from ._options import known
from ._progress import Line
from ._program import Gone, Program, from_0, in_python, signal_name
from ._result import Error, OptimizeResult
from ._several import Numbers
from ._tables import Kept

log = logging.getLogger("untwist")

_PROGRESS = struct.Struct("<QQQdI")
_U32 = struct.Struct("<I")
_SHAPE = struct.Struct("<II")


class Run:
    """One run of the program. In talk with it, Run is what evaluators answer to."""

    def __init__(self, command: str, flags: List[str], hello: Dict[str, Any], points: List[List[float]], evaluator: Any, failed: Any,
                 callback: Optional[Callable[[OptimizeResult], Any]], line: Optional[Line]) -> None:
        self._words = [command, "--caller"] + flags
        self.named = "parameters" in hello  # else the program calls them x1, x2, …
        self.dim: int = hello["dim"]
        self.numbers = Numbers(hello)
        self.width = self.numbers.width
        self._known = known(points)
        self._hello = dict(hello, known=len(points), progress=callback is not None or line is not None)
        if callback is not None and not callable(callback):
            raise TypeError(f"callback is a {type(callback).__name__}, must be a function")
        self._evaluator, self._failed, self._callback, self._line = evaluator, failed, callback, line
        self._theirs = False  # code of the user runs
        self._waiting = False  # for the program to say something
        self._undisturbed = 0  # how many blocks there are in which an interrupt waits
        self._interrupted = False
        self._program: Any = None
        self._stopped = ""  # why we have stopped the run
        self._error: Optional[BaseException] = None  # that ends it
        self._best: Any = None
        self.kept: Optional[Kept] = None if any(f.startswith("--journal=") for f in flags) else Kept(self.dim, self.numbers)
        self.kinds = Kinds(None, None, None)
        self.arrays: Dict[str, Any] = {}
        self.drawing = b""
        self.form: Optional[Dict[str, Any]] = None

    # What evaluators use.

    def answer(self, first: int, values: "array[float]", seconds: float, failures: List[Tuple[int, int, str]]) -> None:
        """Gives values to the program."""
        with self.undisturbed():
            self._program.answer(first, values, seconds, failures)
            if self.kept is not None:
                self.kept.tell(first, values)
            if self._line is not None:
                self._line.answered(len(values) // self.width, len(failures))

    @contextlib.contextmanager
    def undisturbed(self) -> Iterator[None]:
        """Has an interrupt wait until a block is done, which must not take long."""
        self._undisturbed += 1
        try:
            yield
        finally:
            self._undisturbed -= 1
        if self._theirs and self._interrupted:
            self._theirs = False
            raise KeyboardInterrupt

    def speaks(self) -> bool:
        """Whether the program has something to say although it was not answered: that it
        wants no more."""
        ears = select.poll()  # select.select knows no file number above 1,023
        ears.register(self._program.stdout, select.POLLIN)
        return bool(ears.poll(0))

    def listens(self) -> Any:
        """What can be waited for until the program speaks."""
        return self._program.stdout

    # The run itself.

    def go(self) -> "Run":
        """Runs to the end."""
        before = self._watch_interrupts()
        try:
            self._go()
        finally:
            if before is not None:
                signal.signal(signal.SIGINT, before)
            if self._line is not None:
                self._line.end()
        return self

    def _go(self) -> None:
        ended = False
        try:
            self._program = Program(self._words, json.dumps(self._hello, allow_nan=False).encode(), self._known)
            try:
                while self.form is None:
                    self._waiting = True
                    kind, text = self._program.read()
                    self._waiting = False
                    self._hear(kind, text)
            except Gone:
                self._waiting = False
            ended = True
        finally:
            self._close(ended)

    def _close(self, ended: bool) -> None:
        """Ends all processes."""
        try:
            self._evaluator.close()
        finally:
            if self._program is not None:
                self._status = self._program.close(kill=not ended)
                self._said = self._program.words()

    def _hear(self, kind: bytes, text: bytearray) -> None:
        """Does what a message asks for."""
        if self._interrupted:
            self._stop("interrupt")
        if kind == b"P":
            if not self._stopped:
                self._evaluate(text)
        elif kind == b"G":
            self._progress(text)
        elif kind == b"A":
            n = _U32.unpack_from(text)[0]
            rows, columns = _SHAPE.unpack_from(text, 4 + n)
            self.arrays[text[4 : 4 + n].decode()] = _arrays.matrix(text[12 + n :], rows, columns)
        elif kind == b"D":
            self.drawing = bytes(text)
        elif kind == b"R":
            self.form = json.loads(text)

    def _evaluate(self, text: bytearray) -> None:
        """Has a batch of points evaluated."""
        n = _U32.unpack_from(text)[0]
        points = text[4:]
        if self.kept is not None:
            self.kept.ask(bytes(points), n)
        self._call(lambda: self._evaluator.evaluate(points, n, self.dim, self))

    def _call(self, theirs: Callable[[], Any]) -> Any:
        """Calls code of the user, and ends the run with what it raises."""
        try:
            try:
                self._theirs = True
                return theirs()
            finally:
                self._theirs = False
        except Ended:
            pass
        except KeyboardInterrupt:
            self._stop("interrupt")
        except BaseException as e:  # SystemExit and the like, too
            self._error = e.error if isinstance(e, Raised) else e
            self._stop("error")
        return None

    def _progress(self, text: bytearray) -> None:
        """Tells the user how the run is going."""
        queries, budget, failed, best, k = _PROGRESS.unpack_from(text)
        at = _PROGRESS.size
        if k > 0:
            self._best = text[at : at + 8 * k]
        stage = text[at + 8 * k :].decode()
        self.note(queries, budget, failed, best, stage)
        if self._line is not None:
            self._line.show(stage, queries, budget, best, failed)
        if self._callback is None or self._stopped:
            return
        found = OptimizeResult(
            x=None if self._best is None else self.kinds.outward(_arrays.vector(self._best)), fun=best, nfev=queries, budget=budget, failed=failed, stage=stage)
        if self._call(lambda: self._wants_end(found)):
            self._stop("callback")

    def note(self, queries: int, budget: int, failed: int, best: float, stage: str) -> None:
        """Is told how the run is going."""

    def _wants_end(self, found: OptimizeResult) -> bool:
        assert self._callback is not None
        try:
            return bool(self._callback(found))
        except StopIteration:
            return True

    def called(self, text: str) -> str:
        """Words of the program with coordinates that have no names called as in Python."""
        return text if self.named else re.sub(r"\bx([1-9][0-9]*)\b", lambda m: f"x[{int(m.group(1)) - 1}]", text)

    def _stop(self, why: str) -> None:
        """Has the program end the run. Its result still comes."""
        if not self._stopped:
            self._stopped = why
            self._program.stop()

    def _watch_interrupts(self) -> Any:
        """Has Ctrl-C interrupt code of the user's, and nothing else: the result is still to come,
        and processes are to be ended. A second one interrupts the wait for the result too. In
        threads there is nothing to do: it never comes there. It returns what was before."""
        if threading.current_thread() is not threading.main_thread() or \
                signal.getsignal(signal.SIGINT) is not signal.default_int_handler:
            return None

        def interrupt(number: int, frame: Any) -> None:
            again, self._interrupted = self._interrupted, True
            if (self._theirs or self._waiting and again) and not self._undisturbed:
                self._theirs = self._waiting = False
                raise KeyboardInterrupt

        return signal.signal(signal.SIGINT, interrupt)

    # What came of it.

    @property
    def stopped(self) -> str:
        """Why we have ended the run: "interrupt", "callback", "closed", "error" or ""."""
        return self._stopped or ("interrupt" if self._interrupted else "")

    def judge(self, result: Optional[OptimizeResult]) -> None:
        """Raises what went wrong, with the result so far. What else the program has said is
        logged."""
        fine = self.form is not None and self._status in (0, 130, 143)
        crashed = self._status < 0 or any(line.startswith(("panic: ", "fatal error: ")) for line in self._said)
        if not crashed:
            for words in self._said if fine else self._said[:-1]:
                log.log(logging.INFO if words.startswith("--from: ") else logging.WARNING, "%s", words)
        if self._error is not None:
            _attach(self._error, result)
            raise self._error
        if result is not None and self.stopped == "interrupt":
            error = KeyboardInterrupt(f"after {result.nfev:,} evaluations; the best so far is in the attribute result of this exception")
            _attach(error, result)
            raise error
        if fine:
            return
        if self._interrupted and self._status == -signal.SIGINT:
            raise KeyboardInterrupt  # before the program was in a session of its own
        words = in_python(self._said[-1]) if self._said else f"the program untwist ended with status {self._status} and said nothing"
        if crashed:
            how = f"was ended by {signal_name(-self._status)}" if self._status < 0 else "has crashed"
            words = "\n".join([f"the program untwist {how}"] + self._said[:40])
        elif self._status == 2:
            raise ValueError(self.called(from_0(words)))
        failed = Error(words)
        failed.result = result
        raise failed from self._failed.first


def _attach(error: BaseException, result: Optional[OptimizeResult]) -> None:
    try:
        error.result = result  # type: ignore[attr-defined]
    except (AttributeError, TypeError):
        pass  # an exception that takes no attributes
