// Meshes of particles: closed and manifold whatever the cloud, of the right size, smooth in time, the same for any number of
// threads.

#include "surface_test.h"

// --- Closed and manifold -----------------------------------------------------------------------------------------------------

static void check_built(const Cloud *cloud, int dimension, const couSurfaceDef *def, int seed, const char *what)
{
    couSurface surface = build_surface(def, cloud, dimension);
    assert_true(surface.vertex_count > 0);
    check_mesh(&surface, seed, what);
    assert_true(couSurface_Volume(&surface) > 0.0);
    couSurface_Clear(&surface);
}

static void test_random_clouds_are_closed(void **context)
{
    (void)context;
    for (int field = 0; field < 3; ++field)
        for (int seed = 1; seed <= 6; ++seed) {
            Cloud cloud = {0};
            add_random(&cloud, 3, 300 * seed, 22.0f - 2.0f * (float)seed, seed); // from spray to a crowd
            couSurfaceDef def = surface_def(field);
            def.cell = SPACING * (0.3f + 0.17f * (float)seed); // up to 1.3 spacings
            check_built(&cloud, 3, &def, seed, field_words[field]);
            clear_cloud(&cloud);
        }
}

// Large cells against the detail in them: every ambiguous case comes up.
static void test_coarse_noise_is_closed(void **context)
{
    (void)context;
    for (int seed = 1; seed <= 6; ++seed) {
        Cloud cloud = {0};
        add_random(&cloud, 3, 4000, 30.0f, seed);
        couSurfaceDef def = surface_def(cou_surfaceClavet);
        def.radius = SPACING;
        def.cell = SPACING * (seed % 2 ? 1.0f : 0.7f);
        def.level = 0.2f + 0.1f * (float)seed;
        check_built(&cloud, 3, &def, seed, "coarse noise");
        clear_cloud(&cloud);
    }
}

static void test_thin_sheets_are_closed(void **context)
{
    (void)context;
    for (int field = 0; field < 3; ++field)
        for (int layers = 1; layers <= 2; ++layers) {
            Cloud cloud = {0};
            couRandom random = {77};
            add_lattice(&cloud, 30, 30, layers, (couVec3){-0.031f, 0.002f, 0.013f}, 0);
            for (size_t i = 0; i < cloud.count; ++i) {
                couVec3 shake = {couRandomSigned(&random), couRandomSigned(&random), couRandomSigned(&random)};
                cloud.positions[i] = couMulAdd(cloud.positions[i], 0.2f * SPACING, shake);
            }
            couSurfaceDef def = surface_def(field);
            check_built(&cloud, 3, &def, layers, "sheet");
            def.cell = 0.9f * SPACING; // as thick as the sheet
            check_built(&cloud, 3, &def, layers, "sheet with large cells");
            clear_cloud(&cloud);
        }
}

static void test_touching_drops_are_closed(void **context)
{
    (void)context;
    for (int field = 0; field < 3; ++field)
        for (int step = 0; step < 12; ++step) {
            Cloud cloud = {0};
            float apart = (9.0f + 0.25f * (float)step) * SPACING; // from one body to two
            add_drop(&cloud, 3, 300, (couVec3){0}, 0.0f, 1);
            add_drop(&cloud, 3, 300, (couVec3){apart, 0, 0}, 0.0f, 1);
            couSurfaceDef def = surface_def(field);
            check_built(&cloud, 3, &def, step, "two drops");
            clear_cloud(&cloud);
        }
}

// Particles on nodes, and nodes exactly at the level: 1 - 2/4 with four cells to the radius.
static void test_nodes_at_the_level(void **context)
{
    (void)context;
    Cloud cloud = {0};
    add_point(&cloud, (couVec3){0}, 0);
    couSurfaceDef def = surface_def(cou_surfaceClavet);
    def.spacing = 1.0f, def.radius = 2.0f, def.cell = 0.5f, def.level = 0.5f;
    check_built(&cloud, 3, &def, 0, "node at the level");
    add_point(&cloud, (couVec3){2, 0, 0}, 0);
    add_point(&cloud, (couVec3){0, 2, 2}, 0);
    def.is_normalized = false;
    check_built(&cloud, 3, &def, 0, "nodes at the level");
    clear_cloud(&cloud);

    // A lattice whose points are nodes.
    add_lattice(&cloud, 6, 6, 6, (couVec3){-0.5f * SPACING, -0.5f * SPACING, -0.5f * SPACING}, 0);
    for (int field = 0; field < 3; ++field) {
        def = surface_def(field);
        check_built(&cloud, 3, &def, 0, "lattice on nodes");
    }
    clear_cloud(&cloud);
}

