// Surfaces of particles, from the def to the mesh: check, sort the particles of each material into a cloud of kernels, find where
// its field is cut, count, and only then make the mesh.

#include "coulis/surface.h"

#include "surface/budget.h"
#include "surface/cut.h"
#include "surface/smooth.h"

// --- Def ---------------------------------------------------------------------------------------------------------------------

static const char *const field_names[] = {"clavet", "color", "anisotropic", NULL};
static const couParam surface_params[] = {
    COU_CHOICE(couSurfaceDef, field, field_names, .initial = {cou_surfaceAnisotropic},
               .help = "clavet: root of squared ramps; color: Müller's colour field; "
                       "anisotropic: kernels stretched along the surface, for flat water"),
    COU_NUMBER(couSurfaceDef, spacing, "m", .min = 0, .is_min_open = true, .max = 1e6,
               .help = "distance of the particles at rest"),
    COU_NUMBER(couSurfaceDef, radius, "m", .initial = {NAN}, .is_auto = true, .min = 0, .is_min_open = true, .max = 1e7,
               .help = "support of the field, 1 to 4 spacings; auto: 2 spacings"),
    COU_NUMBER(couSurfaceDef, cell, "m", .initial = {NAN}, .is_auto = true, .min = 0, .is_min_open = true, .max = 1e7,
               .help = "of the grid; auto: a third of a spacing"),
    COU_NUMBER(couSurfaceDef, level, "", .initial = {NAN}, .is_auto = true, .min = 0, .is_min_open = true, .max = 1000,
               .help = "at which the field is cut; auto: so that matter fills its volume"),
    COU_FLAG(couSurfaceDef, is_normalized, .initial = {true},
             .help = "particles weigh 1 / density, so that one level fits tanks and lone drops; false: all weigh the same"),
    COU_INTEGER(couSurfaceDef, smoothing, "", .min = 0, .max = 50, .help = "rounds that even out the mesh but keep its volume"),
    COU_FLAG(couSurfaceDef, is_blended, .help = "all materials as one surface; false: one for each"),
    COU_NUMBER(couSurfaceDef, max_gib, "GiB", .initial = {4}, .min = 0, .is_min_open = true, .max = 1e6,
               .help = "memory that a surface may take; more is refused"),
    COU_INTEGER(couSurfaceDef, threads, "", .min = 0, .max = COU_MAX_THREADS,
                .help = "0: all cores; results do not depend on it"),
};
static const couParamTable surface_table = {"surface", surface_params, COU_COUNT(surface_params)};

const couParamTable *couSurfaceParams(void) { return &surface_table; }

couSurfaceDef couDefaultSurfaceDef(void)
{
    couSurfaceDef def = {0};
    couParams_SetDefaults(&surface_table, &def);
    return def;
}

bool couCheckSurfaceInput(const couSurfaceDef *def, const couSurfacePoints *points, couFaults *faults)
{
    bool is_good = couParams_Check(&surface_table, def, faults);
    float d = def->spacing;
    if (is_good && !isnan(def->radius) && !(def->radius >= d && def->radius <= 4.0f * d)) {
        couFaults_Add(faults, NULL, "surface.radius", "%g m is not 1 to 4 spacings (%g to %g m)", (double)def->radius, (double)d,
                      4.0 * (double)d);
        is_good = false;
    }
    float radius = isnan(def->radius) ? 2.0f * d : def->radius;
    if (is_good && !isnan(def->cell) && !(def->cell <= radius && def->cell >= radius / 1000.0f)) {
        couFaults_Add(faults, NULL, "surface.cell", "%g m is not a thousandth of the radius to the radius (%g to %g m)",
                      (double)def->cell, (double)radius / 1000.0, (double)radius);
        is_good = false;
    }
    if (points->dimension != 2 && points->dimension != 3) {
        couFaults_Add(faults, NULL, "surface.dimension", "%d is not 2 or 3", points->dimension);
        is_good = false;
    }
    if (points->count > UINT32_MAX - COU_TABLE_PADDING || (points->count && !points->positions)) {
        couFaults_Add(faults, NULL, "surface.positions", "%zu particles: %s", points->count,
                      points->positions ? "too many" : "no positions");
        is_good = false;
    }
    return is_good;
}

// --- Memory ------------------------------------------------------------------------------------------------------------------

static const double gib = 1024.0 * 1024.0 * 1024.0;

size_t couBudgetBytes(const couSurfaceDef *def) { return (size_t)fmin((double)def->max_gib * gib, 9e18); }

