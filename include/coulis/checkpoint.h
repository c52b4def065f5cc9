/// Checkpoints: a couState in one HDF5 file, atomic and hashed.
#pragma once

#include "coulis/coulis.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct couCheckpointInfo {
    char scene[512]; ///< as given to run
    char method[COU_NAME_SIZE];
    uint64_t scene_hash; ///< couScene_ContentHash()
    int frame;           ///< frames finished
    double fps;
    double time; ///< [s]
    uint64_t particles;
    uint64_t state_hash; ///< couState_Hash() of what is stored, set by writing; checked on reading
} couCheckpointInfo;

/// One HDF5 dataset per array ("/particles/position"...), units as attributes, info as attributes of the root. The file's hash is
/// stored in front (an HDF5 user block, which other HDF5 programs skip). info->state_hash is ignored: the state's own is stored.
COU_API bool couWriteCheckpoint(const char *path, const couCheckpointInfo *info, const couState *state, couFaults *faults);
/// Truncated, foreign or bit-flipped files give a fault; nothing is returned then. `state` may be NULL to read the info alone,
/// which still checks the file's hash; otherwise it must be empty.
COU_API bool couReadCheckpoint(const char *path, couCheckpointInfo *info, couState *state, couFaults *faults);

#ifdef __cplusplus
}
#endif
