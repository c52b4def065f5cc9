// Elastic models: operators of linear and quadratic fields, forces against differences of the energy, action and reaction, rigid
// motion, the plane, springs against their formulas, frequencies, and the same bits on any number of threads.
#include "soft_test.h"

static const couParallel alone = {.threads = 1};

typedef couDouble3 Field(couDouble3 p);

static couDouble3 linear(couDouble3 p)
{
    return (couDouble3){1 + 2 * p.x - 3 * p.y + p.z, 4 * p.y + 0.5 * p.x - p.z, 2 * p.z + p.x - 7 * p.y};
}
static couDouble3 quadratic(couDouble3 p)
{
    return (couDouble3){p.x * p.x + 2 * p.y * p.y + p.x * p.z, p.y * p.y - p.x * p.y, 3 * p.z * p.z + p.y * p.z};
}
static const couDouble3 quadratic_laplacian = {6, 2, 6};

typedef struct Applied {
    couDouble3 *field, *laplacian, *grad_div;
} Applied;

static Applied apply(const couSolidMesh *mesh, const couRegions *regions, couSolidModel model, Field *field)
{
    couFaults faults = {0};
    Applied applied = {calloc(mesh->point_count, sizeof(couDouble3)), calloc(mesh->point_count, sizeof(couDouble3)),
                       calloc(mesh->point_count, sizeof(couDouble3))};
    for (size_t i = 0; i < mesh->point_count; ++i) {
        applied.field[i] = field(couWiden(mesh->points[i]));
        if (mesh->dimension == 2) applied.field[i].z = 0;
    }
    assert_true(couApplyOperators(mesh, regions, model, applied.field, applied.laplacian, applied.grad_div, &faults));
    CHECK_NO_FAULTS(&faults);
    return applied;
}

static void free_applied(Applied *applied)
{
    free(applied->field);
    free(applied->laplacian);
    free(applied->grad_div);
}

static const couSolidModel operator_models[] = {cou_solidVoronoi, cou_solidCauchy, cou_solidHybrid};

// True where a point's region is bounded by facets alone: on other points a surface adds to the sums.
static bool *inner_points(const couSolidMesh *mesh, const couRegions *regions)
{
    bool *is_inner = surface_points(mesh);
    couDouble3 *sums = calloc(mesh->point_count, sizeof *sums);
    for (size_t k = 0; k < regions->piece_count; ++k)
        sums[regions->pieces[k].point] = couAdd3(sums[regions->pieces[k].point], regions->pieces[k].area);
    for (size_t i = 0; i < mesh->point_count; ++i)
        is_inner[i] = !is_inner[i] && couLength3(sums[i]) < 1e-7 * pow(regions->volumes[i], 2.0 / 3.0);
    free(sums);
    return is_inner;
}

// --- Operators ---------------------------------------------------------------------------------------------------------------

static void test_linear_fields(void **context)
{
    (void)context;
    couSolidMesh *meshes[] = {regular_box(3, 1.0f, 4), debunne_cube(2),
                              filled_shape((couShapeDef){.kind = cou_shapeSphere, .radius = 0.5f}, 0.15f), flat_mesh(0.07f)};
    for (int m = 0; m < COU_COUNT(meshes); ++m) {
        couSolidMesh *mesh = meshes[m];
        couRegions regions = regions_of(mesh);
        bool *is_inner = inner_points(mesh, &regions);
        for (int k = 0; k < COU_COUNT(operator_models); ++k) {
            Applied applied = apply(mesh, &regions, operator_models[k], linear);
            double most = 0;
            int inner = 0;
            for (size_t i = 0; i < mesh->point_count; ++i) {
                if (!is_inner[i]) continue;
                ++inner;
                // Against the size of the terms that cancel: gradient over the size of the region.
                double scale = 10 / pow(regions.volumes[i], 1.0 / mesh->dimension);
                most = fmax(most, fmax(couLength3(applied.laplacian[i]), couLength3(applied.grad_div[i])) / scale);
            }
            CHECK_RANGE(inner, 5, 1e9, m);
            CHECK_AT_MOST(most, 1e-5, 10 * m + k);
            free_applied(&applied);
        }
        free(is_inner);
        couRegions_Free(&regions);
        couSolidMesh_Release(mesh);
    }
}

