// Surfaces in files. One vertex is one row everywhere: no format gets a vertex twice, so that ids, velocities and normals stay
// where they belong. In 2D the elements are segments: lines in .obj and .vtp, edges in .ply, closed paths in .svg.
#include "coulis/surface_file.h"

#include "base/base.h"
#include "files/file.h"
#include "files/text.h"
#include "io/point_file.h"
#include "io/vtk_write.h"

#include <errno.h>
#include <stdlib.h>
#include <strings.h>

// --- Wavefront OBJ -----------------------------------------------------------------------------------------------------------

static void print_vector(FILE *stream, const char *word, couVec3 v)
{
    char line[8 + 3 * cou_floatTextSize];
    char *at = line + sprintf(line, "%s ", word);
    at += couFormatFloat(at, v.x);
    *at++ = ' ';
    at += couFormatFloat(at, v.y);
    *at++ = ' ';
    at += couFormatFloat(at, v.z);
    fwrite(line, 1, (size_t)(at - line), stream);
}

// Vertex colours behind the position are what MeshLab, Blender and others read; they take them for sRGB.
static bool write_obj(const char *path, const couSurface *s, double time, couFaults *faults)
{
    couFile file;
    if (!couFile_Create(&file, path, faults)) return false;
    FILE *stream = file.stream;
    fprintf(stream, "# Coulis surface, time %.17g s; metres, y up%s\n", time, s->colors ? "; v x y z red green blue" : "");
    for (size_t i = 0; i < s->vertex_count; ++i) {
        print_vector(stream, "v", s->vertices[i]);
        if (s->colors)
            fprintf(stream, " %.4g %.4g %.4g", couToDisplay(s->colors[i].x) / 255.0, couToDisplay(s->colors[i].y) / 255.0,
                    couToDisplay(s->colors[i].z) / 255.0);
        fputc('\n', stream);
    }
    bool has_normals = s->normals && s->dimension == 3;
    for (size_t i = 0; has_normals && i < s->vertex_count; ++i) {
        print_vector(stream, "vn", s->normals[i]);
        fputc('\n', stream);
    }
    for (size_t i = 0; i < s->element_count && !ferror(stream); ++i) {
        const uint32_t *v = s->indices + (size_t)s->dimension * i;
        if (s->dimension == 2)
            fprintf(stream, "l %u %u\n", v[0] + 1, v[1] + 1);
        else if (has_normals)
            fprintf(stream, "f %u//%u %u//%u %u//%u\n", v[0] + 1, v[0] + 1, v[1] + 1, v[1] + 1, v[2] + 1, v[2] + 1);
        else
            fprintf(stream, "f %u %u %u\n", v[0] + 1, v[1] + 1, v[2] + 1);
    }
    return couFile_Commit(&file, faults);
}

// --- PLY ---------------------------------------------------------------------------------------------------------------------

enum { rows_at_once = 1024, max_row_bytes = 64 };

static void declare_properties(FILE *stream, const couSurface *s)
{
    fprintf(stream, "property float x\nproperty float y\nproperty float z\n");
    if (s->normals) fprintf(stream, "property float nx\nproperty float ny\nproperty float nz\n");
    if (s->velocities) fprintf(stream, "property float vx\nproperty float vy\nproperty float vz\n");
    if (s->colors) fprintf(stream, "property uchar red\nproperty uchar green\nproperty uchar blue\n");
    if (s->nearest_ids) fprintf(stream, "property uint id\n");
    if (s->materials) fprintf(stream, "property uchar material\n");
}

static size_t pack_vertex(unsigned char *row, const couSurface *s, size_t i)
{
    unsigned char *at = row;
    memcpy(at, &s->vertices[i], 12), at += 12;
    if (s->normals) memcpy(at, &s->normals[i], 12), at += 12;
    if (s->velocities) memcpy(at, &s->velocities[i], 12), at += 12;
    if (s->colors) {
        *at++ = couToDisplay(s->colors[i].x);
        *at++ = couToDisplay(s->colors[i].y);
        *at++ = couToDisplay(s->colors[i].z);
    }
    if (s->nearest_ids) memcpy(at, &s->nearest_ids[i], 4), at += 4;
    if (s->materials) *at++ = s->materials[i];
    return (size_t)(at - row);
}

