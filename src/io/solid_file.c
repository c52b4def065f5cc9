// Meshes of solids in files. Gmsh's text is read line by line into words; numbers of points may be any, so they are looked up.
// Everything is read as if written by an enemy: no count is believed before its lines are there.
#include "coulis/solid_file.h"

#include "base/base.h"
#include "files/file.h"
#include "io/point_file.h"
#include "io/vtk_write.h"

#include <stdio.h>
#include <stdlib.h>

enum { GMSH_TRIANGLE = 2, GMSH_TETRAHEDRON = 4, VTK_TRIANGLE = 5, VTK_TETRAHEDRON = 10 };

typedef struct Parts {
    COU_ARRAY(couVec3) points;
    COU_ARRAY(uint64_t) tags;  // of the points, in the file
    COU_ARRAY(uint64_t) cells; // tags, dimension + 1 each; then places
} Parts;

static void free_parts(Parts *parts)
{
    COU_FREE_ARRAY(NULL, &parts->points);
    COU_FREE_ARRAY(NULL, &parts->tags);
    COU_FREE_ARRAY(NULL, &parts->cells);
}

static bool add_point(Parts *parts, uint64_t tag, couVec3 p)
{
    if (!COU_RESERVE(NULL, &parts->points, parts->points.count + 1) || !COU_RESERVE(NULL, &parts->tags, parts->tags.count + 1))
        return false;
    parts->points.items[parts->points.count++] = p;
    parts->tags.items[parts->tags.count++] = tag;
    return true;
}

static bool add_corner(Parts *parts, uint64_t tag)
{
    if (!COU_RESERVE(NULL, &parts->cells, parts->cells.count + 1)) return false;
    parts->cells.items[parts->cells.count++] = tag;
    return true;
}

// --- From parts to a mesh ----------------------------------------------------------------------------------------------------

typedef struct TagPlace {
    uint64_t tag;
    uint32_t place;
} TagPlace;

static int compare_tags(const void *a, const void *b)
{
    const TagPlace *s = a, *t = b;
    return (s->tag > t->tag) - (s->tag < t->tag);
}

static const TagPlace *find_tag(const TagPlace *places, size_t count, uint64_t tag)
{
    TagPlace wanted = {tag, 0};
    return bsearch(&wanted, places, count, sizeof *places, compare_tags);
}

static double cell_volume(const couVec3 *points, const uint32_t *n, int dimension)
{
    couVec3 o = points[n[0]];
    double a[3][3];
    for (int k = 0; k < dimension; ++k) {
        couVec3 p = points[n[k + 1]];
        a[k][0] = (double)p.x - (double)o.x, a[k][1] = (double)p.y - (double)o.y, a[k][2] = (double)p.z - (double)o.z;
    }
    if (dimension == 2) return a[0][0] * a[1][1] - a[0][1] * a[1][0];
    return a[0][0] * (a[1][1] * a[2][2] - a[1][2] * a[2][1]) - a[0][1] * (a[1][0] * a[2][2] - a[1][2] * a[2][0]) +
           a[0][2] * (a[1][0] * a[2][1] - a[1][1] * a[2][0]);
}

// Some programs number the other way round: then all cells are inside out, and all are turned.
static void turn_cells(const couVec3 *points, uint32_t *cells, size_t count, int dimension)
{
    size_t corners = (size_t)dimension + 1;
    for (size_t c = 0; c < count; ++c)
        if (!(cell_volume(points, &cells[c * corners], dimension) < 0)) return;
    for (size_t c = 0; c < count; ++c) {
        uint32_t swap = cells[c * corners];
        cells[c * corners] = cells[c * corners + 1];
        cells[c * corners + 1] = swap;
    }
}

static void say(couFaults *faults, const char *path, const char *text) { couFaults_Add(faults, path, NULL, "%s", text); }

