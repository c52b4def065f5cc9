// Frames as VTK PolyData. Every particle is one vertex cell, so that ParaView's point filters work on single particles; 41
// bytes a particle go in, or 45 with a pressure, some 30 stay.
#include "coulis/frames.h"
#include "io/vtk_write.h"

bool couWriteVtp(const char *path, const couFrame *frame, couFaults *faults)
{
    size_t count = frame->count;
    const couVtkArray all[] = {
        {"Points", "Points", "Float32", NULL, 3, 12, count, frame->position, 0, 0},
        {"PointData", "id", "UInt32", NULL, 1, 4, count, frame->id, 0, 0},
        {"PointData", "velocity", "Float32", NULL, 3, 12, count, frame->velocity, 0, 0},
        {"PointData", "density", "Float32", NULL, 1, 4, count, frame->density, 0, 0},
        {"PointData", "material", "UInt8", NULL, 1, 1, count, frame->material, 0, 0},
        {"PointData", "pressure", "Float32", NULL, 1, 4, count, frame->pressure, 0, 0},
        {"Verts", "connectivity", "Int32", NULL, 1, 4, count, NULL, 0, 1}, // cell i holds particle i...
        {"Verts", "offsets", "Int32", NULL, 1, 4, count, NULL, 1, 1},      // ...and ends before number i + 1
    };
    enum { all_count = sizeof all / sizeof all[0] };
    const unsigned columns[all_count] = {
        [1] = cou_frameId, [2] = cou_frameVelocity, [3] = cou_frameDensity, [4] = cou_frameMaterial};
    couVtkArray arrays[all_count];
    int array_count = 0;
    for (int i = 0; i < all_count; ++i) {
        bool is_pressure = i == 5;
        if (!(frame->left_out & columns[i]) && (!is_pressure || frame->pressure)) arrays[array_count++] = all[i];
    }
    couVtkPolyData data = {
        .time = frame->time, .point_count = count, .vert_count = count, .arrays = arrays, .array_count = array_count};
    return couWriteVtkPolyData(path, &data, faults);
}
