// The benchmark cases. Each builds its world through the public API, at a fixed number of particles.

#include "app/bench.h"

#include <stdio.h>
#include <string.h>

// Adds a body or fluid made from one shape def.
static couShape *make_shape(couShapeKind kind, couVec3 size, couShape *inner, couFaults *faults)
{
    couShapeDef def = {.kind = kind, .size = size, .axis = {0, 1, 0}, .thickness = 0.1f, .is_open = true};
    if (inner) def.children = &inner, def.child_count = 1;
    couShape *shape = couCreateShape(&def, faults);
    couShape_Release(inner);
    return shape;
}

static void add_body(couWorld *world, couShape *shape, couVec3 at, couFaults *faults)
{
    couBodyDef def = couDefaultBodyDef();
    def.shape = shape;
    def.pose.position = at;
    couWorld_AddBody(world, &def, faults);
    couShape_Release(shape);
}

static void add_block(couWorld *world, couMaterialId material, couVec3 size, couVec3 at, couFaults *faults)
{
    couFluidDef def = couDefaultFluidDef();
    def.material = material;
    def.shape = make_shape(cou_shapeBox, size, NULL, faults);
    def.pose.position = at;
    couWorld_AddFluid(world, &def, faults);
    couShape_Release(def.shape);
}

static couWorld *create_world(const char *method, int threads, float spacing, couFaults *faults)
{
    couWorldDef def = couDefaultWorldDef();
    snprintf(def.method, sizeof def.method, "%s", method);
    def.threads = threads;
    def.spacing = spacing;
    return couCreateWorld(&def, faults);
}

// A block of nx * ny * nz particles of water falls a short way into an open box of twice its length.
static couWorld *create_splash(const char *method, int threads, int nx, int ny, int nz, couFaults *faults)
{
    float d = 0.02f;
    couWorld *world = create_world(method, threads, d, faults);
    if (!world) return NULL;
    couVec3 block = {(float)nx * d, (float)ny * d, (float)nz * d};
    couVec3 hollow = {2.0f * block.x, 2.0f * block.y, block.z + 2.0f * d};
    couShape *tank = make_shape(cou_shapeShell, (couVec3){0}, make_shape(cou_shapeBox, hollow, NULL, faults), faults);
    add_body(world, tank, (couVec3){0, 0.5f * hollow.y, 0}, faults);
    couMaterialDef water = couDefaultMaterialDef();
    couMaterialId material = couWorld_AddMaterial(world, &water, faults);
    add_block(world, material, block, (couVec3){-0.45f * block.x, 0.6f * block.y, 0}, faults);
    return world;
}

static couWorld *create_splash_100k(const char *method, int threads, couFaults *faults)
{
    return create_splash(method, threads, 50, 40, 50, faults);
}

static couWorld *create_splash_1m(const char *method, int threads, couFaults *faults)
{
    return create_splash(method, threads, 125, 80, 100, faults);
}

static void add_free_body(couWorld *world, const couShapeDef *shape_def, couVec3 at, couFaults *faults)
{
    couBodyDef def = couDefaultBodyDef();
    def.shape = couCreateShape(shape_def, faults);
    def.pose.position = at;
    def.is_dynamic = true;
    def.density = 500;
    couWorld_AddBody(world, &def, faults);
    couShape_Release(def.shape);
}

// A pool of 60 x 30 x 60 particles, less what the bodies take.
static couWorld *create_pool(const char *method, int threads, const couShapeDef *shape, int rows, float apart, couFaults *faults)
{
    float d = 0.02f;
    couWorld *world = create_world(method, threads, d, faults);
    if (!world) return NULL;
    couVec3 pool = {60 * d, 30 * d, 60 * d}, hollow = {pool.x, 2.0f * pool.y, pool.z};
    couShape *tank = make_shape(cou_shapeShell, (couVec3){0}, make_shape(cou_shapeBox, hollow, NULL, faults), faults);
    add_body(world, tank, (couVec3){0, 0.5f * hollow.y, 0}, faults);
    for (int i = 0; i < rows; ++i)
        for (int k = 0; k < (rows > 1 ? 2 : 1); ++k)
            add_free_body(
                world, shape,
                (couVec3){apart * ((float)i - 0.5f * (float)(rows - 1)), pool.y, rows > 1 ? apart * ((float)k - 0.5f) : 0},
                faults);
    couMaterialDef water = couDefaultMaterialDef();
    couMaterialId material = couWorld_AddMaterial(world, &water, faults);
    add_block(world, material, pool, (couVec3){0, 0.5f * pool.y, 0}, faults);
    return world;
}

// A ball that 10,000 particles or more touch: 2 layers around a half-sunken ball of 26 spacings radius.
static couWorld *create_body(const char *method, int threads, couFaults *faults)
{
    return create_pool(method, threads, &(couShapeDef){.kind = cou_shapeSphere, .radius = 0.52f}, 1, 0.0f, faults);
}

static couWorld *create_bodies(const char *method, int threads, couFaults *faults)
{
    return create_pool(method, threads, &(couShapeDef){.kind = cou_shapeBox, .size = {0.2f, 0.2f, 0.2f}}, 5, 0.225f, faults);
}

// A block of 50,000 particles of the library's clay falls on a floor.
static couWorld *create_springs(const char *method, int threads, couFaults *faults)
{
    float d = 0.01f;
    couWorld *world = create_world(method, threads, d, faults);
    if (!world) return NULL;
    add_body(world, make_shape(cou_shapePlane, (couVec3){0}, NULL, faults), (couVec3){0}, faults);
    couMaterialDef clay = couDefaultMaterialDef();
    int count;
    const couLibraryMaterial *library = couMaterialLibrary(&count);
    for (int m = 0; m < count; ++m)
        if (strcmp(library[m].def.name, "clay") == 0) clay = library[m].def;
    couMaterialId material = couWorld_AddMaterial(world, &clay, faults);
    add_block(world, material, (couVec3){0.5f, 0.25f, 0.4f}, (couVec3){0, 0.15f, 0}, faults);
    return world;
}

static const couBenchCase cases[] = {
    {"pvfs-splash", "100,000 particles of water, a block falling into a box", 0.3, create_splash_100k, NULL},
    {"pvfs-splash-1m", "the same with 1,000,000 particles", 0.03, create_splash_1m, NULL},
    {"pvfs-springs", "50,000 particles of clay with springs, a block falling on a floor", 0.1, create_springs, NULL},
    {"pvfs-body", "100,000 particles of water and a floating ball that 10,000 of them touch", 0.1, create_body, NULL},
    {"pvfs-bodies", "100,000 particles of water and ten floating boxes", 0.1, create_bodies, NULL},
    {"distance-grid", "the distance grid of a mesh of 70,000 triangles at 128 cells, made and from the cache", 0, NULL,
     couBenchDistanceGrid},
};

const couBenchCase *couBenchCases(int *count)
{
    *count = (int)(sizeof cases / sizeof *cases);
    return cases;
}