// Triangles carry their number of corners, edges do not.
static size_t pack_element(unsigned char *row, const couSurface *s, size_t i)
{
    size_t used = 0;
    if (s->dimension == 3) row[used++] = 3;
    memcpy(row + used, s->indices + (size_t)s->dimension * i, 4 * (size_t)s->dimension);
    return used + 4 * (size_t)s->dimension;
}

static void write_rows(couFile *file, const couSurface *s, size_t count,
                       size_t (*pack)(unsigned char *row, const couSurface *s, size_t i))
{
    unsigned char rows[rows_at_once * max_row_bytes];
    size_t used = 0;
    for (size_t i = 0; i < count; ++i) {
        used += pack(rows + used, s, i);
        if (used <= sizeof rows - max_row_bytes && i + 1 < count) continue;
        if (!couFile_Write(file, rows, used)) return;
        used = 0;
    }
}

static bool write_ply(const char *path, const couSurface *s, double time, couFaults *faults)
{
    couFile file;
    if (!couFile_Create(&file, path, faults)) return false;
    fprintf(file.stream,
            "ply\nformat binary_little_endian 1.0\n"
            "comment Coulis surface: x y z [m], nx ny nz outward, vx vy vz [m/s], id of the nearest particle\n"
            "comment time %.17g\n"
            "element vertex %zu\n",
            time, s->vertex_count);
    declare_properties(file.stream, s);
    if (s->dimension == 3)
        fprintf(file.stream, "element face %zu\nproperty list uchar int vertex_indices\nend_header\n", s->element_count);
    else
        fprintf(file.stream, "element edge %zu\nproperty int vertex1\nproperty int vertex2\nend_header\n", s->element_count);
    write_rows(&file, s, s->vertex_count, pack_vertex);
    write_rows(&file, s, s->element_count, pack_element);
    return couFile_Commit(&file, faults);
}

// --- VTK ---------------------------------------------------------------------------------------------------------------------

static bool write_vtp(const char *path, const couSurface *s, double time, couFaults *faults)
{
    size_t count = s->vertex_count, elements = s->element_count;
    const char *cells = s->dimension == 3 ? "Polys" : "Lines";
    const couVtkArray all[] = {
        {"Points", "Points", "Float32", NULL, 3, 12, count, s->vertices, 0, 0},
        {"PointData", "normal", "Float32", "Normals", 3, 12, count, s->normals, 0, 0},
        {"PointData", "velocity", "Float32", "Vectors", 3, 12, count, s->velocities, 0, 0},
        {"PointData", "color", "Float32", NULL, 3, 12, count, s->colors, 0, 0},
        {"PointData", "id", "UInt32", NULL, 1, 4, count, s->nearest_ids, 0, 0},
        {"PointData", "material", "UInt8", NULL, 1, 1, count, s->materials, 0, 0},
        {cells, "connectivity", "Int32", NULL, 1, 4, elements * (size_t)s->dimension, s->indices, 0, 0},
        {cells, "offsets", "Int32", NULL, 1, 4, elements, NULL, s->dimension, s->dimension},
    };
    couVtkArray arrays[COU_COUNT(all)];
    int array_count = 0;
    for (int i = 0; i < COU_COUNT(all); ++i)
        if (all[i].data || strcmp(all[i].section, "PointData") != 0) arrays[array_count++] = all[i];
    couVtkPolyData data = {.time = time,
                           .point_count = count,
                           .line_count = s->dimension == 2 ? elements : 0,
                           .poly_count = s->dimension == 3 ? elements : 0,
                           .arrays = arrays,
                           .array_count = array_count};
    return couWriteVtkPolyData(path, &data, faults);
}

// --- SVG ---------------------------------------------------------------------------------------------------------------------

