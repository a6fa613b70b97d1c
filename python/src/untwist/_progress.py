"""One line that says how a run is going, and rewrites itself."""

from __future__ import annotations

import math
import sys
import time
from typing import Any, Optional


class Line:
    """The line. It is first written after half a second, and then ten times a second."""

    def __init__(self, out: Any, stays: bool) -> None:
        self._out, self._stays = out, stays
        self._began = time.monotonic()
        self._shown = self._began + 0.4
        self._width = 0
        self._text = ""
        self._stage, self._queries, self._budget, self._best, self._failed = "", 0, 0, math.inf, 0

    def show(self, stage: str, queries: int, budget: int, best: float, failed: int) -> None:
        """What the program says after each batch."""
        self._stage, self._queries, self._budget, self._best, self._failed = stage, queries, budget, best, failed
        self._again()

    def answered(self, answers: int, failed: int) -> None:
        """More answers within a batch, which may take long."""
        self._queries += answers
        self._failed += failed
        self._again()

    def _again(self) -> None:
        now = time.monotonic()
        rate = self._queries / max(now - self._began, 1e-9)
        parts = [self._stage, f"{self._queries:,} of {self._budget:,} queries" if self._budget else f"{self._queries:,} queries"]
        if math.isfinite(self._best):
            parts.append(f"best {self._best:.6g}")
        if self._failed:
            parts.append(f"{self._failed:,} failed")
        parts.append(f"{rate:,.0f}/s" if rate >= 10 else f"{1 / rate:.2g} s each" if rate > 0 else "")
        self._text = "  ".join(p for p in parts if p)
        if now - self._shown >= 0.1:
            self._shown = now
            self._write(self._text)

    def _write(self, text: str) -> None:
        try:
            self._out.write("\r" + text + " " * (self._width - len(text)))
            self._out.flush()
        except (OSError, ValueError):
            pass  # nobody looks any more
        self._width = len(text)

    def end(self) -> None:
        """Takes the line away, or leaves it as it was last."""
        if self._width == 0:
            return
        self._write(self._text if self._stays else "")
        try:
            self._out.write("\n" if self._stays else "\r")
            self._out.flush()
        except (OSError, ValueError):
            pass


def line(wanted: Optional[bool]) -> Optional[Line]:
    """The line for a run. None: where somebody looks, in a terminal or a notebook."""
    out = sys.stderr
    if wanted is False or out is None:
        return None
    notebook = type(out).__module__.split(".")[0] == "ipykernel"
    try:
        terminal = bool(out.isatty())
    except (AttributeError, ValueError):
        terminal = False
    if wanted or notebook or terminal:
        return Line(out, stays=not terminal)
    return None