// Exact on the regular mesh, whose facets are halved by the edges that they belong to.
static void test_quadratic_field(void **context)
{
    (void)context;
    couSolidMesh *mesh = regular_box(3, 1.0f, 6);
    couRegions regions = regions_of(mesh);
    bool *is_inner = inner_points(mesh, &regions);
    for (int k = 0; k < COU_COUNT(operator_models); ++k) {
        Applied applied = apply(mesh, &regions, operator_models[k], quadratic);
        for (size_t i = 0; i < mesh->point_count; ++i) {
            if (!is_inner[i]) continue;
            // The tensor of cauchy is lap + (what FEM has of grad div) - grad div: as exact as these.
            if (operator_models[k] != cou_solidCauchy)
                CHECK_AT_MOST(couLength3(couSub3(applied.laplacian[i], quadratic_laplacian)), 6e-5, k);
        }
        free_applied(&applied);
    }
    free(is_inner);
    couRegions_Free(&regions);
    couSolidMesh_Release(mesh);
}

static couDouble3 wave(couDouble3 p)
{
    return (couDouble3){sin(3 * p.x) * cos(2 * p.y), cos(2 * p.z + p.x), sin(p.x + 2 * p.y - p.z)};
}

static couDouble3 wave_laplacian(couDouble3 p)
{
    couDouble3 u = wave(p);
    return (couDouble3){-13 * u.x, -5 * u.y, -6 * u.z};
}

// Largest error of the Laplacian of a wave on a grid of h = 1/across.
static double laplacian_error(couSolidModel model, int across)
{
    couSolidMesh *mesh = regular_box(3, 1.0f, across);
    couRegions regions = regions_of(mesh);
    bool *is_inner = inner_points(mesh, &regions);
    Applied applied = apply(mesh, &regions, model, wave);
    double most = 0;
    for (size_t i = 0; i < mesh->point_count; ++i)
        if (is_inner[i]) most = fmax(most, couLength3(couSub3(applied.laplacian[i], wave_laplacian(couWiden(mesh->points[i])))));
    free_applied(&applied);
    free(is_inner);
    couRegions_Free(&regions);
    couSolidMesh_Release(mesh);
    return most;
}

static void test_second_order(void **context)
{
    (void)context;
    const couSolidModel models[] = {cou_solidVoronoi, cou_solidHybrid};
    for (int k = 0; k < COU_COUNT(models); ++k) {
        double coarse = laplacian_error(models[k], 5), fine = laplacian_error(models[k], 10);
        print_message("laplacian of a wave: %g at 1/5, %g at 1/10, order %.2f\n", coarse, fine, log2(coarse / fine));
        CHECK_RANGE(log2(coarse / fine), 1.7, 2.4, k);
    }
}

// In the plane voronoi and finite elements are the same operators [Debunne, sect. 4.5.3], also with obtuse triangles.
static void test_plane_is_finite_elements(void **context)
{
    (void)context;
    couSolidMesh *meshes[] = {flat_mesh(0.08f), regular_box(2, 1.0f, 5)};
    for (int m = 0; m < COU_COUNT(meshes); ++m) {
        couSolidMesh *mesh = meshes[m];
        couRegions regions = regions_of(mesh);
        bool *is_outer = surface_points(mesh);
        Applied voronoi = apply(mesh, &regions, cou_solidVoronoi, wave), cauchy = apply(mesh, &regions, cou_solidCauchy, wave);
        Applied hybrid = apply(mesh, &regions, cou_solidHybrid, wave);
        for (size_t i = 0; i < mesh->point_count; ++i) {
            CHECK_AT_MOST(couLength3(couSub3(voronoi.grad_div[i], cauchy.grad_div[i])), 1e-5, m);
            CHECK_AT_MOST(couLength3(couSub3(voronoi.laplacian[i], hybrid.laplacian[i])), 1e-5, m);
            // What lies off the diagonal of the tensor cancels between neighbours, but not on the rim.
            if (!is_outer[i]) CHECK_AT_MOST(couLength3(couSub3(voronoi.laplacian[i], cauchy.laplacian[i])), 1e-5, m);
        }
        free(is_outer);
        free_applied(&voronoi);
        free_applied(&cauchy);
        free_applied(&hybrid);
        couRegions_Free(&regions);
        couSolidMesh_Release(mesh);
    }
}