// Points by the places of those that cells use. NULL with a fault.
static couSolidMesh *make_mesh(Parts *parts, int dimension, const char *path, couFaults *faults)
{
    size_t count = parts->points.count, corner_count = parts->cells.count, used = 0;
    TagPlace *places = couAlloc(NULL, (count + 1) * sizeof *places);
    uint32_t *cells = couAlloc(NULL, (corner_count + 1) * sizeof *cells), *number = couAlloc(NULL, (count + 1) * sizeof *number);
    couVec3 *points = couAlloc(NULL, (count + 1) * sizeof *points);
    couSolidMesh *mesh = NULL;
    bool is_good = places && cells && number && points;
    if (!is_good) say(faults, path, "no memory for the mesh");
    for (size_t i = 0; is_good && i < count; ++i) places[i] = (TagPlace){parts->tags.items[i], (uint32_t)i};
    if (is_good) qsort(places, count, sizeof *places, compare_tags);
    for (size_t k = 0; is_good && k < corner_count; ++k) {
        const TagPlace *found = find_tag(places, count, parts->cells.items[k]);
        if (!found) {
            couFaults_Add(faults, path, NULL, "a cell uses point %llu, which is not there",
                          (unsigned long long)parts->cells.items[k]);
            is_good = false;
            break;
        }
        if (!number[found->place]) {
            points[used] = parts->points.items[found->place];
            number[found->place] = (uint32_t)++used;
        }
        cells[k] = number[found->place] - 1;
    }
    if (is_good && !corner_count) {
        couFaults_Add(faults, path, NULL, "it has no %s", dimension == 3 ? "tetrahedra" : "triangles");
        is_good = false;
    }
    if (is_good) {
        size_t cell_count = corner_count / ((size_t)dimension + 1);
        couFaults own = {0};
        turn_cells(points, cells, cell_count, dimension);
        mesh = couCreateSolidMesh(dimension, points, used, cells, cell_count, &own);
        for (int f = 0; f < own.count && f < 1; ++f) couFaults_Add(faults, path, NULL, "%s", own.items[f].message);
        couFaults_Clear(&own);
    }
    couFree(NULL, places);
    couFree(NULL, cells);
    couFree(NULL, number);
    couFree(NULL, points);
    return mesh;
}

// --- Gmsh --------------------------------------------------------------------------------------------------------------------

typedef struct Text {
    const char *at;
    bool is_bad;
} Text;

static double next_number(Text *text)
{
    char *end;
    double value = strtod(text->at, &end);
    if (end == text->at) text->is_bad = true;
    text->at = end;
    return value;
}

static uint64_t next_count(Text *text)
{
    double value = next_number(text);
    if (!(value >= 0) || value > 1e15) text->is_bad = true;
    return text->is_bad ? 0 : (uint64_t)value;
}

// Behind the line with the section's name, or NULL.
static const char *find_section(const char *text, const char *name)
{
    const char *found = strstr(text, name);
    const char *line = found ? strchr(found, '\n') : NULL;
    return line ? line + 1 : NULL;
}

static couVec3 next_point(Text *text)
{
    double x = next_number(text), y = next_number(text), z = next_number(text);
    return (couVec3){(float)x, (float)y, (float)z};
}

static int corners_of(uint64_t kind)
{
    static const int corners[] = {0, 2, 3, 4, 4, 8, 6, 5, 3, 6, 9, 10, 27, 18, 14, 1};
    return kind < COU_COUNT(corners) ? corners[kind] : 0;
}

static bool read_nodes(Text *text, Parts *parts, bool is_new)
{
    uint64_t blocks = is_new ? next_count(text) : 1, total = 0;
    if (is_new) next_count(text), next_count(text), next_count(text);
    for (uint64_t b = 0; b < blocks && !text->is_bad; ++b) {
        uint64_t parametric = 0;
        if (is_new) {
            next_count(text), next_number(text);
            parametric = next_count(text);
        }
        uint64_t count = next_count(text);
        if (parametric) text->is_bad = true;
        size_t first = parts->points.count;
        for (uint64_t i = 0; i < count && !text->is_bad; ++i) {
            uint64_t tag = next_count(text);
            if (!text->is_bad && !add_point(parts, tag, is_new ? (couVec3){0, 0, 0} : next_point(text))) return false;
        }
        for (uint64_t i = 0; is_new && i < count && !text->is_bad; ++i) parts->points.items[first + i] = next_point(text);
        total += count;
    }
    return !text->is_bad && total > 0;
}

