"""What a test may leave behind: nothing."""

import gc
import os
import select
import unittest

import untwist

from . import bowl

BOX = [(-5, 5)] * 3


def children():
    """The processes that this one has started and not waited for."""
    pids = []
    for task in os.listdir("/proc/self/task"):
        with open(f"/proc/self/task/{task}/children") as file:
            pids += file.read().split()
    return pids


def files():
    gc.collect()
    return sorted(os.listdir("/proc/self/fd"))


def gone(pid):
    """Waits for the end of a process that is not a child of this one."""
    try:
        fd = os.pidfd_open(pid)
    except ProcessLookupError:
        return True
    try:
        return bool(select.select([fd], [], [], 30)[0])
    finally:
        os.close(fd)


class Clean(unittest.TestCase):
    """Every test leaves no process and no open file behind."""

    def setUp(self):
        untwist.minimize(bowl, BOX, budget=50)
        untwist.minimize(bowl, BOX, budget=50, workers=2)  # which may start helpers of multiprocessing
        self.before = files(), children()

    def tearDown(self):
        self.assertEqual((files(), children()), self.before)
