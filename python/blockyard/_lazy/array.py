# SPDX-License-Identifier: Apache-2.0
"""The array that a user computes with."""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from .. import _errors
from .._arrays import BlockArray, map_of, not_in_place
from .._axes import axes_of, order_of
from .._masks import unmasked
from .._sources import BlockSource, Sizes, is_source, source_of
from .nodes import Leaf, Map, Node, contract
from .run import compute, text_of

if TYPE_CHECKING:
    from .._session import Session

#: Methods of NumPy's arrays that would change the array.
_changing = frozenset("byteswap fill itemset partition put resize setfield setflags sort".split())
_deepest = 100  # operations one above the other in one program: Python does not call itself much deeper


class LazyArray(Sizes, np.lib.mixins.NDArrayOperatorsMixin):
    """An array of a session to compute with, as with one of NumPy: ``a @ b``, ``+ - * /``, ``**``, comparisons,
    every ufunc, ``.T``, ``.sum(axis)``, slices, ``norm``, and the NumPy functions that take it.

    Values are computed when they are requested: ``np.asarray(x)``, ``x.compute(out=...)``, ``float(x)``.
    Then all that ``x`` is made of becomes one SIAL program, over blocks that fit in the memory of the
    session. Shapes, types and values are NumPy's, but sums and products of integers are computed in float64, exact up to 2**53.
    A function or method of NumPy that is not known here gets the whole array.

    Attributes:
        shape, dtype, ndim, size, nbytes: of the values.
        sial: the program that computes them.
    """

    def __init__(self, session: "Session", node: Node):
        self._session = session
        self._node = node

    @property
    def shape(self) -> tuple[int, ...]:
        return self._node.shape

    @property
    def dtype(self) -> np.dtype[Any]:
        return self._node.dtype

    @property
    def sial(self) -> str:
        return text_of(self._session, self._node)

    def compute(self, out: Any = None) -> Any:
        """The values: a new NumPy array, a number where there are no axes; a read-only view of a memory map, in
        a file where they do not fit in half the memory. They are the caller's, and not kept: where they are wanted again,
        ``np.asarray(x)`` computes them once. ``out``: a NumPy array, an HDF5 dataset or a Zarr array, which
        gets them and is returned.

        Raises OutOfMemory, StorageError; InputError where ``out`` has another shape, or elements that the result
        cannot be cast to as by "same_kind".
        """
        if out is None:
            if not self.ndim:
                return self._value()[()]
            array = self._node.array if isinstance(self._node, Leaf) else None
            value = self._value() if array is not None else np.asarray(compute(self._session, self._node))
            if map_of(value) is not None:
                return _locked(value)
            return value if array is None or isinstance(array, BlockSource) and array.gives_copies else value.copy()
        if tuple(out.shape) != self.shape or not np.can_cast(self.dtype, np.dtype(out.dtype), "same_kind"):
            raise _errors.InputError(f"out has the shape {tuple(out.shape)} and elements {np.dtype(out.dtype)}, the result "
                                     f"{self.shape} and {self.dtype}")
        return compute(self._session, self._node, out)

    def _value(self) -> np.ndarray:
        """Computed once. It is not to be written to: it may be an array of the user's."""
        if not isinstance(self._node, Leaf):
            self._node = Leaf(np.asarray(compute(self._session, self._node)))
        return np.asarray(self._node.value())

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> np.ndarray:
        """Without a copy, and where the type is the same, read-only."""
        value = self._value()
        if copy:
            return np.array(value, dtype=dtype)
        if dtype is None or value.dtype == dtype:
            return _locked(value)
        if copy is False:
            raise ValueError(f"elements of type {value.dtype} are no {np.dtype(dtype)} without a copy")
        return value.astype(dtype)

    def __reduce__(self) -> Any:
        raise TypeError("a LazyArray belongs to a session and cannot be pickled: x.compute() has its values")

    def __copy__(self) -> "LazyArray":
        return LazyArray(self._session, self._node)

    def __deepcopy__(self, known: Any) -> "LazyArray":
        """With values of its own."""
        return LazyArray(self._session, Leaf(np.asarray(self.compute())))

    def __pow__(self, other: Any) -> Any:
        if (type(other) is int or type(other) is float and self.dtype.kind in "fc") and other == 2:
            return np.square(self)  # as NumPy takes it: of truths that is another type
        return np.power(self, other)

    def __float__(self) -> float:
        return float(np.asarray(self))

    def __complex__(self) -> complex:
        return complex(np.asarray(self))

    def __int__(self) -> int:
        return int(np.asarray(self))

    def __index__(self) -> int:
        return operator.index(np.asarray(self))

    def __bool__(self) -> bool:
        return bool(np.asarray(self))

    def __len__(self) -> int:
        if not self.ndim:
            raise TypeError("an array without axes has no length")
        return self.shape[0]

    def __iter__(self) -> Iterator[Any]:
        if not self.ndim:
            raise TypeError("an array without axes cannot be iterated over")
        return (self[k] for k in range(self.shape[0]))

    def __contains__(self, value: Any) -> bool:
        return bool(np.any(np.asarray(self == value)))

    def __format__(self, how: str) -> str:
        return format(self._value()[()], how) if not self.ndim else super().__format__(how)

    def __round__(self, digits: int | None = None) -> Any:
        if self.ndim:
            raise TypeError("round() is for a number: np.round(x, decimals) rounds all elements")
        number: Any = self._value()[()]
        return round(number, digits)

    def __repr__(self) -> str:
        return f"<LazyArray {self.shape} {self.dtype}>"

    def _of(self, node: Node) -> "LazyArray":
        made = LazyArray(self._session, node)
        if node.depth >= _deepest:
            made._value()
        return made

    # -- views

    @property
    def T(self) -> "LazyArray":
        return self.transpose()

    def transpose(self, *axes: Any) -> "LazyArray":
        return self._of(self._node.permute(order_of(axes, self.ndim)))

    def __getitem__(self, where: Any) -> Any:
        given = where if isinstance(where, tuple) else (where,)
        if not all(one is None or one is Ellipsis or isinstance(one, (int, np.integer, slice)) and
                   not isinstance(one, bool) for one in given):
            return np.asarray(self)[where]
        count = sum(one is not None and one is not Ellipsis for one in given)
        if count > self.ndim or sum(one is Ellipsis for one in given) > 1:
            raise IndexError(f"{count} indexes for an array of {self.ndim}")
        at = next((k for k, one in enumerate(given) if one is Ellipsis), len(given))
        given = (*given[:at], *[slice(None)] * (self.ndim - count), *given[at + 1:])
        simple: list[int | slice] = []
        for one, extent in zip((one for one in given if one is not None), self.shape):
            if isinstance(one, slice):
                simple.append(one)
                continue
            if not -extent <= one < extent:
                raise IndexError(f"index {one} is out of bounds for an axis of {extent}")
            simple.append(int(one) % extent)
        node = self._node.take(simple)
        kept = [one for one in given if one is None or isinstance(one, slice)]
        if None not in kept:
            return self._of(node)
        labels = tuple(k for k, one in enumerate(kept) if one is not None)
        extents = iter(node.shape)
        shape = [1 if one is None else next(extents) for one in kept]
        return self._of(Map(np.asarray, shape, node.dtype, [(node, labels)], {}))

    # -- sums

    def sum(self, axis: Any = None, dtype: Any = None, out: Any = None, keepdims: bool = False, **more: Any) -> Any:
        """As ``numpy.sum``."""
        summed = axes_of(axis, self.ndim) if self.ndim else ()  # an array without axes has an axis 0 there
        if out is not None or more or not summed:
            return np.sum(np.asarray(self), axis=axis, dtype=dtype, out=out, keepdims=keepdims, **more)
        kept = [k for k in range(self.ndim) if k not in summed]
        to = {k: new for new, k in enumerate([*kept, *sorted(summed)])}
        kind = np.add.reduce(np.ones(1, self.dtype), dtype=dtype).dtype
        node: Node = self._node if kind == self.dtype else _cast(self._node, kind)
        made = self._of(contract([self.shape[k] for k in kept], kind,
                                 [(node, tuple(to[k] for k in range(self.ndim)))]))
        return made[tuple(None if k in summed else slice(None) for k in range(self.ndim))] if keepdims else made

    def mean(self, axis: Any = None, dtype: Any = None, out: Any = None, keepdims: bool = False) -> Any:
        """As ``numpy.mean``."""
        if dtype is not None or out is not None:
            return np.mean(np.asarray(self), axis=axis, dtype=dtype, out=out, keepdims=keepdims)
        axes_of(axis, self.ndim)  # refuses what sums take
        is_half = self.dtype == np.float16
        total = self.sum(axis, np.float32 if is_half else None if self.dtype.kind in "fc" else np.float64, keepdims=keepdims)
        made = total / (self.size // max(1, int(np.prod(total.shape, dtype=np.int64))))
        return made.astype(np.float16) if is_half else made

    def var(self, axis: Any = None, ddof: float = 0, keepdims: bool = False) -> Any:
        """As ``numpy.var``."""
        if self.dtype == np.float16:
            return self.astype(np.float32).var(axis, ddof, keepdims).astype(np.float16)
        apart = self - self.mean(axis, keepdims=True)
        total = (apart.real ** 2 + apart.imag ** 2 if apart.dtype.kind == "c" else apart * apart).sum(axis, keepdims=keepdims)
        return total / max(0, self.size // max(1, int(np.prod(total.shape, dtype=np.int64))) - ddof)

    def std(self, axis: Any = None, ddof: float = 0, keepdims: bool = False) -> Any:
        """As ``numpy.std``."""
        return np.sqrt(self.var(axis, ddof, keepdims))

    def __getattr__(self, name: str) -> Any:
        if name in _changing:
            raise AttributeError(f"LazyArray has no {name!r}, which would change it: np.asarray(x).{name}(...) changes its values")
        if name.startswith("_") or not hasattr(np.ndarray, name):
            raise AttributeError(f"LazyArray has no attribute {name!r}")
        return getattr(np.asarray(self), name)

    def norm(self) -> Any:
        """The square root of the sum of the squares of all elements' moduli."""
        values = self if self.dtype.kind in "fc" else self.astype(np.float64)
        return np.sqrt((values.real ** 2 + values.imag ** 2 if values.dtype.kind == "c" else values * values).sum())

    # -- functions of elements

    def astype(self, dtype: Any, *, copy: bool = True) -> Any:
        """As ``numpy.ndarray.astype``; other elements than numbers are those of a NumPy array."""
        wanted = np.dtype(dtype)
        if not _is_computable(wanted):
            return self._value().astype(wanted)
        return self if not copy and wanted == self.dtype else self._of(_cast(self._node, wanted))

    def conj(self) -> Any:
        return self if self.dtype.kind in "biuf" else np.conjugate(self)  # which makes int8 of truths

    @property
    def real(self) -> "LazyArray":
        return self._mapped(np.real, [self])

    @property
    def imag(self) -> "LazyArray":
        return self._mapped(np.imag, [self])

    def __array_ufunc__(self, ufunc: np.ufunc, method: str, *inputs: Any, **more: Any) -> Any:
        if method == "reduce" and ufunc is np.add and not set(more) - {"axis", "keepdims", "dtype"} and len(inputs) == 1:
            return self.sum(more.get("axis", 0), more.get("dtype"), keepdims=more.get("keepdims", False))
        if method == "__call__" and not more and ufunc is np.matmul:
            return self._matmul(*inputs)
        if method == "__call__" and not more and ufunc.signature is None and ufunc.nout == 1:
            return self._mapped(ufunc, inputs)
        outs = more.get("out")
        if outs is not None and any(isinstance(one, LazyArray) for one in outs):
            raise TypeError(not_in_place)
        if "where" in more:
            more["where"] = whole(more["where"])
        return getattr(ufunc, method)(*(whole(one) for one in inputs), **more)

    def __array_function__(self, function: Any, types: Any, args: Any, more: Any) -> Any:
        from .functions import known

        if function in known:
            made = known[function](self, *args, **more)
            if made is not NotImplemented:
                return made
        return function(*whole(args), **{name: whole(one) for name, one in more.items()})

    def _mapped(self, function: Callable[..., Any], inputs: Sequence[Any]) -> "LazyArray":
        """A function of elements, with NumPy's rules of shapes and types."""
        nodes = [self._node_of(one) for one in inputs]
        constants = {k: one for k, one in enumerate(nodes) if not isinstance(one, Node)}
        given = [one for one in nodes if isinstance(one, Node)]
        shape = np.broadcast_shapes(*(one.shape for one in given))
        with np.errstate(all="ignore"):
            sample = function(*(one if not isinstance(one, Node) else np.ones((1,) * one.ndim, one.dtype)[()] if one.ndim
                                else one.dtype.type(1) for one in nodes))
        args = []
        for one in given:
            first = len(shape) - one.ndim
            kept = [k for k in range(one.ndim) if one.shape[k] == shape[first + k]]
            if len(kept) < one.ndim:
                one = one.take([slice(None) if k in kept else 0 for k in range(one.ndim)])
            args.append((one, tuple(first + k for k in kept)))
        return self._of(Map(function, shape, np.asarray(sample).dtype, args, constants))

    def _node_of(self, one: Any) -> Any:
        """A node, or a constant."""
        if isinstance(one, LazyArray):
            return one._node if one.ndim or not isinstance(one._node, Leaf) else np.asarray(one._node.value())
        if isinstance(one, (bool, int, float, complex, np.generic)):
            return one
        if one is None:
            return np.array(None)
        made = lazy(self._session, one)._node
        return made if made.ndim else np.asarray(made.value())

    def _matmul(self, one: Any, other: Any) -> Any:
        left, right = (self._node_of(k) for k in (one, other))
        if not isinstance(left, Node) or not isinstance(right, Node) or not left.ndim or not right.ndim:
            raise ValueError("matmul of a number: use *")
        if left.ndim > 2 and right.ndim > 2 and left.shape[:-2] != right.shape[:-2]:
            return np.matmul(left.value(), right.value())
        batch = max(left.ndim, right.ndim, 2) - 2
        rows, columns = int(left.ndim > 1), int(right.ndim > 1)
        k = batch + rows + columns
        ones = (*range(batch - max(0, left.ndim - 2), batch), *([batch] if rows else []), k)
        others = (*range(batch - max(0, right.ndim - 2), batch), k, *([batch + rows] if columns else []))
        return self._product([(left, ones), (right, others)], k)

    def _product(self, args: Sequence[tuple[Node, tuple[int, ...]]], order: int) -> "LazyArray":
        """The sum of products over the labels from `order` on."""
        extents: dict[int, int] = {}
        for node, labels in args:
            for label, extent in zip(labels, node.shape):
                if extents.setdefault(label, extent) != extent:
                    raise ValueError(f"shapes {' and '.join(str(arg.shape) for arg, _ in args)} do not go together: "
                                     f"{extents[label]} is not {extent}")
        dtype = np.result_type(*(node.dtype for node, _ in args))
        if dtype.kind == "b":  # NumPy's product of truths is also one
            args = [(_cast(node, np.dtype(np.int64)), labels) for node, labels in args]
            made = self._of(contract([extents[k] for k in range(order)], np.dtype(np.int64), args))
            return self._of(_cast(made._node, np.dtype(bool)))
        return self._of(contract([extents[k] for k in range(order)], dtype, args))


def _locked(value: np.ndarray) -> np.ndarray:
    """A read-only view."""
    view = value.view()
    view.flags.writeable = False
    return view


def _is_computable(dtype: np.dtype) -> bool:
    return dtype.kind in "fciub" and np.result_type(dtype, np.complex128) == np.complex128


def _cast(node: Node, dtype: np.dtype) -> Node:
    """Real parts of complex numbers as NumPy takes them, with its warning left out."""
    def cast(values: Any) -> Any:
        values = np.real(values) if dtype.kind != "c" and np.iscomplexobj(values) and dtype.kind != "b" else values
        return np.asarray(values).astype(dtype)

    return Map(cast, node.shape, dtype, [(node, tuple(range(node.ndim)))], {})


def lazy(session: "Session", array: Any) -> LazyArray:
    """Any array as one of the session, without a copy."""
    if isinstance(array, LazyArray):
        return array
    if isinstance(array, BlockArray):
        array = np.asarray(array)
    given = array if isinstance(array, BlockSource) else source_of(array) if is_source(array) else np.asarray(unmasked(array))
    if not _is_computable(given.dtype):
        raise TypeError(f"an array to compute with has real or complex numbers of at most double precision, not {given.dtype}")
    return LazyArray(session, Leaf(given))


def whole(one: Any) -> Any:
    """With NumPy arrays in the place of lazy ones, also in lists and tuples."""
    if isinstance(one, (LazyArray, BlockArray)):
        return np.asarray(one)
    if isinstance(one, (list, tuple)):
        return type(one)(whole(part) for part in one)
    return one