static void test_coincident_and_far_particles(void **context)
{
    (void)context;
    Cloud cloud = {0};
    for (int i = 0; i < 20; ++i) add_point(&cloud, (couVec3){0.3f, 0.1f, 0.2f}, 0);
    add_point(&cloud, (couVec3){400.0f, -300.0f, 200.0f}, 0);
    for (int field = 0; field < 3; ++field) {
        couSurfaceDef def = surface_def(field);
        couSurface surface = build_surface(&def, &cloud, 3);
        check_mesh(&surface, 0, "far");
        assert_int_equal(surface.left_out, 0);
        couSurface_Clear(&surface);
    }
    clear_cloud(&cloud);
}

// --- Size --------------------------------------------------------------------------------------------------------------------

// Radius at which the field of a lone particle is at the level.
static double lone_radius(const couSurface *surface, int field, int dimension)
{
    double h = (double)surface->radius, level = (double)surface->level, d = (double)SPACING;
    if (field == cou_surfaceClavet) return h * (1.0 - level);
    if (field == cou_surfaceColor) return h * sqrt(1.0 - cbrt(level));
    return dimension == 3 ? cbrt(0.75 / COU_PI) * d : d / sqrt(COU_PI); // its own volume
}

static void test_single_particle_is_a_sphere(void **context)
{
    (void)context;
    Cloud cloud = {0};
    couVec3 at = {0.0537f, -0.0213f, 0.0071f};
    add_point(&cloud, at, 0);
    for (int field = 0; field < 3; ++field) {
        couSurfaceDef def = surface_def(field);
        def.cell = SPACING / 8.0f;
        couSurface surface = build_surface(&def, &cloud, 3);
        check_mesh(&surface, 0, "single particle");
        double r = lone_radius(&surface, field, 3), h = (double)surface.radius;
        CHECK_RANGE(r, 0.4 * (double)SPACING, 0.9 * (double)SPACING, field); // a drop of about its own volume
        for (size_t v = 0; v < surface.vertex_count; ++v) {
            couVec3 out = couSub(surface.vertices[v], at);
            CHECK_NEAR((double)couLength(out), r, 2e-3 * h, field);
            CHECK_RANGE((double)couDot(couNormalize(out), surface.normals[v]), 0.998, 1.001, field);
        }
        CHECK_NEAR(couSurface_Area(&surface), 4.0 * COU_PI * r * r, 0.03 * 4.0 * COU_PI * r * r, field);
        CHECK_NEAR(couSurface_Volume(&surface), 4.0 / 3.0 * COU_PI * r * r * r, 0.04 * 4.0 / 3.0 * COU_PI * r * r * r, field);
        couSurface_Clear(&surface);
    }
    clear_cloud(&cloud);
}

static void test_drop_has_its_volume(void **context)
{
    (void)context;
    for (int field = 0; field < 3; ++field)
        for (int jitter = 0; jitter < 2; ++jitter) {
            Cloud cloud = {0};
            add_drop(&cloud, 3, 20000, (couVec3){0.003f, 0.007f, -0.001f}, 0.2f * (float)jitter, 5);
            couSurfaceDef def = surface_def(field);
            couSurface surface = build_surface(&def, &cloud, 3);
            check_mesh(&surface, jitter, "drop");
            double wanted = (double)cloud.count * pow((double)SPACING, 3);
            CHECK_NEAR(couSurface_Volume(&surface), wanted, 0.02 * wanted, field);
            couSurface_Clear(&surface);
            clear_cloud(&cloud);
        }
}