// --- Forces ------------------------------------------------------------------------------------------------------------------

typedef struct Body {
    couSolidMesh *mesh;
    couRegions regions;
    couElastic elastic;
    couDouble3 *rest, *x, *v, *forces;
    double *masses;
} Body;

static Body make_body(couSolidMesh *mesh, couElasticDef def)
{
    couFaults faults = {0};
    Body body = {.mesh = mesh, .regions = regions_of(mesh)};
    assert_true(couElastic_Build(&body.elastic, NULL, mesh, &body.regions, &def, &faults));
    CHECK_NO_FAULTS(&faults);
    size_t count = mesh->point_count;
    couDouble3 **arrays[] = {&body.rest, &body.x, &body.v, &body.forces};
    for (int k = 0; k < COU_COUNT(arrays); ++k) *arrays[k] = calloc(count, sizeof(couDouble3));
    body.masses = calloc(count, sizeof *body.masses);
    for (size_t i = 0; i < count; ++i) {
        body.rest[i] = body.x[i] = couWiden(mesh->points[i]);
        body.masses[i] = 1000 * body.regions.volumes[i];
    }
    return body;
}

static void free_body(Body *body)
{
    couElastic_Free(&body->elastic);
    couRegions_Free(&body->regions);
    couSolidMesh_Release(body->mesh);
    free(body->rest);
    free(body->x);
    free(body->v);
    free(body->forces);
    free(body->masses);
}

static couElasticState state_of(const Body *body) { return (couElasticState){body->rest, body->x, body->v}; }

static void disturb(Body *body, double by, uint64_t seed)
{
    couRandom random = {seed};
    for (size_t i = 0; i < body->mesh->point_count; ++i) {
        couDouble3 shift = {(double)couRandomSigned(&random), (double)couRandomSigned(&random), (double)couRandomSigned(&random)};
        if (body->mesh->dimension == 2) shift.z = 0;
        body->x[i] = couMulAdd3(body->rest[i], by, shift);
    }
}

static couElasticDef model_def(couSolidModel model)
{
    return (couElasticDef){.model = model, .lambda = 20000, .mu = 7000, .rule = cou_springVanGelder, .spring = 20000};
}

// Forces are the differences of the energy.
static void test_forces_from_energy(void **context)
{
    (void)context;
    for (int dimension = 2; dimension <= 3; ++dimension)
        for (couSolidModel model = cou_solidCauchy; model < cou_solidModelCount; ++model) {
            Body body = make_body(dimension == 3 ? debunne_cube(1) : regular_box(2, 0.1f, 4), model_def(model));
            disturb(&body, 0.004, 5);
            couElastic_Forces(&body.elastic, &alone, state_of(&body), body.forces);
            for (size_t i = 0; i < body.mesh->point_count; i += 7) {
                const double h = 1e-7;
                double *axis = (double *)&body.x[i], middle = axis[1];
                axis[1] = middle + h;
                double above = couElastic_Energy(&body.elastic, state_of(&body));
                axis[1] = middle - h;
                double below = couElastic_Energy(&body.elastic, state_of(&body));
                axis[1] = middle;
                double expected = -(above - below) / (2 * h);
                CHECK_NEAR(body.forces[i].y, expected, 1e-4 * fabs(expected) + 1e-6, (int)model);
            }
            free_body(&body);
        }
}

static void test_action_and_reaction(void **context)
{
    (void)context;
    for (couSolidModel model = 0; model < cou_solidModelCount; ++model) {
        Body body = make_body(debunne_cube(2), model_def(model));
        body.elastic.def.damping = 0.01;
        disturb(&body, 0.01, 9);
        for (size_t i = 0; i < body.mesh->point_count; ++i) body.v[i] = couScale3(30, couSub3(body.x[i], body.rest[i]));
        couElastic_Forces(&body.elastic, &alone, state_of(&body), body.forces);
        couDouble3 sum = {0, 0, 0};
        double sizes = 0;
        for (size_t i = 0; i < body.mesh->point_count; ++i) {
            sum = couAdd3(sum, body.forces[i]);
            sizes += couLength3(body.forces[i]);
        }
        CHECK_RANGE(sizes, 1, 1e9, (int)model);
        CHECK_AT_MOST(couLength3(sum), 1e-12 * sizes, (int)model);
        free_body(&body);
    }
}

