"""How runs end: callbacks, interrupts, kills, limits; and what is left behind: nothing."""

import functools
import json
import os
import resource
import signal
import subprocess
import sys
import tempfile
import threading
import unittest

import untwist

from . import bits, bowl, clean, script, valleys
from .clean import children, gone

BOX = [(-5, 5)] * 3


class Ends(clean.Clean):
    def test_callback(self):
        seen = []

        def callback(intermediate_result):
            seen.append((intermediate_result.nfev, float(intermediate_result.fun), list(intermediate_result.x)))
            return len(seen) == 3

        result = untwist.minimize(valleys, BOX, budget=2000, callback=callback)
        self.assertEqual((result.stopped_by, result.status, result.success), ("callback", 99, False))
        self.assertEqual((result.nfev, result.fun, list(result.x)), seen[-1])
        self.assertEqual(valleys(result.x), result.fun)

        def stop(intermediate_result):
            raise StopIteration

        self.assertEqual(untwist.minimize(valleys, BOX, budget=2000, callback=stop).stopped_by, "callback")

    def test_callback_that_fails(self):
        def callback(r):
            raise ZeroDivisionError("mine")

        with self.assertRaisesRegex(ZeroDivisionError, "mine") as caught:
            untwist.minimize(valleys, BOX, budget=2000, callback=callback)
        self.assertGreater(caught.exception.result.nfev, 0)

    def test_limits(self):
        self.assertEqual(untwist.minimize(valleys, BOX, budget=100).nfev, 100)
        result = untwist.minimize(valleys, BOX, budget=1e4, target=-10, strategy="cmaes")
        self.assertEqual((result.stopped_by, result.success), ("target", True))
        result = untwist.minimize(valleys, BOX, budget=300, target=-1e9, strategy="cmaes")
        self.assertEqual((result.stopped_by, result.success), ("budget", False))

    def test_time_within_a_batch(self):
        late = threading.Event()
        asked = []

        def slow(x):
            asked.append(None)
            late.wait(0.02)
            return bowl(x)

        known = [[0.001 * i] * 3 for i in range(1000)]  # one batch of 20 s
        for options in (dict(), dict(workers=map)):
            asked.clear()
            result = untwist.minimize(slow, BOX, known, budget=1000, time=0.3, **options)
            self.assertEqual(result.stopped_by, "time")
            self.assertLess(len(asked), 500)

    def test_time_with_processes(self):
        known = [[0.001 * i] * 3 for i in range(1000)]
        result = untwist.minimize(wait, BOX, known, (0.05,), budget=1000, time=1, workers=2)
        self.assertEqual(result.stopped_by, "time")
        self.assertLess(result.nfev, 500)

    def test_interrupt_in_f(self):
        calls = []

        def f(x):
            calls.append(None)
            if len(calls) == 100:
                signal.raise_signal(signal.SIGINT)
            return bowl(x)

        with self.assertRaises(KeyboardInterrupt) as caught:
            untwist.minimize(f, BOX, [[0, 0, 0]], budget=2000)
        result = caught.exception.result
        self.assertEqual((result.stopped_by, result.status, result.success), ("interrupt", 5, False))
        self.assertEqual(result.nfev, 99)
        self.assertLessEqual(result.fun, bowl([0, 0, 0]))
        self.assertIs(signal.getsignal(signal.SIGINT), signal.default_int_handler)

    def test_interrupt_in_the_callback(self):
        def callback(r):
            signal.raise_signal(signal.SIGINT)

        with self.assertRaises(KeyboardInterrupt) as caught:
            untwist.minimize(bowl, BOX, budget=2000, callback=callback)
        self.assertEqual(caught.exception.result.stopped_by, "interrupt")

    def test_control_c(self):
        # To all processes of a group, as a terminal sends it.
        for workers in ("1", "2"):
            child = script("""
import os, sys, threading, untwist
def f(x):
    os.write(1, b"asked\\n")
    threading.Event().wait(0.01)
    return float(x[0]) ** 2
for run in range(3):
    try:
        untwist.minimize(f, [(-5, 5)] * 10, budget=100000, strategy="cmaes", workers=int(sys.argv[1]))
    except KeyboardInterrupt as e:
        print("result", run, e.result.stopped_by, e.result.nfev > 0, flush=True)
        raise
""", workers, start_new_session=True, stderr=subprocess.PIPE)
            for _ in range(30):
                self.assertEqual(child.stdout.readline(), b"asked\n")
            os.killpg(child.pid, signal.SIGINT)
            out, err = child.communicate()
            self.assertEqual(out.splitlines()[-1], b"result 0 interrupt True")  # it ends the loop
            self.assertEqual(child.returncode, -signal.SIGINT)
            self.assertRegex(err.splitlines()[-1].decode(), r"^KeyboardInterrupt: after \d+ evaluations; the best so far is in the attribute result")

    def test_interrupts_at_any_time(self):
        # Between two bytes of a message, too.
        for count in range(1, 60, 5):
            calls = [0]

            def f(x):
                calls[0] += 1
                return bowl(x)

            def strike(frame, event, argument, left=[40 * count]):
                left[0] -= 1
                if left[0] == 0:
                    signal.raise_signal(signal.SIGINT)
                return strike

            before = sys.gettrace()
            try:
                sys.settrace(strike)
                result = untwist.minimize(f, BOX, budget=300, strategy="cmaes")
                self.assertEqual(result.stopped_by, "budget")
            except KeyboardInterrupt:
                pass
            finally:
                sys.settrace(before)

    def test_many_interrupts(self):
        # Further ones while the run is being ended: nothing is left behind, as tearDown sees.
        for options in (dict(), dict(workers=2)):
            for count in range(5, 60, 9):
                def strike(frame, event, argument, left=[30 * count]):
                    left[0] -= 1
                    if left[0] <= 0 and left[0] % 10 == 0 and left[0] > -2000:
                        signal.raise_signal(signal.SIGINT)
                    return strike

                before = sys.gettrace()
                try:
                    sys.settrace(strike)
                    untwist.minimize(bowl, BOX, budget=300, strategy="cmaes", **options)
                except KeyboardInterrupt:
                    pass
                finally:
                    sys.settrace(before)

    def test_control_c_while_processes_start(self):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "run.py")
            with open(path, "w") as file:
                file.write("""
import multiprocessing, os, signal, sys, untwist
from tests import bowl
if __name__ == "__main__":
    multiprocessing.set_start_method("spawn")
    untwist.minimize(bowl, [(-5, 5)] * 3, budget=30, workers=2)
else:  # a process of workers imports this, and may be told of a Ctrl-C
    os.write(1, b"%d\\n" % (signal.SIGINT in signal.pthread_sigmask(signal.SIG_BLOCK, [])))
""")
            environment = dict(os.environ, PYTHONPATH=os.pathsep.join([os.getcwd(), os.environ.get("PYTHONPATH", "")]))
            out = subprocess.run([sys.executable, path], stdout=subprocess.PIPE, env=environment, check=True).stdout
            self.assertEqual(out, b"1\n1\n")

    def test_signals_of_processes(self):
        # Programs that fun starts get Ctrl-C, and handlers of the user are not run in processes.
        self.assertEqual(untwist.minimize(signals, BOX, budget=5, workers=2).fun, 0)
        with tempfile.TemporaryDirectory() as folder:
            def handler(number, frame):
                open(os.path.join(folder, "called"), "w").close()
                os._exit(0)

            before = signal.signal(signal.SIGTERM, handler)
            try:
                untwist.minimize(bowl, BOX, budget=50, workers=2)
            finally:
                signal.signal(signal.SIGTERM, before)
            self.assertEqual(os.listdir(folder), [])

    def test_ways_to_start_processes(self):
        alone = bits(untwist.minimize(valleys, BOX, budget=300))
        for method in ("spawn", "forkserver", "fork"):
            child = script("""
import json, multiprocessing, sys, untwist
from tests import bits, valleys
if __name__ == "__main__":
    multiprocessing.set_start_method(sys.argv[1])
    print(json.dumps(bits(untwist.minimize(valleys, [(-5, 5)] * 3, budget=300, workers=2))))
""", method)
            out, _ = child.communicate()
            self.assertEqual(tuple(json.loads(out)), alone)

    def test_many_open_files(self):
        soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
        resource.setrlimit(resource.RLIMIT_NOFILE, (min(2000, hard), hard))
        many = [os.open("/dev/null", os.O_RDONLY) for _ in range(1100)]
        try:
            late = threading.Event()
            known = [[0.001 * i] * 3 for i in range(1000)]
            result = untwist.minimize(lambda x: late.wait(0.01) or bowl(x), BOX, known, budget=1000, time=0.5)
            self.assertEqual(result.stopped_by, "time")
            self.assertEqual(untwist.minimize(bowl, BOX, budget=200, workers=2).failed, 0)
        finally:
            for fd in many:
                os.close(fd)
            resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))

    def test_in_threads(self):
        alone = bits(untwist.minimize(valleys, BOX, budget=1000))
        found = {}

        def minimize(i, **options):
            found[i] = bits(untwist.minimize(valleys, BOX, budget=1000, **options))

        threads = [threading.Thread(target=minimize, args=(i,), kwargs={"workers": 2} if i == 0 else {}) for i in range(4)]
        for t in threads:
            t.start()
        for t in threads:
            t.join()
        self.assertEqual(found, {i: alone for i in range(4)})

    def test_after_fork(self):
        # A child that is forked within a run has a run of its own, and does not disturb ours.
        alone = bits(untwist.minimize(valleys, BOX, budget=1000))
        read, write = os.pipe()
        calls = []

        def f(x):
            calls.append(None)
            if len(calls) == 50:
                pid = os.fork()
                if pid == 0:
                    found = bits(untwist.minimize(valleys, BOX, budget=1000))
                    os.write(write, b"same" if found == alone else b"other")
                    os._exit(0)
                os.waitpid(pid, 0)
            return valleys(x)

        self.assertEqual(bits(untwist.minimize(f, BOX, budget=1000)), alone)
        self.assertEqual(os.read(read, 100), b"same")
        os.close(read)
        os.close(write)

    def test_a_run_within_a_run(self):
        inner = []

        def f(x):
            if len(inner) < 3:
                inner.append(untwist.minimize(bowl, BOX, budget=60).fun)
            return valleys(x)

        alone = bits(untwist.minimize(valleys, BOX, budget=500))
        self.assertEqual(bits(untwist.minimize(f, BOX, budget=500)), alone)
        self.assertEqual(len(set(inner)), 1)

    def test_batches_of_ten_thousand(self):
        dim = 100
        known = [[(i * k % 97) / 10 - 4.8 for k in range(1, dim + 1)] for i in range(10000)]
        for options in (dict(), dict(workers=2), dict(workers=map)):
            result = untwist.minimize(first, [(-5, 5)] * dim, known, budget=10000, strategy="cmaes", **options)
            self.assertEqual(result.nfev, 10000)
            self.assertEqual(result.fun, min(x[0] for x in known))

    def test_program_that_is_killed(self):
        def f(x):
            for pid in children():
                os.kill(int(pid), signal.SIGKILL)
            return 0.0

        with self.assertRaisesRegex(untwist.Error, "ended by signal SIGKILL"):
            untwist.minimize(f, BOX, budget=100)

    def test_other_programs(self):
        with tempfile.TemporaryDirectory() as folder:
            before = os.environ.get("UNTWIST_PROGRAM")
            os.environ["UNTWIST_PROGRAM"] = os.path.join(folder, "program")
            try:
                with self.assertRaisesRegex(FileNotFoundError, r"the program untwist cannot be started from here \(UNTWIST_PROGRAM says so\): No such file.*program'"):
                    untwist.minimize(bowl, BOX, budget=100)
                for text, words in (("echo 'panic: oh' >&2; echo '  main.go:1' >&2; exit 2", "has crashed\npanic: oh"),
                                    ("exit 7", "ended with status 7 and said nothing"), ("exit 0", "ended with status 0 and said nothing"), ("echo untwist: no >&2; exit 1", "^no$")):
                    with open(os.environ["UNTWIST_PROGRAM"], "w") as file:
                        file.write("#!/bin/sh\n" + text + "\n")
                    os.chmod(os.environ["UNTWIST_PROGRAM"], 0o755)
                    with self.assertRaisesRegex(untwist.Error, words):
                        untwist.minimize(bowl, BOX, budget=100)
            finally:
                del os.environ["UNTWIST_PROGRAM"]
                if before is not None:
                    os.environ["UNTWIST_PROGRAM"] = before