// A tank's surface of flat layers lies where the last cubes end, to a tenth of a spacing; and it is flat.
static void test_tank_has_its_height(void **context)
{
    (void)context;
    Cloud cloud = {0};
    add_lattice(&cloud, 30, 20, 30, (couVec3){0}, 0);
    for (int field = 0; field < 3; ++field) {
        couSurfaceDef def = surface_def(field);
        couSurface surface = build_surface(&def, &cloud, 3);
        double d = (double)SPACING, low = INFINITY, high = -INFINITY, sum = 0.0;
        size_t count = 0;
        for (size_t v = 0; v < surface.vertex_count; ++v) {
            couVec3 p = surface.vertices[v];
            bool is_middle = p.x > 8 * SPACING && p.x < 22 * SPACING && p.z > 8 * SPACING && p.z < 22 * SPACING;
            if (!is_middle || p.y < 10 * SPACING) continue;
            low = fmin(low, (double)p.y), high = fmax(high, (double)p.y), sum += (double)p.y, ++count;
        }
        assert_true(count > 100);
        CHECK_NEAR(sum / (double)count, 20.0 * d, 0.1 * d, field);
        CHECK_AT_MOST(high - low, 0.1 * d, field);
        couSurface_Clear(&surface);
    }
    clear_cloud(&cloud);
}

// Anisotropic kernels make shaken water flatter than round ones do.
static void test_stretched_kernels_flatten(void **context)
{
    (void)context;
    double rough[3];
    for (int field = 0; field < 3; ++field) {
        Cloud cloud = {0};
        couRandom random = {991};
        add_lattice(&cloud, 30, 8, 30, (couVec3){0}, 0);
        for (size_t i = 0; i < cloud.count; ++i) {
            couVec3 shake = {couRandomSigned(&random), couRandomSigned(&random), couRandomSigned(&random)};
            cloud.positions[i] = couMulAdd(cloud.positions[i], 0.25f * SPACING, shake);
        }
        couSurfaceDef def = surface_def(field);
        couSurface surface = build_surface(&def, &cloud, 3);
        double sum = 0.0, squares = 0.0;
        size_t count = 0;
        for (size_t v = 0; v < surface.vertex_count; ++v) {
            couVec3 p = surface.vertices[v];
            bool is_middle = p.x > 6 * SPACING && p.x < 24 * SPACING && p.z > 6 * SPACING && p.z < 24 * SPACING;
            if (!is_middle || p.y < 4 * SPACING) continue;
            double y = (double)p.y / (double)SPACING;
            sum += y, squares += y * y, ++count;
        }
        rough[field] = sqrt(squares / (double)count - sum * sum / (double)(count * count));
        couSurface_Clear(&surface);
        clear_cloud(&cloud);
    }
    CHECK_AT_MOST(rough[2], 0.8 * fmin(rough[0], rough[1]), 991);
}

// --- Motion ------------------------------------------------------------------------------------------------------------------

typedef struct Shape {
    double support[26]; // how far it reaches in 26 directions
    double center[3];   // mean of the surface by area
} Shape;

static Shape measure_shape(const couSurface *surface, couVec3 from)
{
    Shape shape = {.center = {0}};
    int d = 0;
    for (int code = 0; code < 27; ++code) {
        if (code == 13) continue;
        couVec3 way = couNormalize((couVec3){(float)(code % 3 - 1), (float)(code / 3 % 3 - 1), (float)(code / 9 - 1)});
        shape.support[d] = -INFINITY;
        for (size_t v = 0; v < surface->vertex_count; ++v)
            shape.support[d] = fmax(shape.support[d], (double)couDot(way, couSub(surface->vertices[v], from)));
        ++d;
    }
    double area = 0.0;
    for (size_t e = 0; e < surface->element_count; ++e) {
        double a = 0.5 * (double)couLength(face_of(surface, e));
        for (int c = 0; c < 3; ++c) {
            couVec3 p = couSub(surface->vertices[surface->indices[3 * e + (size_t)c]], from);
            shape.center[0] += a * (double)p.x / 3.0, shape.center[1] += a * (double)p.y / 3.0,
                shape.center[2] += a * (double)p.z / 3.0;
        }
        area += a;
    }
    for (int a = 0; a < 3; ++a) shape.center[a] /= area;
    return shape;
}

