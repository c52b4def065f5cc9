/// VTK XML out, PolyData (.vtp) and UnstructuredGrid (.vtu): raw appended arrays in zlib blocks. Frames and surfaces differ
/// only in what they hand over.
#pragma once

#include "coulis/base.h"

/// One array of the file.
typedef struct couVtkArray {
    const char *section; ///< Points, PointData, Verts, Lines, Polys, of grids CellData and Cells; those of one in a row
    const char *name;
    const char *type; ///< "Float32", "UInt32", "UInt8" or "Int32"
    const char *role; ///< for the section's head: "Normals", "Vectors"..., or NULL
    int components;
    size_t row_bytes, count; ///< rows
    const void *data;        ///< NULL: Int32 numbers first, first + step...
    int64_t first, step;
} couVtkArray;

/// How many cells of each kind and where their arrays are.
typedef struct couVtkPolyData {
    double time; ///< [s]
    size_t point_count, vert_count, line_count, poly_count;
    size_t cell_count; ///< of a grid
    const couVtkArray *arrays;
    int array_count; ///< at most 16
} couVtkPolyData;

/// At most 2^31 - 1 points and as many numbers in the cells: they are counted with signed 32-bit integers.
#define COU_MAX_VTK_COUNT ((size_t)INT32_MAX)

bool couWriteVtkPolyData(const char *path, const couVtkPolyData *data, couFaults *faults);
/// The same as an unstructured grid: "Cells" has connectivity, offsets and types.
bool couWriteVtkGrid(const char *path, const couVtkPolyData *data, couFaults *faults);
