"""python -m untwist ARGUMENTS runs the program untwist."""

from __future__ import annotations

import os
import sys

from ._program import path


def main() -> None:
    """Runs the program in the place of this process."""
    try:
        program = path()
    except FileNotFoundError as e:
        sys.exit(f"untwist: {e}")
    os.execv(program, ["untwist"] + sys.argv[1:])


if __name__ == "__main__":
    main()
