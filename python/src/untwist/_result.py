"""What a run has found."""

from __future__ import annotations

import base64
import json
import os
import tempfile
from typing import Any, Dict, Iterator, List, Mapping, Optional, Tuple, Union, overload

from . import _arrays, _program, _tables

__all__ = ["Error", "OptimizeResult", "Structure", "Certificate", "Profile", "Picture", "Pictures"]


class Error(RuntimeError):
    """A run that has failed. ``result`` has the best so far, or None."""

    result: Optional["OptimizeResult"] = None


class _Record(Dict[str, Any]):
    """A dict whose entries are attributes too."""

    def __getattr__(self, name: str) -> Any:
        try:
            return self[name]
        except KeyError:
            raise AttributeError(name) from None

    def __setattr__(self, name: str, value: Any) -> None:
        self[name] = value

    def __delattr__(self, name: str) -> None:
        try:
            del self[name]
        except KeyError:
            raise AttributeError(name) from None

    def __dir__(self) -> List[str]:
        return sorted(set(super().__dir__()) | set(self.keys()))

    def _shown(self) -> Mapping[str, Any]:
        return self

    def to_json(self, **options: Any) -> str:
        """The entries as a JSON object. Arrays are lists, and numbers that are not finite are null.
        options are those of json.dumps."""
        return json.dumps(_tables.plain(self), allow_nan=False, **options)

    def __repr__(self) -> str:
        wide = max((len(k) for k in self._shown()), default=0)
        lines = []
        for key, value in self._shown().items():
            text = str(value).replace("\n", "\n" + " " * (wide + 2))
            lines.append(f"{key:>{wide}}: {text}")
        return "\n".join(lines)


class OptimizeResult(_Record):
    """The result of a run: a dict whose entries are attributes, as scipy's is.

    x, fun        the best point, and fun there (to the bit)
    nfev, nit     evaluations of fun, and batches of them
    success       whether the search came to its own end, the tolerance or the target (if there is
                  one, only that counts); False if the budget, the time or you ended it
    converged     whether the search came to its own end: it knows of nothing more to try
    status        why it ended, as a number: 0 done, 1 budget, 2 time, 3 target, 4 tolerance,
                  5 interrupt, 6 failures, 98 closed, 99 callback
    stopped_by    the same in a word
    message       the same in a sentence, and what was learnt about fun
    structure     what was learnt about fun: a Structure
    frame         the coordinates in which fun separates: an array, one in each row, or None
    certificate   the evidence for that: a Certificate, or None
    profiles      fun along the coordinates that were searched: a list of Profile
    curve         two arrays: numbers of evaluations, and the best value after each
    failed        how many evaluations failed; failures counts them by kind, and
                  first_failure says why the first did
    """

    x: Any
    fun: float
    nfev: int
    nit: int
    success: bool
    converged: bool
    status: int
    stopped_by: str
    message: str
    structure: Structure
    frame: Any
    certificate: Optional[Certificate]
    profiles: List[Profile]
    failed: int
    failures: Dict[str, int]
    first_failure: Optional[str]

    def _shown(self) -> Mapping[str, Any]:
        hidden = {"profiles", "report", "frame", "curve", "stages", "moves", "parameters", "warnings"}
        return {k: v for k, v in self.items() if k not in hidden and v is not None}

    @overload
    def plot(self, name: None = None) -> Pictures: ...

    @overload
    def plot(self, name: str) -> Picture: ...

    def plot(self, name: Optional[str] = None) -> Union[Picture, Pictures]:
        """The pictures of the run, which a notebook shows: convergence, couplings, profiles and
        more, as far as there are any. With a name, only that one."""
        if "_drawing" not in self.__dict__:
            raise ValueError("there is nothing to draw: this is not the result of a run")
        pictures = Pictures(_draw(self.__dict__["_drawing"]))
        if name is None:
            return pictures
        if name not in pictures:
            raise ValueError(f"there is no picture {name!r}; there are {', '.join(pictures) or 'none'}")
        return pictures[name]

    def queries(self, frame: bool = True) -> Any:
        """All evaluations, in the order in which they were asked for; NaN where one failed.

        Where pandas is installed, it is a DataFrame with a column for each parameter and one
        called value, and for each output and residual; integers and choices are ints and words. Otherwise, or with frame=False, it is a record
        of two arrays: x, the points, of shape (n, dim), and fun, their values; and of outputs, a dict
        of arrays by name, where there are any; a choice is the number of its word there."""
        if "_queries" not in self.__dict__:
            raise ValueError("there are no queries: this is not the result of a run")
        numbers = self.__dict__["_queries"].numbers
        points, rows = self.__dict__["_queries"].table()
        values = _arrays.of([numbers.worth(row) for row in rows])
        first = numbers.width - len(numbers.more)
        more = {name: _arrays.of([row[first + k] for row in rows]) for k, name in enumerate(numbers.more)}
        names = [p["name"] for p in self["parameters"]] if "parameters" in self else [f"x[{i}]" for i in range(self.__dict__["_queries"].dim)]
        table = _tables.frame(points, values, names, more, self.__dict__["_queries"].kinds) if frame else None
        return _Record(x=points, fun=values, **({"outputs": more} if more else {})) if table is None else table