// Segments by the vertex that they leave.
typedef struct Chains {
    bool *is_end;    // per vertex: a segment ends there; where none does, an open chain begins
    uint32_t *first; // per vertex: segment + 1, 0 for none
    uint32_t *next;  // per segment: the next one from the same vertex + 1
} Chains;

static bool link_segments(Chains *chains, const couSurface *s)
{
    chains->first = couAlloc(NULL, COU_MAX(s->vertex_count, 1) * sizeof *chains->first);
    chains->next = couAlloc(NULL, COU_MAX(s->element_count, 1) * sizeof *chains->next);
    chains->is_end = couAlloc(NULL, COU_MAX(s->vertex_count, 1) * sizeof *chains->is_end);
    if (!chains->first || !chains->next || !chains->is_end) return false;
    for (size_t i = s->element_count; i-- > 0;) {
        chains->is_end[s->indices[2 * i + 1]] = true;
        uint32_t from = s->indices[2 * i];
        chains->next[i] = chains->first[from];
        chains->first[from] = (uint32_t)i + 1;
    }
    return true;
}

// Takes a segment that leaves the vertex; 0 when there is none left, else segment + 1.
static uint32_t take_segment(Chains *chains, uint32_t vertex)
{
    uint32_t segment1 = chains->first[vertex];
    if (segment1 != 0) chains->first[vertex] = chains->next[segment1 - 1];
    return segment1;
}

// Millimetres, y down.
static void print_place(FILE *stream, char word, couVec3 p)
{
    char text[2 * cou_floatTextSize + 4], *at = text;
    *at++ = word;
    at += couFormatFloat(at, 1000.0f * p.x);
    *at++ = ' ';
    at += couFormatFloat(at, p.y == 0.0f ? 0.0f : -1000.0f * p.y);
    fwrite(text, 1, (size_t)(at - text), stream);
}

// The loop of segments that begins at the vertex, if there is one.
static void print_loop(FILE *stream, Chains *chains, const couSurface *s, uint32_t start)
{
    uint32_t segment1 = take_segment(chains, start);
    if (segment1 == 0) return;
    print_place(stream, 'M', s->vertices[start]);
    for (; segment1 != 0; segment1 = take_segment(chains, s->indices[2 * (segment1 - 1) + 1])) {
        uint32_t to = s->indices[2 * (segment1 - 1) + 1];
        if (to == start) break;
        print_place(stream, 'L', s->vertices[to]);
    }
    fputs("Z\n", stream);
}

// The mean colour of a material's vertices, as #rrggbb.
static void print_fill(FILE *stream, const couSurface *s, int material)
{
    double sum[3] = {0}, count = 0;
    for (size_t i = 0; s->colors && i < s->vertex_count; ++i) {
        if ((s->materials ? s->materials[i] : 0) != material) continue;
        sum[0] += s->colors[i].x, sum[1] += s->colors[i].y, sum[2] += s->colors[i].z;
        count += 1.0;
    }
    for (int k = 0; k < 3; ++k) sum[k] = count > 0 ? sum[k] / count : 0.2;
    fprintf(stream, "#%02x%02x%02x", couToDisplay((float)sum[0]), couToDisplay((float)sum[1]), couToDisplay((float)sum[2]));
}

static couBounds surface_bounds(const couSurface *s)
{
    couBounds b = {{INFINITY, INFINITY, 0}, {-INFINITY, -INFINITY, 0}};
    for (size_t i = 0; i < s->vertex_count; ++i) {
        couVec3 p = s->vertices[i];
        b.lower.x = fminf(b.lower.x, p.x), b.lower.y = fminf(b.lower.y, p.y);
        b.upper.x = fmaxf(b.upper.x, p.x), b.upper.y = fmaxf(b.upper.y, p.y);
    }
    if (!(b.lower.x < b.upper.x)) return (couBounds){{0, 0, 0}, {1, 1, 0}};
    float margin = 0.02f * fmaxf(b.upper.x - b.lower.x, b.upper.y - b.lower.y);
    b.lower.x -= margin, b.lower.y -= margin, b.upper.x += margin, b.upper.y += margin;
    return b;
}