// Turned and carried far away: green and springs feel nothing, cauchy does.
static void test_rigid_motion(void **context)
{
    (void)context;
    for (couSolidModel model = 0; model < cou_solidModelCount; ++model) {
        Body body = make_body(debunne_cube(1), model_def(model));
        const double angle = 0.5 * COU_PI, c = cos(angle), s = sin(angle), weight = 9.81;
        for (size_t i = 0; i < body.mesh->point_count; ++i) {
            couDouble3 p = body.rest[i];
            body.x[i] = (couDouble3){c * p.x - s * p.y + 300, s * p.x + c * p.y - 20, p.z + 100};
        }
        couElastic_Forces(&body.elastic, &alone, state_of(&body), body.forces);
        double most = 0;
        for (size_t i = 0; i < body.mesh->point_count; ++i) most = fmax(most, couLength3(body.forces[i]));
        print_message("model %d turned by 90 degrees: largest force %g of the weight\n", (int)model, most / weight);
        if (model == cou_solidGreen || model == cou_solidSpring)
            CHECK_AT_MOST(most / weight, 1e-5, (int)model);
        else
            CHECK_RANGE(most / weight, 0.1, 1e6, (int)model);
        free_body(&body);
    }
}

// One spring, pulled: each rule by its formula.
static void test_spring_rules(void **context)
{
    (void)context;
    const couVec3 corners[] = {{0, 0, 0}, {2, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    const double expected[] = {5, 5 * 2, 5 / 2.0, 5 * (2.0 / 6) / 4};
    for (int rule = 0; rule < 4; ++rule) {
        couFaults faults = {0};
        couSolidMesh *mesh = couCreateSolidMesh(3, corners, 4, (uint32_t[4]){0, 1, 2, 3}, 1, &faults);
        Body body = make_body(mesh, (couElasticDef){.model = cou_solidSpring, .rule = (couSpringRule)rule, .spring = 5});
        // Stretched by 2: of all edges only 0 1 changes when the others are where their circles meet; look at its own share.
        body.x[0].x = -2;
        couElastic_Forces(&body.elastic, &alone, state_of(&body), body.forces);
        const couLink *link = &body.elastic.links[body.elastic.link_start[1]];
        assert_int_equal(link->other, 0);
        CHECK_NEAR(link->weight, expected[rule], 1e-6, rule);
        free_body(&body);
    }
}

// A bar pulled along x between two planes that let it slide: E (1 - nu) / ((1 + nu)(1 - 2 nu)) times the strain.
static void test_stress_of_a_strain(void **context)
{
    (void)context;
    for (couSolidModel model = cou_solidVoronoi; model <= cou_solidGreen; ++model) {
        Body body = make_body(regular_box(3, 0.1f, 2), model_def(model));
        const double strain = 1e-6;
        for (size_t i = 0; i < body.mesh->point_count; ++i) body.x[i].x = body.rest[i].x * (1 + strain);
        double stress[6], strains[6];
        couElastic_Stress(&body.elastic, state_of(&body), 5, stress, strains);
        CHECK_NEAR(strains[0], strain, 1e-9, (int)model);
        CHECK_NEAR(stress[0], 34000 * strain, 1e-5, (int)model);
        CHECK_NEAR(stress[1], 20000 * strain, 1e-5, (int)model);
        CHECK_NEAR(couVonMises(stress), 14000 * strain, 1e-5, (int)model);
        free_body(&body);
    }
}

// --- Time --------------------------------------------------------------------------------------------------------------------

// Modified Euler; the face at -x is held. Returns the largest distance that a point goes.
static double run(Body *body, double dt, int steps, double gravity)
{
    double most = 0;
    for (int s = 0; s < steps; ++s) {
        couElastic_Forces(&body->elastic, &alone, state_of(body), body->forces);
        for (size_t i = 0; i < body->mesh->point_count; ++i) {
            if (body->rest[i].x < -0.0499) continue;
            couDouble3 a = couScale3(1 / body->masses[i], body->forces[i]);
            a.y -= gravity;
            body->v[i] = couMulAdd3(body->v[i], dt, a);
            body->x[i] = couMulAdd3(body->x[i], dt, body->v[i]);
            most = fmax(most, couLength3(couSub3(body->x[i], body->rest[i])));
        }
        if (!(most < 1e3)) break;
    }
    return most;
}

// Just below the limit it stays, a little above it goes.
static void test_stable_step(void **context)
{
    (void)context;
    const double dampings[] = {0, 0.003};
    for (int k = 0; k < COU_COUNT(dampings); ++k)
        for (couSolidModel model = cou_solidCauchy; model <= cou_solidHybrid; ++model) {
            couElasticDef def = model_def(model);
            def.damping = dampings[k];
            Body body = make_body(debunne_cube(1), def);
            double limit = couStableStep(couElastic_MaxFrequency(&body.elastic, &alone, body.rest, body.masses), def.damping);
            disturb(&body, 1e-6, 3);
            CHECK_AT_MOST(run(&body, 0.99 * limit, 3000, 0), 1e-3, (int)model);
            disturb(&body, 1e-6, 3);
            memset(body.v, 0, body.mesh->point_count * sizeof *body.v);
            CHECK_RANGE(run(&body, 1.15 * limit, 3000, 0), 1, INFINITY, (int)model);
            free_body(&body);
        }
}

static double energy_of(const Body *body, double gravity)
{
    double energy = couElastic_Energy(&body->elastic, state_of(body));
    for (size_t i = 0; i < body->mesh->point_count; ++i)
        energy += body->masses[i] * (0.5 * couDot3(body->v[i], body->v[i]) + gravity * (body->x[i].y - body->rest[i].y));
    return energy;
}

// Without damping, 10 s of the hanging cube: the energy stays within 2 % of what swings to and fro.
static void test_energy_stays(void **context)
{
    (void)context;
    for (couSolidModel model = cou_solidCauchy; model <= cou_solidGreen; ++model) {
        Body body = make_body(debunne_cube(0), model_def(model));
        double most = 0, swing = 0;
        for (int frame = 0; frame < 200; ++frame) {
            run(&body, 1.0 / 1600, 80, 9.81);
            double elastic = couElastic_Energy(&body.elastic, state_of(&body));
            swing = fmax(swing, elastic);
            most = fmax(most, fabs(energy_of(&body, 9.81)));
        }
        print_message("model %d: energy within %g J of %g J\n", (int)model, most, swing);
        CHECK_AT_MOST(most, 0.02 * swing, (int)model);
        free_body(&body);
    }
}

// The velocities of modified Euler are those of half a step earlier, so m v^2 / 2 is an energy of two times at once, which swings
// about the right one by a share of omega dt / 2. With v (v + dt a), the product of the velocities half a step before and after,
// it is that of one time, and for linear laws an invariant of the scheme: what drifts would show here.
static double energy_at_one_time(Body *body, double dt, double gravity)
{
    double energy = couElastic_Energy(&body->elastic, state_of(body));
    couElastic_Forces(&body->elastic, &alone, state_of(body), body->forces);
    for (size_t i = 0; i < body->mesh->point_count; ++i) {
        couDouble3 a = couScale3(1 / body->masses[i], body->forces[i]);
        a.y -= gravity;
        energy += body->masses[i] *
                  (0.5 * couDot3(body->v[i], couMulAdd3(body->v[i], dt, a)) + gravity * (body->x[i].y - body->rest[i].y));
    }
    return energy;
}

// The same at the steps that solids take by themselves, near the stable limit.
static void test_energy_at_long_steps(void **context)
{
    (void)context;
    for (couSolidModel model = cou_solidCauchy; model <= cou_solidGreen; ++model) {
        Body body = make_body(debunne_cube(0), model_def(model));
        double limit = couStableStep(couElastic_MaxFrequency(&body.elastic, &alone, body.rest, body.masses), 0);
        double dt = (model == cou_solidGreen ? 0.5 : 0.9) * limit, most = 0, naive = 0, swing = 0;
        for (double t = 0; t < 10; t += dt) {
            run(&body, dt, 1, 9.81);
            swing = fmax(swing, couElastic_Energy(&body.elastic, state_of(&body)));
            naive = fmax(naive, fabs(energy_of(&body, 9.81)));
            most = fmax(most, fabs(energy_at_one_time(&body, dt, 9.81)));
        }
        print_message("model %d, steps of %g s: energy within %.2g of the swing, %.2g with velocities half a step late\n",
                      (int)model, dt, most / swing, naive / swing);
        CHECK_AT_MOST(most, 0.02 * swing, (int)model);
        if (model != cou_solidGreen) CHECK_AT_MOST(most, 1e-9 * swing, (int)model);
        free_body(&body);
    }
}

// All three builds of the hot loop give the same bits, with and without damping, in space and in the plane; the last block of a
// mesh of more than one is not full.
static void test_variants(void **context)
{
    (void)context;
    static couAddCellForcesFcn *const variants[] = COU_VARIANTS(couAddCellForces);
    for (int dimension = 2; dimension <= 3; ++dimension)
        for (couSolidModel model = cou_solidCauchy; model <= cou_solidGreen; ++model)
            for (int is_damped = 0; is_damped < 2; ++is_damped) {
                couElasticDef def = model_def(model);
                def.damping = is_damped ? 0.01 : 0.0;
                Body body = make_body(regular_box(dimension, 0.1f, dimension == 3 ? 7 : 30), def);
                size_t count = body.mesh->point_count;
                assert_true(body.elastic.cells.block_count > 1 && body.mesh->cell_count % COU_CELL_BLOCK);
                couRandom random = {5};
                for (size_t i = 0; i < count; ++i) {
                    body.x[i].x += 0.003 * (double)couRandomSigned(&random);
                    body.x[i].y += 0.002 * (double)couRandomSigned(&random);
                    body.v[i] = (couDouble3){(double)couRandomSigned(&random), (double)couRandomSigned(&random), 0};
                }
                couDouble3 *forces[cou_isaCount];
                for (int isa = 0; isa <= (int)couBestIsa(); ++isa) {
                    forces[isa] = couAlloc(NULL, count * sizeof(couDouble3));
                    body.elastic.cells.add = variants[isa];
                    couElastic_Forces(&body.elastic, &alone, state_of(&body), forces[isa]);
                    assert_memory_equal(forces[isa], forces[0], count * sizeof(couDouble3));
                }
                assert_true(couLength3(forces[0][count / 2]) > 0);
                for (int isa = 0; isa <= (int)couBestIsa(); ++isa) couFree(NULL, forces[isa]);
                free_body(&body);
            }
}

static void test_threads(void **context)
{
    (void)context;
    for (couSolidModel model = 0; model < cou_solidModelCount; ++model) {
        Body body = make_body(filled_shape((couShapeDef){.kind = cou_shapeSphere, .radius = 0.5f}, 0.07f), model_def(model));
        disturb(&body, 0.01, 5);
        size_t bytes = body.mesh->point_count * sizeof(couDouble3);
        couDouble3 *expected = malloc(bytes);
        couElastic_Forces(&body.elastic, &alone, state_of(&body), expected);
        for (int threads = 2; threads <= 4; ++threads) {
            couParallel parallel = couMakeParallel(threads);
            couElastic_Forces(&body.elastic, &parallel, state_of(&body), body.forces);
            assert_memory_equal(expected, body.forces, bytes);
            couFreeParallel(&parallel);
        }
        free(expected);
        free_body(&body);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_linear_fields),      cmocka_unit_test(test_quadratic_field),
        cmocka_unit_test(test_second_order),       cmocka_unit_test(test_plane_is_finite_elements),
        cmocka_unit_test(test_forces_from_energy), cmocka_unit_test(test_action_and_reaction),
        cmocka_unit_test(test_rigid_motion),       cmocka_unit_test(test_spring_rules),
        cmocka_unit_test(test_stress_of_a_strain), cmocka_unit_test(test_stable_step),
        cmocka_unit_test(test_energy_stays),       cmocka_unit_test(test_energy_at_long_steps),
        cmocka_unit_test(test_variants),           cmocka_unit_test(test_threads),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
