// Frames of solids: all of a world in one .vtu, so that ParaView shows them together.
#include "coulis/solid_file.h"

#include "base/base.h"
#include "io/vtk_write.h"

typedef struct Columns {
    size_t points, cells, corners; // of all solids; corners of a cell
    couVec3 *position, *displacement, *velocity;
    float *mises, *stress, *strain;
    uint32_t *connectivity, *solid;
    uint8_t *types;
} Columns;

static void free_columns(Columns *columns)
{
    void *arrays[] = {columns->position, columns->displacement, columns->velocity, columns->mises, columns->stress,
                      columns->strain,   columns->connectivity, columns->solid,    columns->types};
    for (int k = 0; k < COU_COUNT(arrays); ++k) couFree(NULL, arrays[k]);
}

static bool take_columns(Columns *columns, const couWorld *world)
{
    columns->corners = (size_t)couWorld_Def(world)->dimension + 1;
    for (int s = 0; s < couWorld_SolidCount(world); ++s) {
        couSolidView view = couWorld_SolidView(world, couWorld_SolidAt(world, s));
        columns->points += view.count;
        columns->cells += couSolidMesh_CellCount(view.mesh);
    }
    size_t p = columns->points + 1, c = columns->cells + 1;
    columns->position = couAlloc(NULL, p * sizeof(couVec3));
    columns->displacement = couAlloc(NULL, p * sizeof(couVec3));
    columns->velocity = couAlloc(NULL, p * sizeof(couVec3));
    columns->mises = couAlloc(NULL, p * sizeof(float));
    columns->stress = couAlloc(NULL, 6 * c * sizeof(float));
    columns->strain = couAlloc(NULL, 6 * c * sizeof(float));
    columns->connectivity = couAlloc(NULL, columns->corners * c * sizeof(uint32_t));
    columns->solid = couAlloc(NULL, c * sizeof(uint32_t));
    columns->types = couAlloc(NULL, c);
    return columns->position && columns->displacement && columns->velocity && columns->mises && columns->stress &&
           columns->strain && columns->connectivity && columns->solid && columns->types;
}

static void fill_columns(Columns *columns, const couWorld *world)
{
    size_t point = 0, cell = 0;
    for (int s = 0; s < couWorld_SolidCount(world); ++s) {
        couSolidId id = couWorld_SolidAt(world, s);
        couSolidView view = couWorld_SolidView(world, id);
        for (size_t i = 0; i < view.count; ++i) {
            const double *x = &view.position[3 * i], *r = &view.rest[3 * i], *v = &view.velocity[3 * i];
            columns->position[point + i] = (couVec3){(float)x[0], (float)x[1], (float)x[2]};
            columns->displacement[point + i] = (couVec3){(float)(x[0] - r[0]), (float)(x[1] - r[1]), (float)(x[2] - r[2])};
            columns->velocity[point + i] = (couVec3){(float)v[0], (float)v[1], (float)v[2]};
        }
        couWorld_CopySolidValues(world, id, cou_solidColorStress, columns->mises + point);
        couWorld_CopySolidStress(world, id, columns->stress + 6 * cell, columns->strain + 6 * cell);
        size_t cells = couSolidMesh_CellCount(view.mesh);
        for (size_t k = 0; k < cells * columns->corners; ++k)
            columns->connectivity[cell * columns->corners + k] = (uint32_t)point + couSolidMesh_Cells(view.mesh)[k];
        for (size_t c = 0; c < cells; ++c) {
            columns->solid[cell + c] = (uint32_t)s;
            columns->types[cell + c] = columns->corners == 4 ? 10 : 5; // VTK's tetrahedra and triangles
        }
        point += view.count;
        cell += cells;
    }
}

bool couWriteSolids(const char *path, const couWorld *world, couFaults *faults)
{
    Columns columns = {0};
    bool is_good = take_columns(&columns, world);
    if (is_good) {
        fill_columns(&columns, world);
        size_t p = columns.points, c = columns.cells;
        int64_t corners = (int64_t)columns.corners;
        const couVtkArray arrays[] = {
            {"Points", "Points", "Float32", NULL, 3, 12, p, columns.position, 0, 0},
            {"PointData", "displacement", "Float32", NULL, 3, 12, p, columns.displacement, 0, 0},
            {"PointData", "velocity", "Float32", NULL, 3, 12, p, columns.velocity, 0, 0},
            {"PointData", "von_mises", "Float32", NULL, 1, 4, p, columns.mises, 0, 0},
            {"CellData", "stress", "Float32", NULL, 6, 24, c, columns.stress, 0, 0},
            {"CellData", "strain", "Float32", NULL, 6, 24, c, columns.strain, 0, 0},
            {"CellData", "solid", "UInt32", NULL, 1, 4, c, columns.solid, 0, 0},
            {"Cells", "connectivity", "Int32", NULL, 1, 4, c * columns.corners, columns.connectivity, 0, 0},
            {"Cells", "offsets", "Int32", NULL, 1, 4, c, NULL, corners, corners},
            {"Cells", "types", "UInt8", NULL, 1, 1, c, columns.types, 0, 0},
        };
        couVtkPolyData data = {
            .time = couWorld_Time(world), .point_count = p, .cell_count = c, .arrays = arrays, .array_count = COU_COUNT(arrays)};
        is_good = couWriteVtkGrid(path, &data, faults);
    } else {
        couFaults_Add(faults, path, NULL, "no memory for a frame of solids");
    }
    free_columns(&columns);
    return is_good;
}