// A path for each material; holes run the other way round and stay empty.
static void print_svg(FILE *stream, const couSurface *s, double time, Chains *chains)
{
    couBounds b = surface_bounds(s);
    double width = 1000.0 * (double)(b.upper.x - b.lower.x), height = 1000.0 * (double)(b.upper.y - b.lower.y);
    fprintf(stream,
            "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%.6gmm\" height=\"%.6gmm\" viewBox=\"%.6g %.6g %.6g %.6g\">\n"
            "<title>Coulis surface, time %.9g s</title>\n",
            width, height, 1000.0 * (double)b.lower.x, -1000.0 * (double)b.upper.y, width, height, time);
    bool is_there[256] = {false};
    for (size_t i = 0; i < s->vertex_count; ++i) is_there[s->materials ? s->materials[i] : 0] = true;
    for (int material = 0; material < 256; ++material) {
        if (!is_there[material]) continue;
        fprintf(stream, "<path id=\"material%d\" fill-rule=\"evenodd\" fill=\"", material);
        print_fill(stream, s, material);
        fputs("\" d=\"", stream);
        for (int is_loop = 0; is_loop <= 1; ++is_loop)
            for (uint32_t i = 0; i < s->vertex_count; ++i)
                if ((s->materials ? s->materials[i] : 0) == material && (is_loop || !chains->is_end[i]))
                    while (chains->first[i] != 0) print_loop(stream, chains, s, i);
        fputs("\"/>\n", stream);
    }
    fputs("</svg>\n", stream);
}

static bool write_svg(const char *path, const couSurface *s, double time, couFaults *faults)
{
    couFile file;
    Chains chains = {0};
    if (!couFile_Create(&file, path, faults)) return false;
    bool has_memory = link_segments(&chains, s);
    if (has_memory) print_svg(file.stream, s, time, &chains);
    couFree(NULL, chains.first);
    couFree(NULL, chains.next);
    couFree(NULL, chains.is_end);
    if (has_memory) return couFile_Commit(&file, faults);
    couFile_Discard(&file);
    couFaults_Add(faults, path, NULL, "no memory to write %zu segments", s->element_count);
    return false;
}

// --- Any of them -------------------------------------------------------------------------------------------------------------

static const struct {
    const char *extension;
    int dimension; // the only one, 0: both
    bool (*write)(const char *path, const couSurface *surface, double time, couFaults *faults);
} formats[] = {{"obj", 0, write_obj}, {"ply", 0, write_ply}, {"vtp", 0, write_vtp}, {"svg", 2, write_svg}};

bool couIsSurfaceFormat(const char *extension, int dimension)
{
    for (int i = 0; i < COU_COUNT(formats); ++i)
        if (strcasecmp(extension, formats[i].extension) == 0)
            return formats[i].dimension == 0 || formats[i].dimension == dimension;
    return false;
}

bool couWriteSurface(const char *path, const couSurface *surface, double time, couFaults *faults)
{
    const char *dot = strrchr(path, '.');
    if (!dot || !couIsSurfaceFormat(dot + 1, surface->dimension)) {
        couFaults_Add(faults, path, NULL, "is not a surface in %dD by its name; allowed: .obj, .ply, .vtp%s", surface->dimension,
                      surface->dimension == 2 ? " and .svg" : ", and .svg in 2D");
        return false;
    }
    for (int i = 0; i < COU_COUNT(formats); ++i)
        if (strcasecmp(dot + 1, formats[i].extension) == 0) return formats[i].write(path, surface, time, faults);
    return false;
}

// --- Reading -----------------------------------------------------------------------------------------------------------------

