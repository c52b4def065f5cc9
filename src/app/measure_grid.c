// Sections and grids of frames. The .vti files are VTK's image data as text, which ParaView and meshio read; sections are small.
#include "app/measure_grid.h"

#include "app/run.h"
#include "base/base.h"
#include "files/file.h"
#include "files/text.h"

#include <stdio.h>

#define DRY_SUPPORT 1e-3 // less is no liquid

bool couPlaceMeasureGrid(couMeasureGrid *grid, couBounds bounds, int dimension, float margin, float cell, int axis, double value,
                         couFaults *faults)
{
    const float low[3] = {bounds.lower.x, bounds.lower.y, bounds.lower.z};
    const float high[3] = {bounds.upper.x, bounds.upper.y, bounds.upper.z};
    float *first = &grid->lower.x;
    double points = 1;
    grid->cell = cell;
    for (int a = 0; a < 3; ++a) {
        bool is_flat = a == axis || (a == 2 && dimension == 2);
        first[a] = is_flat ? (a == axis ? (float)value : 0.0f) : low[a] - margin;
        double count = is_flat ? 1 : floor(((double)high[a] - low[a] + 2 * (double)margin) / cell) + 1;
        points *= count;
        if (!(points <= COU_MAX_GRID_POINTS)) {
            couFaults_Add(faults, "coulis measure", "--cell", "%g m make more than %d points; take larger cells", cell,
                          COU_MAX_GRID_POINTS);
            return false;
        }
        grid->count[a] = (int)count;
    }
    return true;
}

static couVec3 grid_point(const couMeasureGrid *grid, size_t k)
{
    size_t nx = (size_t)grid->count[0], ny = (size_t)grid->count[1];
    couVec3 step = {(float)(k % nx), (float)(k / nx % ny), (float)(k / (nx * ny))};
    return couMulAdd(grid->lower, grid->cell, step);
}

static void write_array(FILE *out, const char *name, int components, const couVicinityValue *values, size_t count,
                        double (*number)(const couVicinityValue *value, int component))
{
    fprintf(out, "<DataArray type=\"Float32\" Name=\"%s\" NumberOfComponents=\"%d\" format=\"ascii\">\n", name, components);
    for (size_t k = 0; k < count; ++k) {
        for (int a = 0; a < components; ++a) {
            char text[cou_floatTextSize];
            couFormatFloat(text, (float)number(&values[k], a));
            fprintf(out, "%s%c", text, a == components - 1 ? '\n' : ' ');
        }
    }
    fputs("</DataArray>\n", out);
}

static double support_of(const couVicinityValue *value, int a) { return (void)a, value->support; }
static double velocity_of(const couVicinityValue *value, int a) { return value->velocity[a]; }
static double density_of(const couVicinityValue *value, int a) { return (void)a, value->density; }
static double pressure_of(const couVicinityValue *value, int a) { return (void)a, value->pressure; }

static bool write_vti(const char *path, const couMeasureGrid *grid, const couVicinityValue *values, bool has_pressure,
                      double time, couFaults *faults)
{
    couFile file;
    if (!couFile_Create(&file, path, faults)) return false;
    FILE *out = file.stream;
    const int *n = grid->count;
    size_t count = (size_t)n[0] * (size_t)n[1] * (size_t)n[2];
    char extent[96];
    snprintf(extent, sizeof extent, "0 %d 0 %d 0 %d", n[0] - 1, n[1] - 1, n[2] - 1);
    fprintf(out,
            "<?xml version=\"1.0\"?>\n<VTKFile type=\"ImageData\" version=\"1.0\">\n"
            "<ImageData WholeExtent=\"%s\" Origin=\"%.9g %.9g %.9g\" Spacing=\"%.9g %.9g %.9g\">\n"
            "<FieldData>\n<DataArray type=\"Float64\" Name=\"TimeValue\" NumberOfTuples=\"1\" format=\"ascii\">",
            extent, grid->lower.x, grid->lower.y, grid->lower.z, grid->cell, grid->cell, grid->cell);
    couPrintDouble(out, time);
    fprintf(out, "</DataArray>\n</FieldData>\n<Piece Extent=\"%s\">\n<PointData Scalars=\"support\" Vectors=\"velocity\">\n",
            extent);
    write_array(out, "support", 1, values, count, support_of);
    write_array(out, "velocity", 3, values, count, velocity_of);
    write_array(out, "density", 1, values, count, density_of);
    if (has_pressure) write_array(out, "pressure", 1, values, count, pressure_of);
    fputs("</PointData>\n<CellData/>\n</Piece>\n</ImageData>\n</VTKFile>\n", out);
    return couFile_Commit(&file, faults);
}

static bool write_csv(const char *path, const couMeasureGrid *grid, const couVicinityValue *values, bool has_pressure,
                      couFaults *faults)
{
    couFile file;
    if (!couFile_Create(&file, path, faults)) return false;
    FILE *out = file.stream;
    fprintf(out, "x,y,z,support,velocity_x,velocity_y,velocity_z,density%s\n", has_pressure ? ",pressure" : "");
    size_t count = (size_t)grid->count[0] * (size_t)grid->count[1] * (size_t)grid->count[2];
    for (size_t k = 0; k < count; ++k) {
        const couVicinityValue *v = &values[k];
        couVec3 x = grid_point(grid, k);
        bool is_dry = v->support < DRY_SUPPORT;
        const double row[] = {x.x, x.y, x.z, v->support, v->velocity[0], v->velocity[1], v->velocity[2], v->density, v->pressure};
        for (int c = 0; c < 8 + has_pressure; ++c) {
            if (c) fputc(',', out);
            if (is_dry && c > 3)
                fputs("nan", out);
            else
                couPrintFloat(out, (float)row[c]);
        }
        fputc('\n', out);
    }
    return couFile_Commit(&file, faults);
}

bool couWriteMeasureGrid(couManifest *manifest, const couMeasureGrid *grid, const couGaugeCloud *cloud, int number, double time,
                         couFaults *faults)
{
    size_t count = (size_t)grid->count[0] * (size_t)grid->count[1] * (size_t)grid->count[2];
    couVicinityValue *values = couAlloc(NULL, count * sizeof *values);
    couVicinity near = {0};
    couVec3 ends[2] = {grid->lower, grid_point(grid, count - 1)};
    bool is_good = values && couVicinity_Gather(&near, cloud, couBoundPoints(ends, 2), cloud->kernel.h);
    for (size_t k = 0; is_good && k < count; ++k) {
        values[k] = couVicinity_At(&near, grid_point(grid, k));
        if (values[k].support < DRY_SUPPORT) values[k] = (couVicinityValue){.support = values[k].support};
    }
    if (!is_good) couFaults_Add(faults, grid->stem, NULL, "no memory for %zu points", count);
    char name[64], path[COU_PATH_SIZE];
    snprintf(name, sizeof name, "%s_%06d.vti", grid->stem, number);
    is_good = is_good && couClaimPath(manifest, name, path, faults) &&
              write_vti(path, grid, values, cloud->pressure != NULL, time, faults);
    snprintf(name, sizeof name, "%s_%06d.csv", grid->stem, number);
    is_good = is_good && couClaimPath(manifest, name, path, faults) &&
              write_csv(path, grid, values, cloud->pressure != NULL, faults);
    couVicinity_Free(&near);
    couFree(NULL, values);
    return is_good;
}
