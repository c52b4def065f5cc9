// The benchmark cases. Each builds its world through the public API, at a fixed number of particles.

#include "bench/bench.h"

#include "coulis/scene.h"

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

// A parameter of the method, by name; methods without it go without.
static void set_number(couWorld *world, const char *method, const char *name, double value, couFaults *faults)
{
    const couParamTable *table = couMethodParams(method);
    const couParam *param = couParams_Find(table, name);
    if (param) couParam_SetNumbers(param, table->name, couWorld_MethodParams(world), &value, 1, "bench", faults);
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

static couWorld *create_splash_20k(const char *method, int threads, couFaults *faults)
{
    return create_splash(method, threads, 32, 20, 32, faults);
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

// Bodies that float in a pool, in rows of two, or one alone.
typedef struct Floats {
    couShapeDef shape;
    int rows; // 0: none
    float apart;
} Floats;

// A pool of nx * ny * nx particles at rest, less what the bodies take.
static couWorld *create_pool(const char *method, int threads, int nx, int ny, Floats floats, couFaults *faults)
{
    float d = 0.02f, apart = floats.apart;
    int rows = floats.rows;
    couWorld *world = create_world(method, threads, d, faults);
    if (!world) return NULL;
    couVec3 pool = {(float)nx * d, (float)ny * d, (float)nx * d}, hollow = {pool.x, 2.0f * pool.y, pool.z};
    couShape *tank = make_shape(cou_shapeShell, (couVec3){0}, make_shape(cou_shapeBox, hollow, NULL, faults), faults);
    add_body(world, tank, (couVec3){0, 0.5f * hollow.y, 0}, faults);
    for (int i = 0; i < rows; ++i)
        for (int k = 0; k < (rows > 1 ? 2 : 1); ++k)
            add_free_body(
                world, &floats.shape,
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
    Floats ball = {{.kind = cou_shapeSphere, .radius = 0.52f}, 1, 0.0f};
    return create_pool(method, threads, 60, 30, ball, faults);
}

static couWorld *create_bodies(const char *method, int threads, couFaults *faults)
{
    Floats boxes = {{.kind = cou_shapeBox, .size = {0.2f, 0.2f, 0.2f}}, 5, 0.225f};
    return create_pool(method, threads, 60, 30, boxes, faults);
}

// As many particles as in the splash.
static couWorld *create_still_20k(const char *method, int threads, couFaults *faults)
{
    return create_pool(method, threads, 32, 20, (Floats){0}, faults);
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

// --- Dam breaks --------------------------------------------------------------------------------------------------------------

// A block of n^3 particles of 1 m in a box of 2 x 1.5 x 1 m, let go. The set-up of the peer's runs in bench/README.md: c_V =
// 0.8, CFL 0.4, tolerances 0.05 % and 0.1 %, bounds of the step, a viscosity nu [m^2/s]; and its kernel, the cubic spline of 2 d
// with one layer of samples that have the pressure of the liquid next to them, unless our own defaults are asked for.
typedef struct Dam {
    int n;
    float radius, nu, max_step;
    float stiffness; // 0: none given
    bool has_defaults;
} Dam;

static void set_peers_kernel(couWorld *world, const char *method, couFaults *faults)
{
    static const char *const choices[][2] = {{"kernel", "cubic"},           {"support", "2"}, {"boundary_layers", "1"},
                                             {"wall_pressure", "neighbor"}, {"relief", "0"},  {"density", "sum"}};
    const couParamTable *table = couMethodParams(method);
    for (int k = 0; k < (int)(sizeof choices / sizeof *choices); ++k) {
        const couParam *param = couParams_Find(table, choices[k][0]);
        if (param) couParam_SetText(param, table->name, couWorld_MethodParams(world), choices[k][1], "bench", faults);
    }
}

static couWorld *create_dam(const char *method, int threads, Dam dam, couFaults *faults)
{
    float d = 2.0f * dam.radius, size = (float)dam.n * d;
    couWorld *world = create_world(method, threads, d, faults);
    if (!world) return NULL;
    couMaterialDef water = couDefaultMaterialDef();
    water.viscosity = dam.nu * water.density;
    couMaterialId material = couWorld_AddMaterial(world, &water, faults);
    couShape *box = make_shape(cou_shapeBox, (couVec3){2.0f, 1.5f, 1.0f}, NULL, faults);
    add_body(world, make_shape(cou_shapeShell, (couVec3){0}, box, faults), (couVec3){1.0f, 0.75f, 0.5f}, faults);
    if (!dam.has_defaults) set_peers_kernel(world, method, faults);
    set_number(world, method, "fill", 0.8, faults);
    set_number(world, method, "min_step", 1e-4, faults);
    if (dam.max_step > 0.0f) set_number(world, method, "max_step", dam.max_step, faults);
    if (dam.stiffness > 0.0f) set_number(world, method, "stiffness", dam.stiffness, faults);
    add_block(world, material, (couVec3){size, size, size}, (couVec3){0.5f * size, 0.5f * size, 0.5f * size}, faults);
    return world;
}

static couWorld *create_dam_10k(const char *method, int threads, couFaults *faults)
{
    return create_dam(method, threads, (Dam){22, 0.0217391f, 0.01f, 0.005f, 0, false}, faults);
}
static couWorld *create_dam_50k(const char *method, int threads, couFaults *faults)
{
    return create_dam(method, threads, (Dam){37, 0.0131579f, 0.01f, 0.005f, 0, false}, faults);
}
static couWorld *create_dam_125k(const char *method, int threads, couFaults *faults)
{
    return create_dam(method, threads, (Dam){50, 0.0098039f, 0.001f, 0.002f, 0, false}, faults);
}
static couWorld *create_default_50k(const char *method, int threads, couFaults *faults)
{
    return create_dam(method, threads, (Dam){37, 0.0131579f, 0.01f, 0.005f, 0, true}, faults);
}
static couWorld *create_default_125k(const char *method, int threads, couFaults *faults)
{
    return create_dam(method, threads, (Dam){50, 0.0098039f, 0.001f, 0.002f, 0, true}, faults);
}
static couWorld *create_dam_500k(const char *method, int threads, couFaults *faults)
{
    return create_dam(method, threads, (Dam){79, 0.00625f, 0.001f, 0.002f, 0, false}, faults);
}
static couWorld *create_dam_1m(const char *method, int threads, couFaults *faults)
{
    return create_dam(method, threads, (Dam){100, 0.00495f, 0.001f, 0.001f, 0, false}, faults);
}
static couWorld *create_stiff_dam(const char *method, int threads, couFaults *faults)
{
    return create_dam(method, threads, (Dam){37, 0.0131579f, 0.01f, 0.0005f, 50000, false}, faults);
}
static couWorld *create_short_dam(const char *method, int threads, couFaults *faults)
{
    return create_dam(method, threads, (Dam){37, 0.0131579f, 0.01f, 0.001f, 0, false}, faults);
}

// --- Free bodies in a dam, and the levitating ball ---------------------------------------------------------------------------

// The dam of 125,000 and, where it will flow, five boxes of about 5,000 samples each, a little lighter than water.
static couWorld *create_dam_bodies(const char *method, int threads, couFaults *faults)
{
    couWorld *world = create_default_125k(method, threads, faults);
    if (!world) return NULL;
    couShapeDef box = {.kind = cou_shapeBox, .size = {0.33f, 0.33f, 0.33f}};
    for (int k = 0; k < 5; ++k) {
        float x = 1.22f + 0.38f * (float)(k % 2), z = k == 4 ? 0.5f : 0.25f + 0.5f * (float)(k / 2);
        add_free_body(world, &box, (couVec3){k == 4 ? 1.41f : x, k == 4 ? 0.6f : 0.2f, z}, faults);
    }
    return world;
}

// The ball over a blower of [Gagneux 2022, sect. 3.6.2] as its published scene has it, in its steps: what a step costs, not what
// becomes of the ball (scenes/lib/levitation.lua).
static couWorld *create_levitation(const char *method, int threads, couFaults *faults)
{
    const couVec3 room = {2.2f, 4.5f, 2.2f}, middle = {0, 2.25f, 0};
    couWorld *world = create_world(method, threads, 0.06f, faults);
    if (!world) return NULL;
    set_number(world, method, "max_step", 2e-4, faults);
    couShape *inside = make_shape(cou_shapeBox, room, NULL, faults);
    couShapeDef shell = {.kind = cou_shapeShell, .children = &inside, .child_count = 1, .thickness = 0.2f};
    add_body(world, couCreateShape(&shell, faults), middle, faults);
    couShape_Release(inside);
    couBodyDef ball = couDefaultBodyDef();
    ball.shape = couCreateShape(&(couShapeDef){.kind = cou_shapeSphere, .radius = 0.15f}, faults);
    ball.pose.position = (couVec3){0, 1.4f, 0};
    ball.is_dynamic = true, ball.mass = 65, ball.friction = 1, ball.coanda = 1e-5f;
    couWorld_AddBody(world, &ball, faults);
    couShape_Release(ball.shape);
    couBlowerDef blower = couDefaultBlowerDef();
    blower.shape = couCreateShape(&(couShapeDef){.kind = cou_shapeCylinder, .radius = 0.31f, .height = 0.4f}, faults);
    blower.pose.position = (couVec3){0, 0.3f, 0};
    blower.force = 10;
    couWorld_AddBlower(world, &blower, faults);
    couShape_Release(blower.shape);
    couMaterialDef air = couDefaultMaterialDef();
    air.density = 250;
    add_block(world, couWorld_AddMaterial(world, &air, faults), room, middle, faults);
    return world;
}

static const couBenchCase cases[] = {
    {"pvfs-splash", "100,000 particles of water, a block falling into a box", "pvfs", 0.3, create_splash_100k, NULL},
    {"pvfs-splash-1m", "the same with 1,000,000 particles", "pvfs", 0.03, create_splash_1m, NULL},
    {"pvfs-springs", "50,000 particles of clay with springs, a block falling on a floor", "pvfs", 0.1, create_springs, NULL},
    {"pvfs-body", "100,000 particles of water and a floating ball that 10,000 of them touch", "pvfs", 0.1, create_body, NULL},
    {"pvfs-bodies", "100,000 particles of water and ten floating boxes", "pvfs", 0.1, create_bodies, NULL},
    {"dfsph-dam-10k", "dam break with the peer's kernel (cubic, 2 d), 10,648 particles, 1 s", "dfsph", 1.0, create_dam_10k, NULL},
    {"dfsph-dam-50k", "the same, 50,653 particles, 1 s", "dfsph", 1.0, create_dam_50k, NULL},
    {"dfsph-dam-125k", "the same, 125,000 particles, 0.5 s", "dfsph", 0.5, create_dam_125k, NULL},
    {"dfsph-default-50k", "dam break with our defaults, 50,653 particles, 1 s", "dfsph", 1.0, create_default_50k, NULL},
    {"dfsph-default-125k", "the same, 125,000 particles, 0.5 s", "dfsph", 0.5, create_default_125k, NULL},
    {"dfsph-splash-20k", "20,480 particles of water, a block falling into a box, our defaults, 0.6 s", "dfsph", 0.6,
     create_splash_20k, NULL},
    {"dfsph-pool-20k", "as many in a pool at rest, 0.6 s", "dfsph", 0.6, create_still_20k, NULL},
    {"dfsph-dam-bodies", "the same with five free boxes of 5,000 samples (our defaults)", "dfsph", 0.5, create_dam_bodies, NULL},
    {"dfsph-dam-500k", "dam break, 493,039 particles, 0.2 s", "dfsph", 0.2, create_dam_500k, NULL},
    {"dfsph-dam-1m", "dam break, 1,000,000 particles, 0.02 s", "dfsph", 0.02, create_dam_1m, NULL},
    {"wcsph-dam-50k", "dam break with k1 = 50000 Pa, k2 = 7 and steps of 0.5 ms, 50,653 particles, 0.25 s", "wcsph", 0.25,
     create_stiff_dam, NULL},
    {"pcisph-dam-50k", "dam break with steps of 1 ms, 50,653 particles, 0.25 s", "pcisph", 0.25, create_short_dam, NULL},
    {"iisph-dam-50k", "dam break, 50,653 particles, 0.25 s", "iisph", 0.25, create_dam_50k, NULL},
    {"levitation", "a ball over a blower in a full box, 95,000 particles, steps of 0.2 ms, 0.06 s", "dfsph", 0.06,
     create_levitation, NULL},
    {"solid-green", "a cube of 105,456 tetrahedra hangs from a wall, model green", "", 0, NULL, couBenchSolidGreen},
    {"solid-hybrid", "the same, model hybrid", "", 0, NULL, couBenchSolidHybrid},
    {"distance-grid", "the distance grid of a mesh of 70,000 triangles at 128 cells, made and from the cache", "", 0, NULL,
     couBenchDistanceGrid},
    {"surface-100k", "the surface of a block and a splash of 100,000 particles, Clavet's field with cells of h/4", "", 0, NULL,
     couBenchSurface100k},
    {"surface-1m", "the same with 1,000,000 particles", "", 0, NULL, couBenchSurface1m},
    {"picture-preview-100k", "a preview of 1280 x 720 of such a splash", "", 0, NULL, couBenchPreview},
    {"picture-final", "a final picture of 640 x 360 with 64 paths a pixel of a splash of 20,000 particles of water", "", 0, NULL,
     couBenchFinal},
};

const couBenchCase *couBenchCases(int *count)
{
    *count = (int)(sizeof cases / sizeof *cases);
    return cases;
}