bool couCheckBudget(const couMemory *memory, const couSurfaceDef *def, double more, const char *what, couFaults *faults)
{
    double total = (double)memory->bytes + more;
    if (total <= (double)def->max_gib * gib) return true;
    couFaults_Add(faults, NULL, "surface.max_gib", "%s would need %.3g GiB, allowed are %g GiB: take larger cells, or allow more",
                  what, total / gib, (double)def->max_gib);
    return false;
}

// --- Pieces ------------------------------------------------------------------------------------------------------------------

// The surface of one material, or of all.
typedef struct Piece {
    couCloud cloud;
    couCut cut;
    size_t first_vertex, first_element;
} Piece;

typedef struct Build {
    couSurfaceDef def; // with what is automatic filled in
    const couSurfacePoints *points;
    couMemory memory;
    couParallel parallel;
    couStretch stretch;
    couMarchTable table;
    Piece *pieces;
    int piece_count;
} Build;

static bool build_piece(Build *build, int material, couFaults *faults)
{
    Piece *piece = &build->pieces[build->piece_count++];
    piece->cloud = (couCloud){.memory = &build->memory, .parallel = &build->parallel, .stretch = build->stretch};
    return couCloud_Build(&piece->cloud, &build->def, build->points, material, faults) &&
           couCut_Build(&piece->cut, &piece->cloud, &build->table, &build->def, faults);
}

static bool build_pieces(Build *build, couFaults *faults)
{
    bool is_there[256] = {false};
    int count = 0;
    bool is_one = build->def.is_blended || !build->points->materials;
    for (size_t i = 0; !is_one && i < build->points->count; ++i) is_there[build->points->materials[i]] = true;
    for (int m = 0; m < 256; ++m) count += is_there[m];
    build->pieces = couAlloc(&build->memory, (size_t)(count + 1) * sizeof *build->pieces);
    if (!build->pieces) {
        couFaults_Add(faults, NULL, "surface", "out of memory");
        return false;
    }
    if (is_one) return build_piece(build, -1, faults);
    for (int m = 0; m < 256; ++m)
        if (is_there[m] && !build_piece(build, m, faults)) return false;
    return true;
}

static bool is_all_far(const Build *build)
{
    size_t taken = 0, finite = 0;
    for (int p = 0; p < build->piece_count; ++p) taken += build->pieces[p].cloud.count;
    for (size_t i = 0; taken == 0 && i < build->points->count; ++i) finite += couIsFinite3(build->points->positions[i]);
    return taken == 0 && finite > 0;
}

static bool allocate(Build *build, couSurface *surface, couFaults *faults)
{
    size_t vertices = 0, elements = 0;
    for (int p = 0; p < build->piece_count; ++p) {
        Piece *piece = &build->pieces[p];
        piece->first_vertex = vertices, piece->first_element = elements;
        vertices += piece->cut.vertex_count;
        elements += piece->cut.element_count;
        surface->left_out += piece->cloud.left_out;
    }
    size_t corner_bytes = (size_t)surface->dimension * sizeof(uint32_t);
    double bytes = (double)vertices * (4.0 * sizeof(couVec3) + 5.0) + (double)elements * (double)corner_bytes;
    double smoothing = build->def.smoothing ? couSmoothingBytes(vertices, elements, surface->dimension) : 0.0;
    if (!couCheckBudget(&build->memory, &build->def, bytes + smoothing, "the mesh", faults)) return false;
    if (vertices >= UINT32_MAX || elements >= UINT32_MAX) {
        couFaults_Add(faults, NULL, "surface.cell", "%zu vertices are more than indices of 32 bits count: take larger cells",
                      vertices);
        return false;
    }
    surface->vertex_count = vertices, surface->element_count = elements;
    couMemory *memory = &build->memory;
    surface->vertices = couAlloc(memory, (vertices + 1) * sizeof *surface->vertices);
    surface->normals = couAlloc(memory, (vertices + 1) * sizeof *surface->normals);
    surface->velocities = couAlloc(memory, (vertices + 1) * sizeof *surface->velocities);
    surface->colors = couAlloc(memory, (vertices + 1) * sizeof *surface->colors);
    surface->nearest_ids = couAlloc(memory, (vertices + 1) * sizeof *surface->nearest_ids);
    surface->materials = couAlloc(memory, (vertices + 1) * sizeof *surface->materials);
    surface->indices = couAlloc(memory, (elements + 1) * corner_bytes);
    bool is_good = surface->vertices && surface->normals && surface->velocities && surface->colors && surface->nearest_ids &&
                   surface->materials && surface->indices;
    if (!is_good) couFaults_Add(faults, NULL, "surface", "out of memory for %zu vertices", vertices);
    return is_good;
}