// A particle goes on in steps of so many h; seen from the particle, its surface must stay where it is.
static void check_motion(int field, float cell, float step_size, int steps, double radius_share)
{
    couSurfaceDef def = surface_def(field);
    def.cell = cell;
    def.threads = 1;
    double h = 2.0 * (double)SPACING;
    Shape last = {.center = {0}};
    for (int step = 0; step < steps; ++step) {
        Cloud cloud = {0};
        couVec3 at = couScale(step_size * (float)h * (float)step, couNormalize((couVec3){0.8f, 0.53f, 0.29f}));
        add_point(&cloud, at, 0);
        couSurface surface = build_surface(&def, &cloud, 3);
        def.level = surface.level; // need not be found again
        double r = lone_radius(&surface, field, 3);
        for (size_t v = 0; v < surface.vertex_count; ++v)
            CHECK_NEAR((double)couLength(couSub(surface.vertices[v], at)), r, radius_share * h, step);
        Shape shape = measure_shape(&surface, at);
        for (int a = 0; a < 3; ++a) CHECK_NEAR(shape.center[a], 0.0, 0.02 * h, step);
        for (int d = 0; step > 0 && d < 26; ++d) CHECK_NEAR(shape.support[d], last.support[d], 0.01 * h, step);
        last = shape;
        couSurface_Clear(&surface);
        clear_cloud(&cloud);
    }
}

static void test_motion_is_smooth(void **context)
{
    (void)context;
    for (int field = 0; field < 3; ++field) {
        check_motion(field, COU_AUTO, 0.002f, 260, 0.02);
        check_motion(field, 0.5f * SPACING, 0.002f, 260, 0.04); // cells of h / 4, as large as a drop's radius
    }
}

// --- Threads -----------------------------------------------------------------------------------------------------------------

static void test_threads_do_not_matter(void **context)
{
    (void)context;
    for (int field = 0; field < 3; ++field) {
        Cloud cloud = {0};
        add_drop(&cloud, 3, 3000, (couVec3){0.1f, 0, 0}, 0.3f, 9);
        add_random(&cloud, 3, 2000, 60.0f, 4);
        for (size_t i = 0; i < cloud.count; ++i) {
            cloud.velocities[i] = (couVec3){cloud.positions[i].y, 1.0f, -cloud.positions[i].x};
            cloud.materials[i] = (uint8_t)(i % 3);
        }
        for (int is_blended = 0; is_blended < 2; ++is_blended) {
            couSurfaceDef def = surface_def(field);
            def.smoothing = 3;
            def.is_blended = is_blended;
            def.threads = 1;
            couSurface first = build_surface(&def, &cloud, 3);
            assert_true(first.vertex_count > 10000);
            for (int threads = 1; threads <= 4; ++threads) {
                def.threads = threads;
                couSurface other = build_surface(&def, &cloud, 3);
                if (!is_same_surface(&first, &other)) print_error("%s: %d threads differ from 1\n", field_words[field], threads);
                assert_true(is_same_surface(&first, &other));
                couSurface_Clear(&other);
            }
            couSurface_Clear(&first);
        }
        clear_cloud(&cloud);
    }
}

// --- Attributes --------------------------------------------------------------------------------------------------------------

