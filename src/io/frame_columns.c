// Columns of frames by name, for who looks at one number of each particle: colours of pictures. What a frame holds in memory
// needs no file; any other array of another program's file is read with all of them, so that a fault can say what there is.
#include "base/base.h"
#include "io/point_file.h"

#include <stdio.h>
#include <strings.h>

typedef enum Column {
    column_speed,
    column_x,
    column_y,
    column_z,
    column_vx,
    column_vy,
    column_vz,
    column_density,
    column_pressure,
    column_id,
    column_material,
    column_count
} Column;

static const char *const names[column_count + 1] = {"speed", "x",       "y",        "z",  "vx",       "vy",
                                                    "vz",    "density", "pressure", "id", "material", NULL};
static const char *const units[column_count] = {"m/s", "m", "m", "m", "m/s", "m/s", "m/s", "", "Pa", "", ""};

static Column find_column(const char *name)
{
    int k = 0;
    while (k < column_count && strcmp(names[k], name) != 0) ++k;
    return (Column)k;
}

const char *const *couFrameColumnNames(void) { return names; }

const char *couFrameColumn_Unit(const char *name)
{
    Column column = find_column(name);
    return column < column_count ? units[column] : "";
}

static float value_of(const couFrame *frame, Column column, size_t i)
{
    switch (column) {
    case column_speed: return couLength(frame->velocity[i]);
    case column_x: return frame->position[i].x;
    case column_y: return frame->position[i].y;
    case column_z: return frame->position[i].z;
    case column_vx: return frame->velocity[i].x;
    case column_vy: return frame->velocity[i].y;
    case column_vz: return frame->velocity[i].z;
    case column_density: return frame->density[i];
    case column_pressure: return frame->pressure[i];
    case column_id: return (float)frame->id[i];
    default: return (float)frame->material[i];
    }
}

bool couFrame_Column(const couFrame *frame, const char *name, float *values)
{
    Column column = find_column(name);
    bool is_of_velocity = column == column_speed || (column >= column_vx && column <= column_vz);
    unsigned needed = is_of_velocity              ? cou_frameVelocity
                      : column == column_density  ? cou_frameDensity
                      : column == column_id       ? cou_frameId
                      : column == column_material ? cou_frameMaterial
                                                  : 0;
    if (column == column_count || (frame->missing & needed) || (column == column_pressure && !frame->pressure)) return false;
    for (size_t i = 0; i < frame->count; ++i) values[i] = value_of(frame, column, i);
    return true;
}

// --- Any array of a file -----------------------------------------------------------------------------------------------------

static const char section[] = "PointData/";

static bool wants_any(const char *key) { return strncmp(key, section, strlen(section)) == 0; }

static bool refuse(couPointFile *file, const char *name)
{
    char list[160] = "";
    size_t used = 0;
    for (int i = 0; i < file->array_count && used < sizeof list; ++i)
        used += (size_t)snprintf(list + used, sizeof list - used, "%s%s", i > 0 ? ", " : "",
                                 file->arrays[i].key + strlen(section));
    return couPointFile_Refuse(file, NULL, "has no column '%.40s'; it has %s", name, used > 0 ? list : "none");
}

// The whole array of that name, or one component where the name ends in .x, .y or .z; `component` -1: all.
static const couPointArray *find_array(const couPointFile *file, const char *name, int *component)
{
    char key[96];
    snprintf(key, sizeof key, "%s%.80s", section, name);
    *component = -1;
    const couPointArray *array = couPointFile_FindRows(file, key);
    size_t length = strlen(key);
    if (!array && length > 2 && key[length - 2] == '.' && strchr("xyz", key[length - 1])) {
        *component = key[length - 1] - 'x';
        key[length - 2] = '\0';
        array = couPointFile_FindRows(file, key);
        if (array && *component >= array->components) array = NULL;
    }
    return array;
}

static float array_value(const couPointArray *array, size_t row, int component)
{
    if (component >= 0) return couToFloat(couPointArray_Number(array, row, component));
    if (array->components == 1) return couToFloat(couPointArray_Number(array, row, 0));
    double sum = 0.0;
    for (int k = 0; k < array->components; ++k) {
        double x = couPointArray_Number(array, row, k);
        sum += x * x;
    }
    return couToFloat(sqrt(sum));
}

bool couReadFrameColumn(const char *path, const couFrame *frame, const char *name, float *values, couFaults *faults)
{
    if (couFrame_Column(frame, name, values)) return true;
    couPointFile file;
    bool is_ok = couReadPointFile(&file, path, wants_any, faults);
    int component = -1;
    const couPointArray *array = is_ok ? find_array(&file, name, &component) : NULL;
    if (is_ok && (!array || file.count != frame->count)) is_ok = refuse(&file, name);
    for (size_t i = 0; is_ok && i < frame->count; ++i) values[i] = array_value(array, i, component);
    couPointFile_Clear(&file);
    return is_ok;
}