class Structure(_Record):
    """What was learnt about fun.

    verdict      separable, blocks, nearly-separable, not-separable, or unknown: no coordinates
                 were found, or none were looked for
    components   how many coordinates there are, of dim dimensions
    coordinates  the coordinates in words, such as 0.89·x[0] + 0.45·x[1], one for each row of frame
    blocks       the coordinates that fun couples, counted from 0
    along_axes   whether the coordinates are those given
    residual     how far the coordinates may be from the truth
    quadratic    whether fun is a quadratic
    linear       a coordinate in which fun is linear, or -1
    map          an outer map that was undone: {name, exponent}, or None
    pairs        where fun nearly separates, the pairs that couple: {components, coupling}
    queries      what it cost
    """

    verdict: str
    components: int
    dim: int
    coordinates: List[str]
    blocks: List[List[int]]
    along_axes: bool
    residual: Optional[float]
    quadratic: bool
    linear: int
    map: Optional[Dict[str, Any]]
    pairs: List[Dict[str, Any]]
    queries: int


class Certificate(_Record):
    """How well fun separates: mixed differences relative to single ones.

    coupling   over random splits; alone: of the worst coordinate or block by itself; beyond:
               how much fun depends on what the coordinates leave out
    rounding   the level of rounding; splits: how many splits were tested
    verdict    as in the Structure
    """

    coupling: Optional[float]
    alone: Optional[float]
    beyond: Optional[float]
    rounding: Optional[float]
    splits: int
    verdict: str


class Profile(_Record):
    """fun along a coordinate, up to a constant.

    component   which one, from 0
    y, value    where fun was asked, ascending, and fun there
    wells       the local minima (y, value), the deepest first
    open        whether fun still falls at an end of the range
    """

    component: int
    y: Any
    value: Any
    wells: List[Tuple[float, float]]
    open: bool

    def __repr__(self) -> str:
        return f"Profile(component={self.component}, {len(self.y)} points, {len(self.wells)} wells)"


class Picture:
    """A picture. A notebook shows it; ``svg`` is its text."""

    def __init__(self, name: str, svg: str) -> None:
        self.name, self.svg = name, svg

    def _repr_svg_(self) -> str:
        return self.svg

    def save(self, path: Union[str, "os.PathLike[str]"]) -> None:
        """Writes the picture to a file, whose name ends with .svg."""
        if not str(os.fspath(path)).endswith(".svg"):
            raise ValueError(f"{path}: pictures are SVG, so a file of one ends with .svg")
        with open(path, "w", encoding="utf-8") as file:
            file.write(self.svg)

    def __repr__(self) -> str:
        return f"Picture({self.name!r})"


class Pictures(Mapping[str, Picture]):
    """Pictures by name. A notebook shows all of them."""

    def __init__(self, pictures: Dict[str, str]) -> None:
        self._all = {name: Picture(name, svg) for name, svg in pictures.items()}

    def __getitem__(self, name: str) -> Picture:
        return self._all[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._all)

    def __len__(self) -> int:
        return len(self._all)

    def save(self, folder: Union[str, "os.PathLike[str]"]) -> None:
        """Writes all pictures to a folder, as NAME.svg."""
        os.makedirs(folder, exist_ok=True)
        for name, picture in self._all.items():
            picture.save(os.path.join(folder, name + ".svg"))

    def _repr_html_(self) -> str:
        # As images, since ids within one SVG would be taken for those of another.
        images = []
        for name, picture in self._all.items():
            data = base64.b64encode(picture.svg.encode()).decode()
            images.append(f'<p><img alt="{name}" src="data:image/svg+xml;base64,{data}"></p>')
        return "\n".join(images) or "there is nothing to draw"

    def __repr__(self) -> str:
        return f"Pictures({', '.join(self._all)})"


_ORDER = ["convergence", "profiles", "couplings", "spectrum", "map", "convergence-linear"]


def _draw(drawing: bytes) -> Dict[str, str]:
    """Has the program draw."""
    with tempfile.TemporaryDirectory() as folder:
        done = _program.run(["draw", folder], drawing)
        if done.returncode != 0:
            raise Error(done.stderr.decode("utf-8", "replace").strip())
        found = {}
        for file in os.listdir(folder):
            name, ending = os.path.splitext(file)
            if ending == ".svg":
                with open(os.path.join(folder, file), encoding="utf-8") as text:
                    found[name] = text.read()
    return {name: found[name] for name in sorted(found, key=lambda n: (_ORDER + [n]).index(n))}