static void test_attributes_follow_the_particles(void **context)
{
    (void)context;
    Cloud cloud = {0};
    add_drop(&cloud, 3, 1500, (couVec3){0}, 0.2f, 3);
    uint32_t *ids = malloc(cloud.count * sizeof *ids);
    for (size_t i = 0; i < cloud.count; ++i) {
        ids[i] = 7 * (uint32_t)i + 11;
        cloud.velocities[i] = (couVec3){cloud.positions[i].x, 2.0f, -3.0f};
        cloud.materials[i] = cloud.positions[i].x > 0.0f;
    }
    const couVec3 colors[2] = {{1, 0, 0}, {0, 1, 0}};
    couSurfacePoints points = points_of(&cloud, 3);
    points.ids = ids, points.colors = colors, points.color_count = 2;
    for (int field = 0; field < 3; ++field) {
        couSurfaceDef def = surface_def(field);
        couFaults faults = {0};
        couSurface surface;
        assert_true(couBuildSurface(&def, &points, &surface, &faults));
        size_t mixed = 0;
        for (size_t v = 0; v < surface.vertex_count; ++v) {
            couVec3 p = surface.vertices[v], velocity = surface.velocities[v], color = surface.colors[v];
            size_t best = 0;
            for (size_t i = 0; i < cloud.count; ++i)
                if (couLength(couSub(p, cloud.positions[i])) < couLength(couSub(p, cloud.positions[best]))) best = i;
            size_t got = (surface.nearest_ids[v] - 11) / 7;
            CHECK_NEAR((double)couLength(couSub(p, cloud.positions[got])), (double)couLength(couSub(p, cloud.positions[best])),
                       1e-6, field);
            assert_int_equal(surface.materials[v], cloud.materials[got]);
            CHECK_NEAR((double)velocity.x, (double)p.x, 2.0 * (double)SPACING, field);
            CHECK_NEAR((double)velocity.y, 2.0, 1e-4, field);
            CHECK_NEAR((double)velocity.z, -3.0, 1e-4, field);
            CHECK_NEAR((double)(color.x + color.y), 1.0, 1e-4, field);
            if (fabsf(p.x) > 4 * SPACING) CHECK_NEAR((double)color.y, p.x > 0.0f, 1e-4, field);
            mixed += color.y > 0.1f && color.y < 0.9f;
        }
        assert_true(mixed > 20); // where the materials meet
        couSurface_Clear(&surface);
    }
    free(ids);
    clear_cloud(&cloud);
}

static void test_materials_mesh_separately(void **context)
{
    (void)context;
    Cloud cloud = {0};
    add_lattice(&cloud, 12, 12, 12, (couVec3){0}, 4);
    add_lattice(&cloud, 12, 12, 12, (couVec3){12 * SPACING, 0, 0}, 200);
    for (int field = 0; field < 3; ++field) {
        couSurfaceDef def = surface_def(field);
        def.is_blended = false;
        couSurface both = build_surface(&def, &cloud, 3);
        check_mesh(&both, field, "two materials");
        // Each is what it would be alone.
        for (int m = 0; m < 2; ++m) {
            Cloud one = {0};
            add_lattice(&one, 12, 12, 12, (couVec3){12 * SPACING * (float)m, 0, 0}, m ? 200 : 4);
            couSurface alone = build_surface(&def, &one, 3);
            size_t first = m ? both.vertex_count - alone.vertex_count : 0;
            for (size_t v = 0; v < alone.vertex_count; ++v) {
                CHECK_AT_MOST((double)couLength(couSub(both.vertices[first + v], alone.vertices[v])), 1e-3 * (double)SPACING, m);
                assert_int_equal(both.materials[first + v], m ? 200 : 4);
            }
            couSurface_Clear(&alone);
            clear_cloud(&one);
        }
        def.is_blended = true;
        couSurface blended = build_surface(&def, &cloud, 3);
        assert_true(blended.vertex_count < both.vertex_count); // no wall between them
        CHECK_NEAR(couSurface_Volume(&blended), couSurface_Volume(&both), 0.05 * couSurface_Volume(&both), field);
        couSurface_Clear(&both);
        couSurface_Clear(&blended);
    }
    clear_cloud(&cloud);
}

// --- Smoothing ---------------------------------------------------------------------------------------------------------------

static void test_smoothing_keeps_volume(void **context)
{
    (void)context;
    Cloud cloud = {0};
    add_drop(&cloud, 3, 2000, (couVec3){0}, 0.35f, 8);
    add_drop(&cloud, 3, 40, (couVec3){0.2f, 0, 0}, 0.2f, 9);
    couSurfaceDef def = surface_def(cou_surfaceClavet);
    couSurface rough = build_surface(&def, &cloud, 3);
    double area = couSurface_Area(&rough), volume = couSurface_Volume(&rough);
    for (int rounds = 1; rounds <= 50; rounds += 7) {
        def.smoothing = rounds;
        couSurface smooth = build_surface(&def, &cloud, 3);
        check_mesh(&smooth, rounds, "smoothed");
        CHECK_NEAR(couSurface_Volume(&smooth), volume, 1e-4 * volume, rounds);
        double smaller = couSurface_Area(&smooth);
        assert_true(smaller < area);
        // The small drop keeps its own volume too: it is far to the right.
        double drop[2] = {0};
        const couSurface *both[2] = {&rough, &smooth};
        for (int s = 0; s < 2; ++s)
            for (size_t e = 0; e < both[s]->element_count; ++e) {
                couVec3 a = both[s]->vertices[both[s]->indices[3 * e]];
                if (a.x > 0.13f) drop[s] += (double)couDot(couSub(a, (couVec3){0.2f, 0, 0}), face_of(both[s], e)) / 6.0;
            }
        CHECK_NEAR(drop[1], drop[0], 1e-3 * drop[0], rounds);
        couSurface_Clear(&smooth);
    }
    couSurface_Clear(&rough);
    clear_cloud(&cloud);
}

