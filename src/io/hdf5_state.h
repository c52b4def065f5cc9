/// A couState and its info inside an open HDF5 file. Every HDF5 name stays behind this header; handles are HDF5's own.
#pragma once

#include "coulis/checkpoint.h"

#include <hdf5.h>

/// Calls of HDF5 between Begin and End print nothing.
typedef struct couHdf5Silence {
    H5E_auto2_t function;
    void *context;
} couHdf5Silence;

couHdf5Silence couHdf5_BeginSilence(void);
void couHdf5_EndSilence(couHdf5Silence silence);

/// HDF5's own words on its last error, or "unknown HDF5 error".
void couHdf5_FormatError(char *text, size_t size);

/// False when HDF5 fails; ask couHdf5_FormatError().
bool couHdf5_Write(hid_t file, const couCheckpointInfo *info, const couState *state);
/// False with a fault on anything that is missing; what the numbers may be is checked by who receives them (state_pipe.h).
bool couHdf5_ReadInfo(hid_t file, couCheckpointInfo *info, const char *path, couFaults *faults);
/// Sends array after array (state_pipe.h), also those before a fault. `file_bytes` bounds what an array may claim.
bool couHdf5_SendState(hid_t file, uint64_t file_bytes, int pipe, const char *path, couFaults *faults);

#define COU_HDF5_MAX_RATIO 1032 ///< to which deflated bytes can unpack
