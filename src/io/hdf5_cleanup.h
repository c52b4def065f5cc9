/// How a program that uses HDF5 through us ends; apart from hdf5_state.h, so that it needs no header of HDF5.
#pragma once

/// Before anything else of HDF5 is used: what it still holds when the program ends is left to the system. A file that was forged
/// can leave it in a state that it cannot clean up, which it says in endless lines.
void couHdf5_SkipCleanup(void);