// --- 2D ----------------------------------------------------------------------------------------------------------------------

static void test_flat_surfaces(void **context)
{
    (void)context;
    for (int field = 0; field < 3; ++field) {
        couSurfaceDef def = surface_def(field);
        Cloud cloud = {0};
        add_point(&cloud, (couVec3){0.013f, -0.004f, 0}, 0);
        def.cell = SPACING / 8.0f;
        couSurface surface = build_surface(&def, &cloud, 2);
        check_mesh(&surface, 0, "disk");
        double r = lone_radius(&surface, field, 2);
        CHECK_NEAR(couSurface_Area(&surface), 2.0 * COU_PI * r, 0.03 * 2.0 * COU_PI * r, field);
        CHECK_NEAR(couSurface_Volume(&surface), COU_PI * r * r, 0.03 * COU_PI * r * r, field); // positive: matter to the left
        for (size_t v = 0; v < surface.vertex_count; ++v) {
            couVec3 out = couNormalize(couSub(surface.vertices[v], cloud.positions[0]));
            CHECK_RANGE((double)couDot(out, surface.normals[v]), 0.998, 1.001, field);
        }
        couSurface_Clear(&surface);
        clear_cloud(&cloud);

        add_drop(&cloud, 2, 3000, (couVec3){0.002f, 0.003f, 0}, 0.1f, 2);
        def.cell = COU_AUTO;
        surface = build_surface(&def, &cloud, 2);
        check_mesh(&surface, 0, "flat drop");
        double wanted = (double)cloud.count * pow((double)SPACING, 2), area = couSurface_Volume(&surface);
        CHECK_NEAR(area, wanted, 0.02 * wanted, field);
        couSurface_Clear(&surface);
        def.smoothing = 10;
        surface = build_surface(&def, &cloud, 2);
        check_mesh(&surface, 0, "flat drop, smoothed");
        CHECK_NEAR(couSurface_Volume(&surface), area, 1e-4 * area, field);
        couSurface_Clear(&surface);
        clear_cloud(&cloud);

        for (int seed = 1; seed <= 8; ++seed) {
            add_random(&cloud, 2, 150 * seed, 50.0f, seed);
            def.smoothing = 0;
            def.cell = SPACING * 0.2f * (float)seed;
            def.threads = 1;
            surface = build_surface(&def, &cloud, 2);
            check_mesh(&surface, seed, "flat cloud");
            for (def.threads = 2; def.threads <= 4; ++def.threads) {
                couSurface other = build_surface(&def, &cloud, 2);
                assert_true(is_same_surface(&surface, &other));
                couSurface_Clear(&other);
            }
            couSurface_Clear(&surface);
            clear_cloud(&cloud);
        }
    }
}

// --- Input -------------------------------------------------------------------------------------------------------------------

static void test_bad_particles_are_left_out(void **context)
{
    (void)context;
    Cloud cloud = {0}, good = {0};
    add_drop(&cloud, 3, 200, (couVec3){0}, 0.0f, 1);
    add_drop(&good, 3, 200, (couVec3){0}, 0.0f, 1);
    add_point(&cloud, (couVec3){NAN, 0, 0}, 0);
    add_point(&cloud, (couVec3){0, INFINITY, 0}, 0);
    add_point(&cloud, (couVec3){0, 0, -3e38f}, 0); // a number, but no place
    for (int field = 0; field < 3; ++field) {
        couSurfaceDef def = surface_def(field);
        couSurface surface = build_surface(&def, &cloud, 3), clean = build_surface(&def, &good, 3);
        assert_int_equal(surface.left_out, 3);
        surface.left_out = 0;
        assert_true(is_same_surface(&surface, &clean));
        couSurface_Clear(&surface);
        couSurface_Clear(&clean);
    }
    // Not one that can be drawn.
    Cloud none = {0};
    for (int i = 0; i < 5; ++i) add_point(&none, (couVec3){NAN, NAN, NAN}, 0);
    couSurfaceDef def = surface_def(cou_surfaceAnisotropic);
    for (int dimension = 2; dimension <= 3; ++dimension) {
        couSurface surface = build_surface(&def, &none, dimension);
        assert_int_equal(surface.element_count, 0);
        assert_int_equal(surface.left_out, 5);
        couSurface_Clear(&surface);
    }
    clear_cloud(&cloud);
    clear_cloud(&good);
    clear_cloud(&none);
}

