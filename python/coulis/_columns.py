"""Arrays of the library as numpy sees them.

Two kinds. Arrays that something owns for good (a surface, a frame, a mesh) are plain numpy arrays whose base holds the owner.
Columns of a world move: a step sorts them, adding particles may put them elsewhere, closing frees them. They come as `Column`,
which knows the world's generation, a number that every call that may change the world raises: reading a column of an older
generation raises GoneError. What leaves it as a plain array (np.asarray) cannot be called back, so its memory is pinned (pin.c):
it may show old or newer numbers after a step, but it is always there.
"""
import numpy as np
from numpy.lib.mixins import NDArrayOperatorsMixin

from ._errors import GoneError
from ._library import ffi, pins

DTYPES = {"float": np.float32, "double": np.float64, "uint8_t": np.uint8, "uint32_t": np.uint32, "uint64_t": np.uint64,
          "int": np.int32, "couVec3": np.float32, "couVec4": np.float32}
WIDTHS = {"couVec3": 3, "couVec4": 4}


class _Memory:
    """Where an array's bytes are; numpy holds it as the array's base."""

    def __init__(self, address, shape, dtype, owner, is_writable):
        self.owner = owner
        self.__array_interface__ = {"data": (address, not is_writable), "shape": shape, "typestr": np.dtype(dtype).str,
                                    "version": 3}


class _Pinned(_Memory):
    """Bytes of a world, kept for as long as an array points at them."""

    def __init__(self, address, shape, dtype):
        super().__init__(address, shape, dtype, None, False)
        self.address = ffi.cast("void *", address)
        if not pins.couPin_Hold(self.address):
            self.address = None
            raise MemoryError

    def __del__(self, drop=pins.couPin_Drop):  # also while Python ends, when modules are empty
        if self.address is not None:
            drop(self.address)


def item_type(pointer):
    """float, couVec3... of a C pointer."""
    return ffi.typeof(pointer).item.cname.replace("struct ", "")


def shape_of(item, count):
    return (*count, WIDTHS[item]) if item in WIDTHS and isinstance(count, tuple) else \
        (count, WIDTHS[item]) if item in WIDTHS else count if isinstance(count, tuple) else (count,)


def owned_array(pointer, count, owner, is_writable=False):
    """`count` (or a shape) items at a C pointer, without a copy; `owner` lives as long as the array. None for NULL."""
    if pointer == ffi.NULL:
        return None
    item = item_type(pointer)
    shape, dtype = shape_of(item, count), DTYPES[_plain(item)]
    if 0 in shape:
        return np.empty(shape, dtype)
    return np.asarray(_Memory(int(ffi.cast("uintptr_t", pointer)), shape, dtype, owner, is_writable))


def _plain(item):
    """cffi says unsigned char where the header says uint8_t."""
    return {"unsigned char": "uint8_t", "unsigned int": "uint32_t", "unsigned long": "uint64_t"}.get(item, item)


class Guard:
    """What the columns of a world know of it. `generation` is raised before and after every call that may change it."""

    def __init__(self):
        self.generation = 0
        self.is_open = True

    def check(self, generation):
        if not self.is_open:
            raise GoneError("the world of this column is closed or gone; copy() what shall outlive it")
        if self.generation != generation:
            raise GoneError("the world has changed since this column was taken: take it anew, or copy() what shall stay")


class Column(NDArrayOperatorsMixin):
    """A column of a world without a copy, read-only: used like a numpy array, until the world changes.

    Slices are columns too; sums, comparisons and all other results are arrays of their own. After a step or any other change it
    raises GoneError. `copy()` gives an array to keep; np.asarray() one without a copy, whose numbers later steps may overwrite.
    """

    __slots__ = ("_array", "_guard", "_generation")
    __array_priority__ = 100

    def __init__(self, array, guard, generation=None):
        self._array, self._guard = array, guard
        self._generation = guard.generation if generation is None else generation

    @classmethod
    def _take(cls, pointer, count, guard, shown=None):
        """Of `count` items at a C pointer, of each the first `shown` numbers; None for NULL, where there is no such column."""
        item = item_type(pointer)
        shape, dtype = shape_of(item, count), DTYPES[_plain(item)]
        if pointer == ffi.NULL and count:
            return None
        array = np.empty(shape, dtype) if not count else \
            np.asarray(_Pinned(int(ffi.cast("uintptr_t", pointer)), shape, dtype))
        return cls(array[:, :shown] if shown else array, guard)

    def _checked(self):
        self._guard.check(self._generation)
        return self._array

    def _wrap(self, result):
        if isinstance(result, np.ndarray) and result.base is not None and np.may_share_memory(result, self._array):
            return Column(result, self._guard, self._generation)
        return result

    def __array__(self, dtype=None, copy=None):
        array = self._checked()
        if copy or (dtype is not None and np.dtype(dtype) != array.dtype):
            return array.astype(dtype or array.dtype)
        return array

    def __array_ufunc__(self, ufunc, method, *inputs, **options):
        if any(isinstance(out, Column) for out in options.get("out", ())):
            raise ValueError("columns are read-only: copy() first")
        return getattr(ufunc, method)(*(_unwrap(value) for value in inputs), **options)

    def __array_function__(self, function, types, args, options):
        return self._wrap(function(*_unwrap(args), **_unwrap(options)))

    def __getitem__(self, index):
        return self._wrap(self._checked()[_unwrap(index)])

    def __getattr__(self, name):
        if name.startswith("__") and name != "__array_interface__":
            raise AttributeError(name)
        value = getattr(self._checked(), name)
        if not callable(value) or name == "ctypes":
            return self._wrap(value)
        return lambda *args, **options: self._wrap(getattr(self._checked(), name)(*_unwrap(args), **_unwrap(options)))

    def __len__(self):
        return len(self._checked())

    def __iter__(self):
        return (self._wrap(row) for row in self._checked())

    def __contains__(self, value):
        return value in self._checked()

    def __bool__(self):
        return bool(self._checked())

    def __float__(self):
        return float(self._checked())

    def __repr__(self):
        if not self._guard.is_open or self._guard.generation != self._generation:
            return "<coulis column, gone>"
        return f"Column({self._array!r})"

    def __reduce__(self):
        return np.array, (self._checked().copy(),)


def _unwrap(value):
    if isinstance(value, Column):
        return value._checked()
    if isinstance(value, (tuple, list)):
        return type(value)(_unwrap(item) for item in value) if type(value) in (tuple, list) else value
    if isinstance(value, dict):
        return {key: _unwrap(item) for key, item in value.items()}
    return value
