"""Integers, steps and choices: what coordinates are, and points in the user's words."""

from __future__ import annotations

from typing import Any, Dict, List, Optional, Sequence

from . import _arrays


class Kinds:
    """Which coordinates are integers, have a step or are one of some words. Points of the program are
    floats, with the index of a word; the user's have ints and words."""

    def __init__(self, integer: Any, step: Any, choices: Any) -> None:
        self._integer = [] if integer is None else [integer] if isinstance(integer, (str, int)) else list(integer)
        self._step: Dict[Any, Any] = _dict(step, "step", "{\"thickness\": 0.25}")
        self.words: Dict[Any, List[str]] = {}
        for name, words in _dict(choices, "choices", "{\"material\": [\"copper\", \"steel\"]}").items():
            if isinstance(words, str) or not hasattr(words, "__iter__") or not all(isinstance(w, str) for w in words):
                raise ValueError(f"choices: those of {name!r} must be a list of texts")
            if not isinstance(name, str):
                raise ValueError(f"choices: {name!r} must be the name of a coordinate")
            self.words[name] = list(words)
        self.integer: Dict[int, bool] = {}
        self.step: Dict[int, float] = {}
        self.choices: Dict[int, List[str]] = {}

    def __bool__(self) -> bool:
        return bool(self._integer or self._step or self.words)

    def place(self, names: Optional[Sequence[str]], dim: int) -> None:
        """Finds the coordinates by their names, or by their numbers from 0."""
        def at(name: Any, what: str) -> int:
            if names is not None and name in names:
                return list(names).index(name)
            if isinstance(name, int) and 0 <= name < dim:
                return name
            raise ValueError(f"{what}: there is no coordinate {name!r}")
        self.integer = {at(n, "integer"): True for n in self._integer}
        self.step = {at(n, "step"): _arrays.number(s) for n, s in self._step.items()}
        self.choices = {at(n, "choices"): words for n, words in self.words.items()}

    def inward(self, point: Any) -> Any:
        """A point of the user as the program has it."""
        if not self.choices or _arrays.is_number(point):
            return point
        out = list(point)
        for i, words in self.choices.items():
            if i < len(out) and isinstance(out[i], str):
                if out[i] not in words:
                    raise ValueError(f"{out[i]!r} is none of {', '.join(words)}")
                out[i] = float(words.index(out[i]))
        return out

    def outward(self, x: Any) -> Any:
        """A point of the program as the user has it: a list, if there are integers or words."""
        if not self.integer and not self.choices:
            return x
        out = [float(v) for v in x]
        for i in self.integer:
            out[i] = int(out[i])  # type: ignore[call-overload]
        for i, words in self.choices.items():
            out[i] = words[int(out[i])]  # type: ignore[call-overload]
        return out


class Worded:
    """A function of the user's points as one of the program's."""

    def __init__(self, fun: Any, kinds: Kinds) -> None:
        self.fun, self._kinds = fun, kinds

    def __call__(self, x: Any, *args: Any) -> Any:
        return self.fun(self._kinds.outward(x), *args)


def _dict(given: Any, what: str, such: str) -> Dict[Any, Any]:
    if given is None:
        return {}
    if not isinstance(given, dict):
        raise ValueError(f"{what} must be a dict such as {such}")
    return given