static bool make_mesh(Build *build, couSurface *surface, couFaults *faults)
{
    if (!allocate(build, surface, faults)) return false;
    bool is_good = true;
    for (int p = 0; is_good && p < build->piece_count; ++p) {
        Piece *piece = &build->pieces[p];
        is_good = couMarch(&piece->cut, &piece->cloud, &build->table, build->points, surface, piece->first_vertex,
                           piece->first_element);
    }
    is_good = is_good && couSmoothSurface(surface, build->def.smoothing, &build->memory, &build->parallel);
    if (!is_good) couFaults_Add(faults, NULL, "surface", "out of memory for the mesh");
    return is_good;
}

bool couBuildSurface(const couSurfaceDef *def, const couSurfacePoints *points, couSurface *surface, couFaults *faults)
{
    *surface = (couSurface){.dimension = points->dimension};
    if (!couCheckSurfaceInput(def, points, faults)) return false;
    Build build = {.def = *def, .points = points};
    couResolveSurfaceDef(&build.def, points->dimension, &build.stretch);
    bool is_good = couMakeMarchTable(&build.table);
    COU_ASSERT(is_good);
    surface->radius = build.def.radius, surface->cell = build.def.cell, surface->level = build.def.level;
    build.parallel = couMakeParallel(def->threads);

    double begin = couSeconds();
    is_good = is_good && build_pieces(&build, faults);
    if (is_good && is_all_far(&build)) {
        couFaults_Add(faults, NULL, "surface.cell", "%g m is too small for particles as far from the origin as these",
                      (double)build.def.cell);
        is_good = false;
    }
    double middle = couSeconds();
    is_good = is_good && make_mesh(&build, surface, faults);
    surface->field_seconds = middle - begin;
    surface->mesh_seconds = couSeconds() - middle;
    surface->peak_bytes = build.memory.peak;

    for (int p = 0; p < build.piece_count; ++p) {
        couCut_Free(&build.pieces[p].cut);
        couCloud_Free(&build.pieces[p].cloud);
    }
    couFree(&build.memory, build.pieces);
    couFreeParallel(&build.parallel);
    if (!is_good) couSurface_Clear(surface);
    return is_good;
}

void couSurface_Clear(couSurface *surface)
{
    couFree(NULL, surface->vertices);
    couFree(NULL, surface->normals);
    couFree(NULL, surface->velocities);
    couFree(NULL, surface->colors);
    couFree(NULL, surface->nearest_ids);
    couFree(NULL, surface->materials);
    couFree(NULL, surface->indices);
    *surface = (couSurface){0};
}

// --- Measures ----------------------------------------------------------------------------------------------------------------

typedef struct Vector {
    double x, y, z;
} Vector;

// From the first vertex, so that a mesh far from the origin is measured as well as one near it.
static Vector corner(const couSurface *surface, size_t element, int c)
{
    size_t n = (size_t)surface->dimension;
    couVec3 p = surface->vertices[surface->indices[n * element + (size_t)c]], o = surface->vertices[0];
    return (Vector){(double)p.x - (double)o.x, (double)p.y - (double)o.y, (double)p.z - (double)o.z};
}

static Vector cross(Vector a, Vector b) { return (Vector){a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x}; }
static Vector minus(Vector a, Vector b) { return (Vector){a.x - b.x, a.y - b.y, a.z - b.z}; }
static double length(Vector a) { return sqrt(a.x * a.x + a.y * a.y + a.z * a.z); }

double couSurface_Area(const couSurface *surface)
{
    double sum = 0.0;
    for (size_t e = 0; e < surface->element_count; ++e) {
        Vector a = corner(surface, e, 0), ab = minus(corner(surface, e, 1), a);
        sum += surface->dimension == 2 ? length(ab) : 0.5 * length(cross(ab, minus(corner(surface, e, 2), a)));
    }
    return sum;
}

double couSurface_Volume(const couSurface *surface)
{
    double sum = 0.0;
    for (size_t e = 0; e < surface->element_count; ++e) {
        Vector a = corner(surface, e, 0), b = corner(surface, e, 1), n = cross(a, b);
        if (surface->dimension == 2) {
            sum += 0.5 * n.z;
        } else {
            Vector c = corner(surface, e, 2);
            sum += (n.x * c.x + n.y * c.y + n.z * c.z) / 6.0;
        }
    }
    return sum;
}