// Elements of the wanted kind; the corners of the others are skipped.
static bool read_elements(Text *text, Parts *parts, uint64_t wanted, bool is_new)
{
    uint64_t blocks = is_new ? next_count(text) : 1;
    if (is_new) next_count(text), next_count(text), next_count(text);
    for (uint64_t b = 0; b < blocks && !text->is_bad; ++b) {
        uint64_t kind = 0;
        if (is_new) {
            next_count(text), next_number(text);
            kind = next_count(text);
        }
        uint64_t count = next_count(text);
        for (uint64_t e = 0; e < count && !text->is_bad; ++e) {
            next_count(text);
            if (!is_new) {
                kind = next_count(text);
                for (uint64_t tags = next_count(text); tags > 0 && !text->is_bad; --tags) next_number(text);
            }
            int corners = corners_of(kind);
            if (!corners) text->is_bad = true;
            for (int k = 0; k < corners && !text->is_bad; ++k) {
                uint64_t tag = next_count(text);
                if (kind == wanted && !text->is_bad && !add_corner(parts, tag)) return false;
            }
        }
    }
    return !text->is_bad;
}

static couSolidMesh *read_msh(const char *path, int dimension, couFaults *faults)
{
    size_t size;
    char *file = couReadFile(path, (size_t)2 << 30, &size, faults);
    if (!file) return NULL;
    const char *format = find_section(file, "$MeshFormat"), *nodes = find_section(file, "$Nodes");
    const char *elements = find_section(file, "$Elements");
    Parts parts = {0};
    couSolidMesh *mesh = NULL;
    Text text = {format, false};
    double version = format ? next_number(&text) : 0;
    uint64_t is_binary = format ? next_count(&text) : 0;
    bool is_new = version >= 4.1;
    if (!format || text.is_bad || !(version >= 2 && version < 5) || (version >= 3 && !is_new)) {
        say(faults, path, "it is no .msh file of version 2 or 4.1");
    } else if (is_binary) {
        say(faults, path, "it is binary; save it as text (Gmsh: Mesh.Binary = 0)");
    } else if (!nodes || !elements) {
        say(faults, path, "it has no $Nodes or no $Elements");
    } else {
        Text node_text = {nodes, false}, element_text = {elements, false};
        uint64_t wanted = dimension == 3 ? GMSH_TETRAHEDRON : GMSH_TRIANGLE;
        if (!read_nodes(&node_text, &parts, is_new) || !read_elements(&element_text, &parts, wanted, is_new))
            say(faults, path, "its nodes or elements are damaged");
        else
            mesh = make_mesh(&parts, dimension, path, faults);
    }
    free_parts(&parts);
    free(file);
    return mesh;
}

static bool write_msh(const char *path, const couSolidMesh *mesh, couFaults *faults)
{
    couFile file;
    if (!couFile_Create(&file, path, faults)) return false;
    int dimension = couSolidMesh_Dimension(mesh), corners = dimension + 1;
    fprintf(file.stream, "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$Nodes\n%zu\n", couSolidMesh_PointCount(mesh));
    for (size_t i = 0; i < couSolidMesh_PointCount(mesh); ++i) {
        couVec3 p = couSolidMesh_Points(mesh)[i];
        fprintf(file.stream, "%zu %.9g %.9g %.9g\n", i + 1, (double)p.x, (double)p.y, (double)p.z);
    }
    fprintf(file.stream, "$EndNodes\n$Elements\n%zu\n", couSolidMesh_CellCount(mesh));
    for (size_t c = 0; c < couSolidMesh_CellCount(mesh); ++c) {
        fprintf(file.stream, "%zu %d 2 1 1", c + 1, dimension == 3 ? GMSH_TETRAHEDRON : GMSH_TRIANGLE);
        for (int k = 0; k < corners; ++k)
            fprintf(file.stream, " %u", couSolidMesh_Cells(mesh)[c * (size_t)corners + (size_t)k] + 1);
        fputc('\n', file.stream);
    }
    fputs("$EndElements\n", file.stream);
    return couFile_Commit(&file, faults);
}

// --- VTK ---------------------------------------------------------------------------------------------------------------------

static bool wants(const char *key) { return strcmp(key, "Points") == 0 || strncmp(key, "Cells/", 6) == 0; }