def first(x):
    return float(x[0])


def signals(x):
    """Whether a program that this starts has SIGINT blocked or ignored."""
    status = subprocess.run(["cat", "/proc/self/status"], stdout=subprocess.PIPE, check=True).stdout.decode()
    return sum(int(line.split()[1], 16) >> (signal.SIGINT - 1) & 1 for line in status.splitlines() if line.startswith(("SigIgn", "SigBlk")))


def wait(x, seconds):
    threading.Event().wait(seconds)
    return bowl(x)


class Journal(clean.Clean):
    RUN = """
import json, os, signal, sys, untwist
from tests import bits, valleys
calls = 0
def f(x):
    global calls
    calls += 1
    if calls == int(sys.argv[2]):
        with open(f"/proc/self/task/{os.getpid()}/children") as file:
            print(file.read(), flush=True)
        os.kill(os.getpid(), signal.SIGKILL)
    return valleys(x)
result = untwist.minimize(f, [(-5, 5)] * 4, budget=1500, journal=sys.argv[1])
print(json.dumps([bits(result), calls, result.resumed]))
"""

    def test_resumes_after_kill(self):
        alone = bits(untwist.minimize(valleys, [(-5, 5)] * 4, budget=1500))
        with tempfile.TemporaryDirectory() as folder:
            journal = os.path.join(folder, "run.journal")
            for _ in range(4):
                child = script(self.RUN, journal, str(alone[2] // 6))
                out, _ = child.communicate()
                self.assertEqual(child.returncode, -signal.SIGKILL)
                for pid in out.split():
                    self.assertTrue(gone(int(pid)), "the program still runs")
            child = script(self.RUN, journal, "0")
            out, _ = child.communicate()
            found, calls, resumed = json.loads(out)
            self.assertEqual(tuple(found), alone)
            self.assertEqual(calls + resumed, alone[2])
            self.assertGreater(resumed, 0)
            self.assertLess(calls, alone[2])

    def test_kill_within_a_batch(self):
        text = """
import os, signal, sys, threading, untwist
from tests import bowl
calls = 0
def f(x):
    global calls
    calls += 1
    if calls == int(sys.argv[2]):
        os.kill(os.getpid(), signal.SIGKILL)
    threading.Event().wait(0.005 if int(sys.argv[2]) else 0)
    return bowl(x)
known = [[0.001 * i] * 3 for i in range(1000)]
result = untwist.minimize(f, [(-5, 5)] * 3, known, budget=1000, journal=sys.argv[1])
print(calls, result.resumed)
"""
        with tempfile.TemporaryDirectory() as folder:
            journal = os.path.join(folder, "run.journal")
            child = script(text, journal, "300")  # the first 1,000 points but for a few are one batch
            child.communicate()
            self.assertEqual(child.returncode, -signal.SIGKILL)
            out, _ = script(text, journal, "0").communicate()
            calls, resumed = map(int, out.split())
            self.assertEqual(calls + resumed, 1000)
            self.assertGreater(resumed, 200)

    def test_processes_end_too(self):
        child = script("""
import os, sys, threading, untwist
from tests import bowl
def f(x):
    os.write(1, b"%d %d\\n" % (os.getpid(), os.getppid()))
    threading.Event().wait()  # for ever
untwist.minimize(f, [(-5, 5)] * 4, budget=100000, strategy="cbo", workers=3)
""")
        pids, parent = set(), set()
        while len(pids) < 3:
            words = child.stdout.readline().split()
            pids.add(int(words[0]))
            parent.add(int(words[1]))
        self.assertEqual(parent, {child.pid})
        child.kill()
        child.communicate()
        for pid in pids:
            self.assertTrue(gone(pid))

    def test_refused(self):
        with tempfile.TemporaryDirectory() as folder:
            journal = os.path.join(folder, "run.journal")
            untwist.minimize(valleys, BOX, budget=100, journal=journal)
            again = untwist.minimize(valleys, BOX, budget=100, journal=journal)
            self.assertEqual(again.resumed, 100)
            more = untwist.minimize(valleys, BOX, budget=150, journal=journal)
            self.assertEqual((more.resumed, more.nfev), (100, 150))
            for fun, options in ((valleys, dict(seed=1)), (bowl, {})):
                with self.assertRaisesRegex(untwist.Error, "is the journal of another run"):
                    untwist.minimize(fun, BOX, budget=100, journal=journal, **options)

            def more_or_less(x, c=0):
                return valleys(x) + c

            journal = os.path.join(folder, "other.journal")
            untwist.minimize(more_or_less, BOX, budget=50, journal=journal)
            with self.assertRaisesRegex(untwist.Error, "is the journal of another run"):
                untwist.minimize(more_or_less, BOX, None, (1,), budget=50, journal=journal)

    def test_report(self):
        """The page is written however a run ends, and not at all if it cannot be."""
        with tempfile.TemporaryDirectory() as folder:
            page = os.path.join(folder, "run.html")
            for run, words in (
                    (lambda: untwist.minimize(bowl, BOX, budget=60, report=page), "after 60 queries"),
                    (lambda: untwist.minimize(bowl, BOX, budget=60, report=page, callback=lambda _: True), "it was interrupted"),
                    (lambda: untwist.probe(bowl, BOX, report=page.encode()), "Report of a probe")):
                run()
                with open(page, encoding="utf-8") as file:
                    text = file.read()
                os.remove(page)
                self.assertTrue(text.startswith("<!DOCTYPE html>"))
                self.assertIn(words, text)
                self.assertIn("bowl", text)
                self.assertNotIn("--caller", text)

            def fails(x):
                raise ValueError("<i>never</i>")

            with self.assertRaises(untwist.Error):
                untwist.minimize(fails, BOX, report=page)
            with open(page, encoding="utf-8") as file:
                self.assertIn("&lt;i&gt;never&lt;/i&gt;", file.read())
            calls = []
            with self.assertRaisesRegex(untwist.Error, "report: .*no such"):
                untwist.minimize(calls.append, BOX, report=os.path.join(folder, "none", "run.html"))
            self.assertEqual(calls, [])
            with self.assertRaisesRegex(TypeError, "report: .* must be the path of a file"):
                untwist.minimize(bowl, BOX, report=3)

    def test_functions_without_names(self):
        def power(x, p):
            return sum(float(v) ** p for v in x)

        for functions in ([lambda x: float(x[0]) ** 2, lambda x: float(x[0]) ** 4, lambda x: abs(float(x[0]))],
                          [functools.partial(power, p=2), functools.partial(power, p=4)]):
            with tempfile.TemporaryDirectory() as folder:
                journal = os.path.join(folder, "run.journal").encode()
                untwist.minimize(functions[0], BOX, budget=50, journal=journal)
                self.assertEqual(untwist.minimize(functions[0], BOX, budget=50, journal=journal).resumed, 50)
                for other in functions[1:]:
                    with self.assertRaisesRegex(untwist.Error, "is the journal of another run"):
                        untwist.minimize(other, BOX, budget=50, journal=journal)

    def test_probe_resumes(self):
        with tempfile.TemporaryDirectory() as folder:
            journal = os.path.join(folder, "run.journal")
            first = untwist.probe(valleys, BOX, budget=2000, journal=journal)
            again = untwist.probe(valleys, BOX, budget=2000, journal=journal)
            self.assertEqual((again.resumed, again.nfev), (first.nfev, first.nfev))

    def test_reasons_are_kept(self):
        def f(x):
            if x[0] > 1:
                raise ValueError("too far")
            return bowl(x)

        with tempfile.TemporaryDirectory() as folder:
            journal = os.path.join(folder, "run.journal")
            first = untwist.minimize(f, BOX, budget=300, journal=journal)
            again = untwist.minimize(f, BOX, budget=300, journal=journal)
            self.assertEqual((again.failed, again.first_failure, again.resumed), (first.failed, "ValueError: too far", 300))
            out = subprocess.run([sys.executable, "-m", "untwist", "journal", journal], stdout=subprocess.PIPE, check=True).stdout.decode()
            self.assertIn("too far", out)


if __name__ == "__main__":
    unittest.main()
