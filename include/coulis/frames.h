/// Frame files of particles: VTK PolyData and PLY, with id, velocity, density and material; and those of other programs.
#pragma once

#include "coulis/coulis.h"

#ifdef __cplusplus
extern "C" {
#endif

/// One frame in memory, as written or read. Arrays are owned by whoever filled it.
typedef struct couFrame {
    double time; ///< [s]
    size_t count;
    couVec3 *position; ///< [m]
    couVec3 *velocity; ///< [m/s]
    uint32_t *id;
    float *density; ///< relative to rest
    uint8_t *material;
    float *pressure;   ///< [Pa]; NULL where the method has none, or the file
    unsigned missing;  ///< couFrameColumn bits of what the file that was read does not have: resting matter stands there
    unsigned left_out; ///< couFrameColumn bits of what is not to be written
} couFrame;

typedef enum couFrameColumn {
    cou_frameVelocity = 1, ///< 0
    cou_frameId = 2,       ///< the particle's place in the file
    cou_frameDensity = 4,  ///< 1
    cou_frameMaterial = 8  ///< 0
} couFrameColumn;

/// Most particles of one frame: VTK files number them with signed 32-bit integers.
#define COU_MAX_FRAME_COUNT ((size_t)INT32_MAX)

/// Copies the world's particles, ordered by id. Free with couFreeFrame(). False without memory.
COU_API bool couCaptureFrame(const couWorld *world, couFrame *frame);
/// Likewise the samples or ghosts of bodies (couWorld_Samples): `density` is a sample's volume over that of a particle,
/// `material` the number of its body, at most 255.
COU_API bool couCaptureSamples(const couWorld *world, couFrame *frame);
/// Zeroed arrays for `count` particles, but no pressure. False without memory; nothing is held then.
COU_API bool couAllocateFrame(couFrame *frame, size_t count);
/// For frames that were captured, allocated or read.
COU_API void couFreeFrame(couFrame *frame);

/// What a surface is made of. The points borrow the frame's arrays; colours are for the caller to add.
COU_API couSurfacePoints couFramePoints(const couFrame *frame, int dimension);

/// Written to a temporary name, flushed, renamed. On failure a fault names file and reason and the old file is untouched.
COU_API bool couWriteVtp(const char *path, const couFrame *frame, couFaults *faults);
COU_API bool couWritePly(const char *path, const couFrame *frame, couFaults *faults);
/// By extension: .vtp and .vtu (VTK XML: ascii, inline base64, appended raw or base64; zlib or plain; either byte order), .vtk
/// (legacy VTK, ascii or binary, PolyData or UnstructuredGrid), .ply (ascii, binary of either byte order). Points are enough:
/// the rest is found under its usual names or gets the values of resting matter (`missing`). Hostile files give one fault,
/// never a crash or an allocation that the size of the file does not account for.
COU_API bool couReadFrame(const char *path, couFrame *frame, couFaults *faults);
/// "velocity, id": names of what is missing, "" for nothing; returns `text`.
COU_API const char *couFrame_Missing(const couFrame *frame, char *text, size_t size);

/// One number for each particle, by name: `speed`, `x`, `y`, `z` (place), `vx`, `vy`, `vz`, `density`, `pressure`, `id` and
/// `material`. False, and nothing written, when there is no such column or the frame has not got it.
COU_API bool couFrame_Column(const couFrame *frame, const char *name, float *values);
/// The unit of such a column, "" for a pure number or an unknown name.
COU_API const char *couFrameColumn_Unit(const char *name);
/// The columns' names, NULL-terminated.
COU_API const char *const *couFrameColumnNames(void);
/// Likewise, or any other array that the file has for its points: of vectors their length, or `name.x`, `.y`, `.z`. `count` is
/// that of the frame. False with a fault that names what the file has.
COU_API bool couReadFrameColumn(const char *path, const couFrame *frame, const char *name, float *values, couFaults *faults);

/// A frame file and its number.
typedef struct couFrameFile {
    char *path;
    int number;
} couFrameFile;

/// Sorted by number. Free with couFrameFiles_Clear().
typedef struct couFrameFiles {
    couFrameFile *items;
    int count;
} couFrameFiles;

/// From names as given on a command line: a folder (its particles_*.vtp or .ply but the start, number 0, else the one numbered
/// series of frame files in it), a pattern of the shell's kind in quotes, or files. The number is the last one in a file's name;
/// without any, files are numbered from 1 in their order. False with a fault when there is none, a name is missing, or two have
/// the same number.
COU_API bool couListFrames(const char *const *names, int count, couFrameFiles *files, couFaults *faults);
/// FOLDER/STEM_000001.EXTENSION and so on; none is no fault.
COU_API bool couListSeries(const char *folder, const char *stem, const char *extension, couFrameFiles *files, couFaults *faults);
COU_API void couFrameFiles_Clear(couFrameFiles *files);

#ifdef __cplusplus
}
#endif