static bool wants_surface(const char *key)
{
    static const char *const keys[] = {
        "Points",         "PointData/normal",   "PointData/velocity", "PointData/color",    "PointData/id",
        "PointData/x",    "PointData/y",        "PointData/z",        "PointData/nx",       "PointData/ny",
        "PointData/nz",   "PointData/vx",       "PointData/vy",       "PointData/vz",       "PointData/red",
        "PointData/blue", "PointData/green",    "PointData/material", "Polys/connectivity", "Polys/offsets",
        "Lines/offsets",  "Lines/connectivity", "Lines/vertex1",      "Lines/vertex2",      "Polys/vertex_indices"};
    for (int i = 0; i < COU_COUNT(keys); ++i)
        if (strcmp(key, keys[i]) == 0) return true;
    return false;
}

// One array of vectors, or three columns. NULL without them or without memory.
static couVec3 *read_vectors(const couPointFile *file, const char *key, const char *x_key, const char *y_key, const char *z_key)
{
    const couPointArray *array = couPointFile_FindRows(file, key), *x = couPointFile_FindRows(file, x_key);
    const couPointArray *y = couPointFile_FindRows(file, y_key), *z = couPointFile_FindRows(file, z_key);
    bool has_array = array && array->components == 3;
    if (!has_array && !(x && y && z)) return NULL;
    couVec3 *vectors = couAlloc(NULL, COU_MAX(file->count, 1) * sizeof *vectors);
    for (size_t i = 0; vectors && i < file->count; ++i)
        vectors[i] = has_array
                         ? couPointArray_Vector(array, i)
                         : (couVec3){couPointArray_Vector(x, i).x, couPointArray_Vector(y, i).x, couPointArray_Vector(z, i).x};
    return vectors;
}

// Colours of a PLY are bytes of a display.
static void read_colors(const couPointFile *file, couSurface *s)
{
    s->colors = read_vectors(file, "PointData/color", "PointData/red", "PointData/green", "PointData/blue");
    if (!s->colors || couPointFile_FindRows(file, "PointData/color")) return;
    for (size_t i = 0; i < file->count; ++i) {
        couVec3 *c = &s->colors[i];
        *c = (couVec3){couFromDisplay((uint8_t)couToUnsigned((double)c->x, 255)),
                       couFromDisplay((uint8_t)couToUnsigned((double)c->y, 255)),
                       couFromDisplay((uint8_t)couToUnsigned((double)c->z, 255))};
    }
}

static void read_numbers(const couPointFile *file, couSurface *s)
{
    const couPointArray *ids = couPointFile_FindRows(file, "PointData/id");
    const couPointArray *materials = couPointFile_FindRows(file, "PointData/material");
    size_t room = COU_MAX(file->count, 1);
    if (ids) s->nearest_ids = couAlloc(NULL, room * sizeof *s->nearest_ids);
    if (materials) s->materials = couAlloc(NULL, room * sizeof *s->materials);
    for (size_t i = 0; i < file->count; ++i) {
        if (s->nearest_ids) s->nearest_ids[i] = couToUnsigned(couPointArray_Number(ids, i, 0), UINT32_MAX);
        if (s->materials) s->materials[i] = (uint8_t)couToUnsigned(couPointArray_Number(materials, i, 0), UINT8_MAX);
    }
}

// Element i of the cells: its corner k.
typedef struct Cells {
    int dimension;
    size_t count;
    const couPointArray *arrays[2]; // all corners in one, or one for each end
} Cells;

static double cell_corner(const Cells *cells, size_t i, int k)
{
    if (cells->arrays[1]) return couPointArray_Number(cells->arrays[k], i, 0);
    if (cells->arrays[0]->components > 1) return couPointArray_Number(cells->arrays[0], i, k);
    return couPointArray_Number(cells->arrays[0], i * (size_t)cells->dimension + (size_t)k, 0);
}

static const couPointArray *find_corners(const couPointFile *file, const char *key, int components)
{
    const couPointArray *array = couPointFile_Find(file, key);
    return array && array->components == components ? array : NULL;
}