static void test_no_particles(void **context)
{
    (void)context;
    for (int field = 0; field < 3; ++field)
        for (int dimension = 2; dimension <= 3; ++dimension) {
            Cloud cloud = {0};
            couSurfaceDef def = surface_def(field);
            def.smoothing = 5;
            couSurface surface = build_surface(&def, &cloud, dimension);
            assert_int_equal(surface.vertex_count, 0);
            assert_int_equal(surface.element_count, 0);
            CHECK_NEAR(couSurface_Area(&surface), 0.0, 0.0, 0);
            CHECK_NEAR(couSurface_Volume(&surface), 0.0, 0.0, 0);
            couSurface_Clear(&surface);
        }
}

static void check_refused(const couSurfaceDef *def, const Cloud *cloud, const char *key, const char *text)
{
    couFaults faults = {0};
    couSurface surface;
    couSurfacePoints points = points_of(cloud, 3);
    assert_false(couBuildSurface(def, &points, &surface, &faults));
    assert_null(surface.vertices);
    CHECK_FAULT(&faults, key, text);
}

static void test_bad_defs_are_refused(void **context)
{
    (void)context;
    Cloud cloud = {0};
    add_drop(&cloud, 3, 5000, (couVec3){0}, 0.0f, 1);
    couSurfaceDef def = surface_def(cou_surfaceClavet);
    def.spacing = 0.0f, check_refused(&def, &cloud, "surface.spacing", NULL);
    def.spacing = NAN, check_refused(&def, &cloud, "surface.spacing", NULL);
    def = surface_def(cou_surfaceClavet);
    def.cell = 1.0f, check_refused(&def, &cloud, "surface.cell", "radius");
    def.cell = 1e-9f, check_refused(&def, &cloud, "surface.cell", "radius");
    def.cell = -1.0f, check_refused(&def, &cloud, "surface.cell", NULL);
    def = surface_def(cou_surfaceClavet);
    def.radius = 5.0f * SPACING, check_refused(&def, &cloud, "surface.radius", "spacings");
    def.radius = 0.5f * SPACING, check_refused(&def, &cloud, "surface.radius", "spacings");
    def = surface_def(7), check_refused(&def, &cloud, "surface.field", NULL);
    def = surface_def(cou_surfaceClavet);
    def.smoothing = 51, check_refused(&def, &cloud, "surface.smoothing", NULL);
    def = surface_def(cou_surfaceClavet);
    def.level = 0.0f, check_refused(&def, &cloud, "surface.level", NULL);
    def = surface_def(cou_surfaceClavet);
    def.max_gib = 0.0f, check_refused(&def, &cloud, "surface.max_gib", NULL);

    // All that can be said is said.
    couFaults faults = {0};
    couSurface surface;
    couSurfacePoints points = {.dimension = 4, .count = 3};
    def.max_gib = 1.0f;
    assert_false(couBuildSurface(&def, &points, &surface, &faults));
    assert_int_equal(faults.count, 2);
    couFaults_Clear(&faults);
    clear_cloud(&cloud);

    // Particles so far out that a cell is lost in rounding.
    add_point(&cloud, (couVec3){1e9f, 0, 0}, 0);
    def = surface_def(cou_surfaceClavet);
    check_refused(&def, &cloud, "surface.cell", "far");
    clear_cloud(&cloud);
}

