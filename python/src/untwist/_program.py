"""The program untwist as a child of this process, and the messages between the two.

A message is a byte for its kind, a uint32 for its length, and its text. The program is the
one that asks: it writes points and reads values. Whatever we write is read at once, and we
read a whole message before we do anything else, so no pipe can fill and hang.
"""

from __future__ import annotations

import os
import re
import signal
import struct
import subprocess
import tempfile
import threading
import weakref
from array import array
from typing import Any, List, Tuple

_HEAD = struct.Struct("<BI")
_ANSWERS = struct.Struct("<IId")
_FAILURE = struct.Struct("<IBI")
_F_SETPIPE_SZ = 1031  # Linux
_PIPE = 1 << 20

# Kinds of failure, as a journal numbers them.
EXIT, SIGNAL, ERROR = 1, 2, 5


def path() -> str:
    """The path of the program."""
    given = os.environ.get("UNTWIST_PROGRAM")
    if given:
        return given
    here = os.path.join(os.path.dirname(os.path.abspath(__file__)), "_bin", "untwist")
    if not os.path.exists(here):
        raise FileNotFoundError(
            f"{here} does not exist. The program untwist comes with the package when it is installed "
            "(pip install ./python, in the repository); or set UNTWIST_PROGRAM to its path")
    return here


def started(words: List[str], **how: Any) -> "subprocess.Popen[bytes]":
    """The program as a child."""
    program = path()
    try:
        return subprocess.Popen([program] + words, **how)
    except OSError as e:
        set_by = " (UNTWIST_PROGRAM says so)" if os.environ.get("UNTWIST_PROGRAM") else ""
        raise type(e)(e.errno, f"the program untwist cannot be started from here{set_by}: {e.strerror}", program) from None


class Gone(Exception):
    """The program has ended without a result."""


# Programs that run, so that a forked child lets go of their pipes: otherwise a program would
# not notice that its own caller is gone. Nobody may fork while pipes are being made.
_running: "weakref.WeakSet[Any]" = weakref.WeakSet()
_lock = threading.Lock()


def _after_fork_in_child() -> None:
    _lock.release()
    for thing in list(_running):
        thing.let_go()
    _running.clear()


os.register_at_fork(before=_lock.acquire, after_in_parent=_lock.release, after_in_child=_after_fork_in_child)


def register(thing: Any) -> None:
    """Has a forked child call thing.let_go()."""
    with _lock:
        _running.add(thing)


class Program:
    """A run of the program, from its first message to its last."""

    def __init__(self, words: List[str], hello: bytes, known: bytes) -> None:
        self.pid = os.getpid()
        self.errors = tempfile.TemporaryFile()
        try:
            with _lock:
                self.process = started(
                    words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=self.errors,
                    bufsize=0, start_new_session=True)  # a session of its own: Ctrl-C is for us
                _running.add(self)
        except BaseException:
            self.errors.close()
            raise
        assert self.process.stdin is not None and self.process.stdout is not None
        self.stdin: Any = self.process.stdin
        self.stdout: Any = self.process.stdout
        try:
            for pipe in (self.stdin, self.stdout):
                _widen(pipe.fileno())
            self.write(b"H", hello)
            if known:
                self.write(b"K", known)
        except BaseException:  # an interrupt where we have no handler for it
            self.close(kill=True)
            self.errors.close()
            raise

    def write(self, kind: bytes, *parts: Any) -> None:
        """Writes a message. A program that has ended does not hear it: read tells why."""
        text = b"".join((_HEAD.pack(kind[0], sum(len(p) for p in parts)),) + parts)
        view = memoryview(text)
        try:
            while view:
                view = view[self.stdin.write(view) or 0 :]
        except (BrokenPipeError, ConnectionResetError):
            pass

    def read(self) -> Tuple[bytes, bytearray]:
        """Reads a message, and waits for it."""
        kind, length = _HEAD.unpack(self._exactly(_HEAD.size))
        return bytes((kind,)), self._exactly(length)

    def _exactly(self, n: int) -> bytearray:
        text = bytearray(n)
        view = memoryview(text)
        have = 0
        while have < n:
            got = self.stdout.readinto(view[have:])
            if not got:
                raise Gone
            have += got
        return text

    def answer(self, first: int, values: "array[float]", seconds: float,
               failures: List[Tuple[int, int, str]]) -> None:
        """Gives the values of the points first, first + 1, and so on."""
        parts = [_ANSWERS.pack(first, len(values), seconds), values.tobytes()]
        for i, kind, why in failures:
            words = why.encode("utf-8", "replace")[:1000]
            parts += [_FAILURE.pack(i, kind, len(words)), words]
        self.write(b"V", b"".join(parts))

    def stop(self) -> None:
        """Has the run end: its result comes soon."""
        self.write(b"S")

    def close(self, kill: bool = False) -> int:
        """Ends the program, lets go of the pipes and returns the exit status."""
        if kill:
            self.process.kill()
        self.stdin.close()
        try:
            # The end of its input ends it within a second.
            status = self.process.wait(10)
        except BaseException as e:
            self.process.kill()
            status = self.process.wait()
            if not isinstance(e, subprocess.TimeoutExpired):
                self._forget()
                raise
        self._forget()
        return status

    def _forget(self) -> None:
        self.stdout.close()
        with _lock:
            _running.discard(self)

    def words(self) -> List[str]:
        """What the program has said on its standard error, a line each."""
        self.errors.seek(0)
        text = self.errors.read().decode("utf-8", "replace")
        self.errors.close()
        return [re.sub(r"^untwist: ", "", line) for line in text.splitlines() if line.strip()]

    def let_go(self) -> None:
        """Closes our copies of the pipes, in a forked child: the program is not its own."""
        self.stdin.close()
        self.stdout.close()
        self.errors.close()
        self.process.returncode = 0  # which is its parent's to know


def _widen(fd: int) -> None:
    try:
        import fcntl
        fcntl.fcntl(fd, _F_SETPIPE_SZ, _PIPE)
    except (ImportError, OSError):
        pass


def run(words: List[str], text: bytes = b"") -> "subprocess.CompletedProcess[bytes]":
    """Runs the program to its end."""
    return subprocess.run([path()] + words, input=text, stdout=subprocess.PIPE, stderr=subprocess.PIPE)


def signal_name(number: int) -> str:
    """A signal in words; not all have a name."""
    try:
        return f"signal {signal.Signals(number).name}"
    except ValueError:
        return f"signal {number}"


def in_python(text: str) -> str:
    """An error of the program in the words of Python: options are not flags."""
    names = {"from": "data", "noise-level": "noise_level", "max-failures": "max_failures", "keep-going": "keep_going"}
    text = re.sub(r' \(untwist \w+ --help lists the flags\)$', "", text)
    text = re.sub(r'invalid argument (".*") for "(--[a-z-]+)" flag: ', r"\2: \1, ", text)
    text = re.sub(r"--param\b", "names, scale or bounds", text)
    text = re.sub(r"--from: \S*/untwist-data-\w+/data\.csv", "--from", text)  # which we have written
    return re.sub(r"--([a-z0-9][a-z0-9-]*)", lambda m: names.get(m.group(1), m.group(1)), text)


def from_0(text: str) -> str:
    """Words of the program in which things are counted from 0, as Python does."""
    if "count from 0" in text:
        return text
    text = re.sub(r"\bcoordinate (\d+)\b", lambda m: f"x[{int(m.group(1)) - 1}]", text)
    return re.sub(r"\b(point|component|row|parameter) (\d+)\b", lambda m: f"{m.group(1)} {int(m.group(2)) - 1}", text)