static bool find_cells(const couPointFile *file, Cells *cells)
{
    const couPointArray *faces = find_corners(file, "Polys/vertex_indices", 3);
    const couPointArray *polys = find_corners(file, "Polys/connectivity", 1),
                        *lines = find_corners(file, "Lines/connectivity", 1);
    const couPointArray *a = couPointFile_Find(file, "Lines/vertex1"), *b = couPointFile_Find(file, "Lines/vertex2");
    if (polys && polys->count == 0 && lines) polys = NULL;
    if (faces)
        *cells = (Cells){3, faces->count, {faces, NULL}};
    else if (polys)
        *cells = (Cells){3, polys->count / 3, {polys, NULL}};
    else if (lines)
        *cells = (Cells){2, lines->count / 2, {lines, NULL}};
    else if (a && b && a->count == b->count)
        *cells = (Cells){2, a->count, {a, b}};
    else
        return false;
    // Cells of another size are none of ours.
    const couPointArray *offsets = couPointFile_Find(file, polys ? "Polys/offsets" : "Lines/offsets");
    if (faces || a) return true;
    if (!offsets || offsets->count != cells->count) return false;
    for (size_t i = 0; i < offsets->count; ++i)
        if (couPointArray_Number(offsets, i, 0) != (double)((i + 1) * (size_t)cells->dimension)) return false;
    return true;
}

static bool read_elements(couPointFile *file, couSurface *s)
{
    Cells cells;
    if (!find_cells(file, &cells)) return couPointFile_Refuse(file, NULL, "is no surface: it has no triangles and no segments");
    s->dimension = cells.dimension;
    s->element_count = cells.count;
    s->indices = couAlloc(NULL, COU_MAX(cells.count, 1) * (size_t)cells.dimension * sizeof *s->indices);
    if (!s->indices) return couPointFile_Refuse(file, NULL, "cannot be read: no memory");
    for (size_t i = 0; i < cells.count; ++i)
        for (int k = 0; k < cells.dimension; ++k) {
            double corner = cell_corner(&cells, i, k);
            if (!(corner >= 0 && corner < (double)file->count))
                return couPointFile_Refuse(file, NULL, "is damaged: element %zu names vertex %g of %zu", i + 1, corner,
                                           file->count);
            s->indices[i * (size_t)cells.dimension + (size_t)k] = (uint32_t)corner;
        }
    return true;
}

// --- Reading OBJ as it is written here ---------------------------------------------------------------------------------------

typedef struct ObjReader {
    couSurface *surface;
    size_t vertex_capacity, normal_capacity, color_capacity, index_capacity;
    size_t normal_count, color_count;
} ObjReader;

static bool add_obj_vector(couVec3 **list, size_t *count, size_t *capacity, const double *v)
{
    if (!COU_GROW(NULL, *list, *capacity, *count + 1)) return false;
    (*list)[(*count)++] = (couVec3){(float)v[0], (float)v[1], (float)v[2]};
    return true;
}

// "v x y z" or "v x y z r g b", with the colour as displays want it.
static bool add_obj_vertex(ObjReader *reader, const char *text, const char *end)
{
    double v[6];
    couSurface *s = reader->surface;
    const char *after = couParseNumbers(text, end, v, 3);
    if (!after || !add_obj_vector(&s->vertices, &s->vertex_count, &reader->vertex_capacity, v)) return false;
    after += strspn(after, " \t\r");
    if (after >= end) return true;
    if (!couParseNumbers(after, end, v + 3, 3)) return false;
    for (int k = 3; k < 6; ++k) v[k] = (double)couFromDisplay((uint8_t)couToUnsigned(255.0 * v[k] + 0.5, 255));
    return add_obj_vector(&s->colors, &reader->color_count, &reader->color_capacity, v + 3);
}