// What a program's options need: values from text, and a line of help for each.
static void test_defs_come_from_text(void **state)
{
    (void)state;
    const couParamTable *table = couSurfaceParams();
    couSurfaceDef def = couDefaultSurfaceDef();
    couFaults faults = {0};
    assert_true(couParams_SetByName(table, &def, "field", "color", "options", &faults));
    assert_true(couParams_SetByName(table, &def, "cell", "0.004", "options", &faults));
    assert_true(couParams_SetByName(table, &def, "cell", "auto", "options", &faults));
    assert_true(couParams_SetByName(table, &def, "radius", "0.02", "options", &faults));
    assert_true(couParams_SetByName(table, &def, "smoothing", "3", "options", &faults));
    assert_true(couParams_SetByName(table, &def, "is_blended", "true", "options", &faults));
    CHECK_NO_FAULTS(&faults);
    assert_true(def.field == cou_surfaceColor && isnan(def.cell) && def.radius == 0.02f && def.smoothing == 3 && def.is_blended);
    assert_false(couParams_SetByName(table, &def, "field", "colour", "options", &faults));
    CHECK_FAULT(&faults, "surface.field", "clavet, color, anisotropic");
    assert_false(couParams_SetByName(table, &def, "smoothin", "3", "options", &faults));
    CHECK_FAULT(&faults, "surface.smoothin", "did you mean 'smoothing'?");

    char text[200];
    couParam_FormatHelp(couParams_Find(table, "cell"), &def, text, sizeof text);
    assert_string_equal(text, "of the grid; auto: a third of a spacing [m] (default auto)");
    couParam_FormatHelp(couParams_Find(table, "smoothing"), &def, text, sizeof text);
    assert_string_equal(text, "rounds that even out the mesh but keep its volume (default 3)");
}

// At every stage: particles, grid, bricks, mesh. The number is in the message, and the limit holds.
static void test_memory_is_refused(void **context)
{
    (void)context;
    Cloud cloud = {0};
    add_drop(&cloud, 3, 20000, (couVec3){0}, 0.0f, 1);
    couSurfaceDef def = surface_def(cou_surfaceAnisotropic);
    int refusals = 0;
    for (float mib = 0.5f; mib < 64.0f; mib *= 1.3f) {
        def.max_gib = mib / 1024.0f;
        couFaults faults = {0};
        couSurface surface;
        couSurfacePoints points = points_of(&cloud, 3);
        if (couBuildSurface(&def, &points, &surface, &faults)) {
            CHECK_AT_MOST((double)surface.peak_bytes, 1.35 * (double)mib * 1048576.0 + 1e6, (int)mib); // and a worker's buffers
            couSurface_Clear(&surface);
        } else {
            CHECK_FAULT(&faults, "surface.max_gib", "GiB");
            ++refusals;
        }
    }
    assert_in_range(refusals, 3, 14);
    // Tiny cells: refused by the number of bricks, before any is made.
    def = surface_def(cou_surfaceClavet);
    def.cell = 2.0f * SPACING / 900.0f;
    def.max_gib = 1.0f;
    check_refused(&def, &cloud, "surface.max_gib", "GiB");
    clear_cloud(&cloud);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_random_clouds_are_closed),
        cmocka_unit_test(test_coarse_noise_is_closed),
        cmocka_unit_test(test_thin_sheets_are_closed),
        cmocka_unit_test(test_touching_drops_are_closed),
        cmocka_unit_test(test_nodes_at_the_level),
        cmocka_unit_test(test_coincident_and_far_particles),
        cmocka_unit_test(test_single_particle_is_a_sphere),
        cmocka_unit_test(test_drop_has_its_volume),
        cmocka_unit_test(test_tank_has_its_height),
        cmocka_unit_test(test_stretched_kernels_flatten),
        cmocka_unit_test(test_motion_is_smooth),
        cmocka_unit_test(test_threads_do_not_matter),
        cmocka_unit_test(test_attributes_follow_the_particles),
        cmocka_unit_test(test_materials_mesh_separately),
        cmocka_unit_test(test_smoothing_keeps_volume),
        cmocka_unit_test(test_flat_surfaces),
        cmocka_unit_test(test_bad_particles_are_left_out),
        cmocka_unit_test(test_no_particles),
        cmocka_unit_test(test_bad_defs_are_refused),
        cmocka_unit_test(test_defs_come_from_text),
        cmocka_unit_test(test_memory_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
