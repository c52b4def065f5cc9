"""What goes wrong, as exceptions."""
from typing import NamedTuple

from ._library import ffi, lib, text


class Fault(NamedTuple):
    """One thing wrong with the input."""

    where: str  #: "file:line" where known, else ""
    key: str  #: "emitter.speed", or ""
    message: str  #: what is wrong, with value and allowed range

    def __str__(self):
        return ": ".join(part for part in self if part)


class CoulisError(Exception):
    """Any failure of Coulis."""


class FaultError(CoulisError, ValueError):
    """Bad input: all of its faults at once, in `faults`."""

    def __init__(self, faults):
        self.faults = list(faults)
        super().__init__("\n".join(str(fault) for fault in self.faults))

    def __reduce__(self):
        return FaultError, (self.faults,)


class GoneError(CoulisError, ReferenceError):
    """What is used is no more: a view of arrays that have changed, a world that is closed, a body that was removed."""


class BusyError(CoulisError, RuntimeError):
    """The world is in the middle of a step, or used by another thread."""


class SceneError(CoulisError, RuntimeError):
    """A Lua function of a scene failed while the world ran."""


class Faults:
    """A couFaults for the time of a call."""

    def __init__(self):
        self.pointer = ffi.new("couFaults *")

    def take(self):
        """Empties the list into Python."""
        items = [Fault(text(f.where), text(f.key), text(f.message)) for f in self.pointer.items[0:self.pointer.count]]
        lib.couFaults_Clear(self.pointer)
        return items
