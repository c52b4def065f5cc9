/// Files of points made by any program, in memory: shared by the readers of VTK and PLY, which find the arrays, and by frames
/// and surfaces, which use them. Everything here is read as if written by an enemy.
#pragma once

#include "coulis/frames.h"

typedef enum couNumberType {
    cou_numberI8,
    cou_numberU8,
    cou_numberI16,
    cou_numberU16,
    cou_numberI32,
    cou_numberU32,
    cou_numberI64,
    cou_numberU64,
    cou_numberF32,
    cou_numberF64,
    cou_numberTypeCount
} couNumberType;

size_t couNumberType_Size(couNumberType type);

/// One array, in the type of the file.
typedef struct couPointArray {
    char key[96]; ///< "Points", "PointData/velocity", "Polys/connectivity"...; in a PLY "PointData/x", "Polys/vertex_indices"...
    couNumberType type;
    bool is_swapped;           ///< bytes in the order of another machine
    int components;            ///< of a row, next to each other
    size_t count;              ///< rows
    size_t stride;             ///< bytes from row to row
    const unsigned char *data; ///< into the file's text or into `owned`
    void *owned;
} couPointArray;

typedef struct couPointFile {
    const char *path;
    couFaults *faults;
    char *text; ///< the whole file, with a terminating zero
    size_t size;
    double time;  ///< [s], 0 when the file does not say
    size_t count; ///< points
    couPointArray *arrays;
    int array_count;
    size_t owned_bytes, max_owned_bytes; ///< of arrays that have memory of their own
} couPointFile;

/// Whether an array is worth its memory.
typedef bool couWantsArray(const char *key);

/// By extension: .vtp, .vtu, .vtk, .ply, .csv. False with one fault; couPointFile_Clear() in any case.
bool couReadPointFile(couPointFile *file, const char *path, couWantsArray *wants, couFaults *faults);
void couPointFile_Clear(couPointFile *file);

/// NULL when there is none.
const couPointArray *couPointFile_Find(const couPointFile *file, const char *key);
/// The same, with one row for each point: other arrays are no data of points, whatever their name says.
const couPointArray *couPointFile_FindRows(const couPointFile *file, const char *key);
double couPointArray_Number(const couPointArray *array, size_t row, int component);
/// Rows as three floats; a second component missing is 0.
couVec3 couPointArray_Vector(const couPointArray *array, size_t row);
/// A float beyond the range of floats is infinite, as it should be, not undefined.
float couToFloat(double value);
/// Into the range 0 to `max`; NaN gives 0.
uint32_t couToUnsigned(double value, uint32_t max);

// --- For the readers ---------------------------------------------------------------------------------------------------------

bool couReadVtkXml(couPointFile *file, couWantsArray *wants);
bool couReadVtkLegacy(couPointFile *file, couWantsArray *wants);
bool couReadPlyFile(couPointFile *file, couWantsArray *wants);
bool couReadCsvPoints(couPointFile *file, couWantsArray *wants);

/// Adds the fault and returns false.
bool couPointFile_Refuse(couPointFile *file, const char *key, const char *format, ...) __attribute__((format(printf, 3, 4)));
/// A new array at the end, NULL and a fault without memory or beyond 256 arrays.
couPointArray *couPointFile_Add(couPointFile *file, const char *key, couNumberType type, int components, size_t count);
/// Gives the array memory of its own, for tightly packed rows; NULL and a fault without memory, or when all arrays together would
/// be much larger than the file.
void *couPointFile_Own(couPointFile *file, couPointArray *array);
void couPointFile_Disown(couPointFile *file, couPointArray *array); ///< frees it
/// `count` numbers of a text that ends before `end`, as doubles; returns what follows them, NULL when there are fewer.
const char *couParseNumbers(const char *text, const char *end, double *numbers, size_t count);
