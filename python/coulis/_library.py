"""The shared libraries: found, opened, of the version that this package was made for."""
import os

from ._cou import ffi

# What Python still holds when it ends is freed after its modules are gone: the libraries must outlive them.
_FLAGS = ffi.RTLD_NOW | ffi.RTLD_NODELETE
_FOLDER = os.path.join(os.path.dirname(os.path.abspath(__file__)), "lib")


def _open(name):
    """From the folder that COULIS_LIBRARY names, from this package, or from where the system looks."""
    own = os.environ.get("COULIS_LIBRARY")
    places = [own] if own else [_FOLDER]
    for place in places:
        path = os.path.join(place, name)
        if os.path.exists(path):
            return ffi.dlopen(path, _FLAGS)
    if own:
        raise ImportError(f"COULIS_LIBRARY: there is no {name} in {own!r}")
    try:
        return ffi.dlopen(name, _FLAGS)
    except OSError as error:
        raise ImportError(f"{error}; install Coulis, or name the folder of its libraries in COULIS_LIBRARY") from None


def text(pointer):
    """A C string as str; None for NULL."""
    return None if pointer == ffi.NULL else ffi.string(pointer).decode("utf-8", "replace")


def _check_version():
    from ._data import CONSTANTS
    found, wanted = text(lib.couVersion()), CONSTANTS["COU_VERSION"]
    if found != wanted:
        raise ImportError(f"the package is made for libcoulis {wanted}, but found is {found}")


lib = _open("libcoulis-studio.so.0")  # which brings libcoulis: all public functions are found through it
pins = ffi.dlopen(os.path.join(_FOLDER, "libcoulis-pin.so"), _FLAGS)
lib.couSetAllocator(ffi.addressof(pins, "couPin_Alloc"), ffi.addressof(pins, "couPin_Free"))
_check_version()