static couSolidMesh *read_vtu(const char *path, int dimension, couFaults *faults)
{
    couPointFile file;
    couSolidMesh *mesh = NULL;
    Parts parts = {0};
    if (couReadPointFile(&file, path, wants, faults)) {
        const couPointArray *points = couPointFile_Find(&file, "Points"), *types = couPointFile_Find(&file, "Cells/types");
        const couPointArray *corners = couPointFile_Find(&file, "Cells/connectivity");
        const couPointArray *offsets = couPointFile_Find(&file, "Cells/offsets");
        bool is_good = points && types && corners && offsets && types->count == offsets->count;
        if (!is_good) say(faults, path, "it has no cells, or is in several pieces");
        for (size_t i = 0; is_good && i < points->count; ++i)
            is_good = add_point(&parts, i, couPointArray_Vector(points, i)) || (say(faults, path, "no memory"), false);
        double begin = 0, wanted = dimension == 3 ? VTK_TETRAHEDRON : VTK_TRIANGLE;
        for (size_t c = 0; is_good && c < types->count; ++c) {
            double end = couPointArray_Number(offsets, c, 0);
            bool is_wanted = couPointArray_Number(types, c, 0) == wanted;
            if (!(end >= begin && end <= (double)corners->count) || (is_wanted && end - begin != dimension + 1)) {
                say(faults, path, "its cells are damaged");
                is_good = false;
            }
            for (double k = begin; is_good && is_wanted && k < end; ++k) {
                uint32_t n = couToUnsigned(couPointArray_Number(corners, (size_t)k, 0), UINT32_MAX);
                is_good = add_corner(&parts, n) || (say(faults, path, "no memory"), false);
            }
            begin = end;
        }
        if (is_good) mesh = make_mesh(&parts, dimension, path, faults);
    }
    couPointFile_Clear(&file);
    free_parts(&parts);
    return mesh;
}

// --- By extension ------------------------------------------------------------------------------------------------------------

static bool ends_with(const char *path, const char *extension)
{
    size_t a = strlen(path), b = strlen(extension);
    return a > b && strcmp(path + a - b, extension) == 0;
}

couSolidMesh *couReadSolidMesh(const char *path, int dimension, couFaults *faults)
{
    if (ends_with(path, ".msh")) return read_msh(path, dimension, faults);
    if (ends_with(path, ".vtu")) return read_vtu(path, dimension, faults);
    say(faults, path, "a solid's mesh is a .msh or .vtu file");
    return NULL;
}

static bool write_vtu(const char *path, const couSolidMesh *mesh, couFaults *faults)
{
    size_t points = couSolidMesh_PointCount(mesh), cells = couSolidMesh_CellCount(mesh);
    size_t corners = (size_t)couSolidMesh_Dimension(mesh) + 1;
    uint8_t *types = couAlloc(NULL, cells + 1);
    if (!types) {
        say(faults, path, "no memory");
        return false;
    }
    memset(types, corners == 4 ? VTK_TETRAHEDRON : VTK_TRIANGLE, cells);
    const couVtkArray arrays[] = {
        {"Points", "Points", "Float32", NULL, 3, 12, points, couSolidMesh_Points(mesh), 0, 0},
        {"Cells", "connectivity", "Int32", NULL, 1, 4, cells * corners, couSolidMesh_Cells(mesh), 0, 0},
        {"Cells", "offsets", "Int32", NULL, 1, 4, cells, NULL, (int64_t)corners, (int64_t)corners},
        {"Cells", "types", "UInt8", NULL, 1, 1, cells, types, 0, 0},
    };
    couVtkPolyData data = {.point_count = points, .cell_count = cells, .arrays = arrays, .array_count = COU_COUNT(arrays)};
    bool is_written = couWriteVtkGrid(path, &data, faults);
    couFree(NULL, types);
    return is_written;
}

bool couWriteSolidMesh(const char *path, const couSolidMesh *mesh, couFaults *faults)
{
    if (ends_with(path, ".msh")) return write_msh(path, mesh, faults);
    if (ends_with(path, ".vtu")) return write_vtu(path, mesh, faults);
    say(faults, path, "a solid's mesh is a .msh or .vtu file");
    return false;
}