// "f a b c", "f a//a b//b c//c" or "l a b".
static bool add_obj_element(ObjReader *reader, int dimension, const char *text, const char *end)
{
    couSurface *s = reader->surface;
    size_t used = s->element_count * (size_t)dimension;
    if (s->element_count > 0 && s->dimension != dimension) return false;
    if (!COU_GROW(NULL, s->indices, reader->index_capacity, used + (size_t)dimension)) return false;
    s->dimension = dimension;
    for (int k = 0; k < dimension; ++k) {
        char *after;
        text += strspn(text, " \t");
        unsigned long corner = *text >= '1' && *text <= '9' && text < end ? strtoul(text, &after, 10) : 0;
        if (corner == 0 || corner > s->vertex_count) return false;
        s->indices[used + (size_t)k] = (uint32_t)(corner - 1);
        text = after + strcspn(after, " \t\r\n");
    }
    ++s->element_count;
    return text + strspn(text, " \t\r") >= end;
}

static bool read_obj_line(ObjReader *reader, const char *line, const char *end)
{
    couSurface *s = reader->surface;
    double v[3];
    if (strncmp(line, "v ", 2) == 0) return add_obj_vertex(reader, line + 2, end);
    if (strncmp(line, "f ", 2) == 0) return add_obj_element(reader, 3, line + 2, end);
    if (strncmp(line, "l ", 2) == 0) return add_obj_element(reader, 2, line + 2, end);
    if (strncmp(line, "vn ", 3) == 0)
        return couParseNumbers(line + 3, end, v, 3) &&
               add_obj_vector(&s->normals, &reader->normal_count, &reader->normal_capacity, v);
    return *line == '#' || line + strspn(line, " \t\r") >= end;
}

// Columns that not every vertex has are none.
static void drop_uneven(ObjReader *reader)
{
    couSurface *s = reader->surface;
    if (reader->normal_count != s->vertex_count || s->vertex_count == 0) couFree(NULL, s->normals), s->normals = NULL;
    if (reader->color_count != s->vertex_count || s->vertex_count == 0) couFree(NULL, s->colors), s->colors = NULL;
}

static bool read_obj(const char *path, couSurface *surface, double *time, couFaults *faults)
{
    static const char mark[] = "# Coulis surface, time ";
    size_t size, line_number = 1;
    char *text = couReadFile(path, (size_t)1 << 35, &size, faults);
    if (!text) return false;
    *surface = (couSurface){.dimension = 3};
    ObjReader reader = {.surface = surface};
    bool is_good = strncmp(text, mark, sizeof mark - 1) == 0 && strlen(text) == size;
    if (time && is_good) *time = strtod(text + sizeof mark - 1, NULL);
    for (const char *line = text; is_good && line < text + size; ++line_number) {
        const char *end = strchr(line, '\n');
        if (!end) end = text + size;
        is_good = *end == '\n' && read_obj_line(&reader, line, end); // a line without its end is cut off
        line = end + 1;
    }
    free(text);
    drop_uneven(&reader);
    if (is_good) return true;
    couFaults_Add(faults, path, NULL, "is not a surface that Coulis wrote: line %zu", line_number);
    couSurface_Clear(surface);
    return false;
}

bool couReadSurface(const char *path, couSurface *surface, double *time, couFaults *faults)
{
    const char *dot = strrchr(path, '.');
    if (dot && strcasecmp(dot, ".obj") == 0) return read_obj(path, surface, time, faults);
    couPointFile file;
    *surface = (couSurface){0};
    bool is_good = couReadPointFile(&file, path, wants_surface, faults) && read_elements(&file, surface);
    if (is_good) {
        surface->vertex_count = file.count;
        surface->vertices = read_vectors(&file, "Points", "PointData/x", "PointData/y", "PointData/z");
        surface->normals = read_vectors(&file, "PointData/normal", "PointData/nx", "PointData/ny", "PointData/nz");
        surface->velocities = read_vectors(&file, "PointData/velocity", "PointData/vx", "PointData/vy", "PointData/vz");
        read_colors(&file, surface);
        read_numbers(&file, surface);
        if (!surface->vertices) is_good = couPointFile_Refuse(&file, NULL, "cannot be read: no memory");
        if (time) *time = file.time;
    }
    couPointFile_Clear(&file);
    if (!is_good) couSurface_Clear(surface);
    return is_good;
}
